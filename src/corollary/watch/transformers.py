"""A callback for the Trainer of Hugging Face: ``Trainer(..., callbacks=[WatchCallback()])``."""

from typing import TYPE_CHECKING, Any

from corollary.errors import MissingExtraError
from corollary.watch.hooks import unwrapped
from corollary.watch.watcher import Watcher, watch

if TYPE_CHECKING:
    TrainerCallback = object
else:
    try:
        from transformers import TrainerCallback
    except ImportError:
        raise MissingExtraError(
            "the Hugging Face callback needs a package that is not installed: "
            "pip install transformers accelerate"
        ) from None


class WatchCallback(TrainerCallback):
    """Watches the training of a Hugging Face model.

    Args:
        options: Those of :func:`corollary.watch`.
    """

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.watcher: Watcher | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Begin to watch the model and the optimizer that the Trainer has made."""
        options = {"step": int(state.global_step), "steps": int(state.max_steps)} | self.options
        optimizer = given.get("optimizer")
        optimizers = [] if optimizer is None else [unwrapped(optimizer)]
        self.watcher = watch(given["model"], optimizers, **options)

    def on_evaluate(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Hand over the held-out loss."""
        value = (given.get("metrics") or {}).get("eval_loss")
        if self.watcher is not None and value is not None:
            self.watcher.held_out(float(value))

    def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """The run is over."""
        if self.watcher is not None:
            self.watcher.close()
