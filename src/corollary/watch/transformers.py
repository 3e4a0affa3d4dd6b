"""A callback for the Trainer of Hugging Face: ``Trainer(..., callbacks=[WatchCallback()])``."""

import importlib
from contextlib import suppress
from typing import Any

from corollary.errors import MissingExtraError
from corollary.watch.detect.trainers import of_hugging_face
from corollary.watch.hooks import unwrapped
from corollary.watch.watcher import Watcher, watch

Base: Any = object
with suppress(ImportError):
    Base = importlib.import_module("transformers").TrainerCallback


class WatchCallback(Base):  # type: ignore[misc]
    """Watches the training of a Hugging Face model.

    Args:
        options: Those of :func:`corollary.watch`.

    Raises:
        MissingExtraError: if the package is not installed.
    """

    def __init__(self, **options: Any) -> None:
        if Base is object:
            raise MissingExtraError(
                "the Hugging Face callback needs a package that is not installed; run pip "
                "install transformers accelerate"
            )
        self.options = options
        self.watcher: Watcher | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Begin to watch the model and the optimizer that the Trainer has created."""
        options = {"step": int(state.global_step), "steps": int(state.max_steps)} | self.options
        optimizer = given.get("optimizer")
        optimizers = [] if optimizer is None else [unwrapped(optimizer)]
        self.watcher = watch(given["model"], optimizers, **options)
        for finding in of_hugging_face(args):
            self.watcher.events.say(self.watcher.step, finding)

    def on_evaluate(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Pass on the held-out loss."""
        value = (given.get("metrics") or {}).get("eval_loss")
        if self.watcher is not None and value is not None:
            self.watcher.held_out(float(value))

    def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """The run is over."""
        if self.watcher is not None:
            self.watcher.close()
