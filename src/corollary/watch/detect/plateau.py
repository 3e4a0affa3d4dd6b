"""Plateau schedulers that expect the wrong direction, or receive the wrong values."""

import itertools

from torch.optim.lr_scheduler import ReduceLROnPlateau

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.hooks import unwrapped
from corollary.watch.state import Loop

MODE = "schedule/plateau_mode"
BATCHES = "schedule/plateau_per_batch"
AGAINST = 0.8  # share of pairs of values that are in the order of an improvement
LEAST = 4  # values


class Plateau(Detector):
    """Follows the values that a scheduler is given."""

    every_step = True

    def __init__(self) -> None:
        self.values: dict[int, list[float]] = {}
        self.steps: dict[int, list[int]] = {}  # of the loop, at each value

    def on_plateau(self, loop: Loop, scheduler: ReduceLROnPlateau, value: float) -> None:
        """One more value."""
        owned = loop.owned.get(id(unwrapped(scheduler.optimizer)))
        if owned is None:
            return
        values = self.values.setdefault(id(scheduler), [])
        steps = self.steps.setdefault(id(scheduler), [])
        if len(values) < 400:
            values.append(value)
            steps.append(loop.made)
        cut = int(scheduler.num_bad_epochs) >= int(scheduler.patience)  # at this call, or before
        cut |= owned.rate < 0.99 * owned.largest_rate
        if len(values) < LEAST or not cut:
            return
        self._mode(loop, scheduler, values)
        if len(values) >= 20 and steps[-1] - steps[0] <= len(values) and len(set(steps)) > 10:
            loop.events.say(loop.step, _per_batch(scheduler, len(values)))

    def _mode(self, loop: Loop, scheduler: ReduceLROnPlateau, values: list[float]) -> None:
        """Values that improve in the other direction from the first value on."""
        sign = 1 if scheduler.mode == "min" else -1
        early = values[: int(scheduler.patience) + LEAST]  # before cuts end all progress
        pairs = [sign * (b - a) > 0 for a, b in itertools.combinations(early, 2)]
        against = sum(pairs) / len(pairs)
        never = all(sign * (v - values[0]) >= 0 for v in values[1:])
        losses = loop.loss_values()
        part = max(1, len(losses) // 4)
        falls = len(losses) >= 8 and sum(losses[-part:]) < 0.97 * sum(losses[:part])
        # A share that grows is an accuracy, or the loss of a network that overfits from the start.
        share = scheduler.mode == "min" and all(0 <= v <= 1 for v in values)
        moved = abs(early[-1] - values[0]) > 0.05 * abs(values[0])
        if never and against >= AGAINST and moved and (falls or share):
            loop.events.say(loop.step, _wrong_mode(scheduler, values, share))


def _wrong_mode(scheduler: ReduceLROnPlateau, values: list[float], share: bool) -> Finding:
    other = "max" if scheduler.mode == "min" else "min"
    what = ", as an accuracy does," if share else ""
    return found(
        MODE,
        "The plateau scheduler expects the wrong direction",
        Severity.MEDIUM if scheduler.mode == "max" else Severity.LOW,
        f"ReduceLROnPlateau(mode={scheduler.mode!r}) has seen no improvement since its first "
        f"value {values[0]:.3g}. The value went to {values[-1]:.3g}{what} and the learning "
        "rate is reduced too early.",
        f"Use mode={other!r}: 'min' for a loss and 'max' for an accuracy.",
    )


def _per_batch(scheduler: ReduceLROnPlateau, calls: int) -> Finding:
    return found(
        BATCHES,
        "The plateau scheduler is stepped after every batch",
        Severity.LOW,
        f"ReduceLROnPlateau(patience={scheduler.patience}) received {calls} values in as many "
        "steps. The loss of single batches fluctuates for longer than the patience, so the "
        "learning rate falls too fast.",
        "Call scheduler.step(validation_loss) once per epoch.",
    )
