"""A callback for Lightning: ``Trainer(callbacks=[WatchCallback()])``."""

import importlib
import math
from contextlib import suppress
from typing import Any

from corollary.errors import MissingExtraError
from corollary.watch.detect.trainers import of_lightning
from corollary.watch.watcher import Watcher, watch

Base: Any = object
with suppress(ImportError):
    Base = importlib.import_module("lightning.pytorch").Callback


class WatchCallback(Base):  # type: ignore[misc]
    """Watches the training of a LightningModule.

    Args:
        options: Those of :func:`corollary.watch`.

    Raises:
        MissingExtraError: if the package is not installed.
    """

    def __init__(self, **options: Any) -> None:
        if Base is object:
            raise MissingExtraError(
                "the Lightning callback needs a package that is not installed; run pip "
                "install lightning"
            )
        self.options = options
        self.watcher: Watcher | None = None

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        """Begin to watch; the loss is read from the backward pass."""
        options = {"step": int(trainer.global_step)} | self.options
        if trainer.max_steps and trainer.max_steps > 0:
            options.setdefault("steps", trainer.max_steps)
        self.watcher = watch(pl_module, trainer.optimizers, **options)
        for finding in of_lightning(trainer):
            self.watcher.events.say(self.watcher.step, finding)

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """The loaders exist, so the length of the run is known."""
        epochs, batches = trainer.max_epochs, trainer.num_training_batches
        known = isinstance(epochs, int) and epochs > 0 and isinstance(batches, int) and batches > 0
        if self.watcher is not None and known:
            steps = epochs * math.ceil(batches / trainer.accumulate_grad_batches)
            self.watcher.plan(steps * max(1, len(trainer.optimizers)))

    def on_train_batch_start(
        self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int
    ) -> None:
        """Pass on the batch, because ``training_step`` is not a call of the module."""
        if self.watcher is not None:
            self.watcher.batch(batch)

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """Pass on the held-out loss if it was logged as ``val_loss``."""
        value = trainer.callback_metrics.get("val_loss")
        if self.watcher is not None and value is not None and not trainer.sanity_checking:
            self.watcher.held_out(value)

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        """The run is over."""
        if self.watcher is not None:
            self.watcher.close()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """The run has failed; its record is kept."""
        if self.watcher is not None:
            self.watcher.close()
