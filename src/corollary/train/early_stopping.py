"""Stop when the validation error no longer falls, and give back the best parameters.

:source: Perez Jensen (2025), Deep Learning, Section 8.3; Lucchi (2025), Foundations of Deep
    Learning, Chapter 11, Exercise 2; Prechelt (1998), "Early stopping - but when?".
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from corollary.errors import InputError, InputTypeError
from corollary.train.callbacks import Callback, Wish
from corollary.train.loop import Loop
from corollary.train.objective import compare, plain_value
from corollary.train.preparation import check_whole, modes_kept


class EarlyStopping(Callback):
    """Ends a run after ``patience`` checks without improvement.

    Handed to :func:`corollary.train.fit` as a callback. After each epoch the validation error is
    measured in evaluation mode and noted in the history as ``validation``. When the run ends, for
    whatever reason, the model has the parameters and buffers of its best check. A checkpoint of the
    same run still holds the last state, from which the run can go on.

    Args:
        validate: Validation data as :func:`fit` takes them, valued by the loss of the run; or a
            function from the model to a number. Lower is better.
        patience: Checks without improvement after which the run ends.
        min_delta: An error must be lower than the best by more than this to be an improvement.
        restore_best: False leaves the parameters of the last step.

    Example:
        >>> from corollary.train.trainer import fit
        >>> x = torch.linspace(-1, 1, 16)[:, None]
        >>> line, sgd = nn.Linear(1, 1), lambda p: torch.optim.SGD(p, lr=0.5)
        >>> stop = EarlyStopping((x, 3 * x), patience=2, min_delta=1e-3)
        >>> mse = nn.functional.mse_loss
        >>> history = fit(line, (x, 3 * x), mse, sgd, epochs=500, callbacks=[stop])
        >>> history.epochs < 50, stop.best < 1e-2
        (True, True)

    :covers: early-stopping-rule
    """

    def __init__(
        self,
        validate: Callable[[nn.Module], Any] | Tensor | tuple[Tensor, ...] | list[Tensor],
        *,
        patience: int = 5,
        min_delta: float = 0.0,
        restore_best: bool = True,
    ) -> None:
        check_whole("patience", patience, 1)
        if not 0 <= min_delta < math.inf:
            raise InputError(f"min_delta must be a number >= 0, got {min_delta}")
        if isinstance(validate, Tensor):
            validate = (validate,)
        if not callable(validate) and not isinstance(validate, tuple | list):
            raise InputTypeError(
                "validate must be validation data or a function of the model, got "
                f"{type(validate).__name__}"
            )
        self.validate, self.patience, self.min_delta = validate, patience, min_delta
        self.restore_best = restore_best
        self._loop: Loop | None = None
        self._forget(None)

    def _forget(self, loop: Loop | None) -> None:
        self._loop = loop
        self.best, self.best_epoch, self.waited = math.inf, 0, 0
        self._state: dict[str, Any] | None = None

    def on_epoch(self, loop: Loop) -> Wish:
        """Check, remember, ask to stop if it has been in vain for long enough."""
        if loop is not self._loop:  # another run: what the last one saw does not count
            self._forget(loop)
        value = self._error(loop)
        loop.record("validation", value)
        if value < self.best - self.min_delta:
            self.best, self.best_epoch, self.waited = value, loop.epoch, 0
            if self.restore_best:
                self._state = _copy(loop.model)
            return None
        self.waited += 1
        if self.waited < self.patience:
            return None
        best = f"{self.best:.4g} after epoch {self.best_epoch}" if self.best_epoch else "none"
        return f"no lower validation error for {self.waited} epochs (best: {best})"

    def on_end(self, loop: Loop) -> None:
        """Put the best parameters back."""
        if self.restore_best and self._state is not None and loop is self._loop:
            loop.model.load_state_dict(self._state)

    def _error(self, loop: Loop) -> float:
        with loop.whole(), modes_kept(loop.model), torch.no_grad():
            loop.model.eval()
            if callable(self.validate):
                return float(self.validate(loop.model))
            device = loop.parameters[0].device
            batch = [tensor.to(device) for tensor in self.validate]
            with torch.enable_grad():  # a loss is refused unless it depends on the parameters
                value = plain_value(compare(loop.model, loop.loss, *batch))
            return float(value.detach())


def _copy(model: nn.Module) -> dict[str, Any]:
    return {
        name: value.detach().clone() if isinstance(value, Tensor) else value
        for name, value in model.state_dict().items()
    }
