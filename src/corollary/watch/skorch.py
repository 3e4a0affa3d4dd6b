"""A callback for skorch: ``NeuralNetClassifier(..., callbacks=[WatchCallback()])``."""

import importlib
from contextlib import suppress
from typing import Any

from corollary.errors import MissingExtraError
from corollary.watch.watcher import Watcher, watch

Base: Any = object
with suppress(ImportError):
    Base = importlib.import_module("skorch.callbacks").Callback


class WatchCallback(Base):  # type: ignore[misc]
    """Watches the training of a skorch net.

    Args:
        options: Those of :func:`corollary.watch`.

    Raises:
        MissingExtraError: if the package is not installed.
    """

    def __init__(self, **options: Any) -> None:
        if Base is object:
            raise MissingExtraError(
                "the skorch callback needs a package that is not installed; run pip install skorch"
            )
        self.options = options
        self.watcher: Watcher | None = None

    def on_train_begin(self, net: Any, **given: Any) -> None:
        """Begin to watch the module and the optimizer that skorch has created."""
        self.watcher = watch(net.module_, net.optimizer_, **self.options)

    def on_epoch_end(self, net: Any, **given: Any) -> None:
        """Pass on the validation loss if there is one."""
        value = net.history[-1].get("valid_loss")
        if self.watcher is not None and value is not None:
            self.watcher.held_out(float(value))

    def on_train_end(self, net: Any, **given: Any) -> None:
        """The run is over."""
        if self.watcher is not None:
            self.watcher.close()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options by name, which scikit-learn needs to clone a callback."""
        return dict(self.options)
