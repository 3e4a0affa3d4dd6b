"""The learning rate compared with the curvature, and the reaction of the loss.

Curvature alone never raises an alarm: training at the edge of stability is usual and healthy. It
only explains a loss that rises or does not change.
"""

import math
import statistics

from corollary.core.finding import Finding, Severity
from corollary.core.measurement import Reading
from corollary.theory.optimization.stability import reach
from corollary.watch.detect.detector import Detector, found
from corollary.watch.detect.pairing import CHANCE
from corollary.watch.state import Loop, Owned

TOO_LARGE = "lr/too_large"
TOO_SMALL = "lr/too_small"
WARM_UP = "lr/no_warm_up"
RISES = "loss/rises"
SPIKE = "loss/spike"
KNOWN = ("cross entropy", "mse", "bce", "l1", "smooth l1")  # losses that should fall
COLLAPSED = 1 / 3  # of the dimensions of the untrained features: a drop that noise does not make
SHORT = 1000  # steps of a short run
EDGE = ("optimization/gd_stability_threshold",)


class Stability(Detector):
    """Reads the loss at every step and the stability ratio where it was measured."""

    every_step = True

    def __init__(self) -> None:
        self.rates: list[float] = []  # learning rate times curvature, per reading
        self.largest = 0.0  # stability ratio of the first readings
        self.last_rate = math.inf  # learning rate when it was last compared
        self.ranks: list[float] = []  # effective ranks of the features before the last layer

    def on_reading(self, loop: Loop, name: str, value: float) -> None:
        """Store the readings of curvature and features."""
        if name == "effective rank":
            self.ranks.append(value)
        if name != "stability" or loop.main is None:
            return
        self.rates.append(value * reach(loop.main.optimizer))
        if loop.made <= 20:
            self.largest = max(self.largest, value)

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Look at the loss."""
        if owned is not loop.main or not loop.losses or not loop.first_losses:
            return
        if loop.made % 5 == 0 and loop.made >= 10:
            if len(loop.kinds) == 1:
                self._rises(loop)
                self._warm_up(loop, owned)
            self._collapse(loop, owned)
        if loop.made % 20 == 0:
            rising = owned.rate > 1.001 * self.last_rate  # a warm-up goes on
            self.last_rate = owned.rate
            if loop.made >= 60 and not rising:
                self._too_small(loop)

    def _rises(self, loop: Loop) -> None:
        """The median loss of the last steps is far above its earlier values."""
        if not loop.graphs or loop.graphs[-1].kind not in KNOWN:
            return
        now = statistics.median(loop.loss_values(10))
        ratio = max((r for _, r in loop.stability), default=0.0)
        # Beyond the limit the second loss may be far from the first; else batches differ.
        start = loop.first_losses[0] if ratio > 1 else statistics.median(loop.first_losses[:5])
        peak = max(loop.first_losses)
        # Twice the loss of the untrained network is no noise of a batch's median over 10 steps.
        stuck = loop.made >= 30 and peak > 3 * start and now > 0.97 * start and ratio > 1
        if not (now > 2 * start or stuck) or start <= 0 or not math.isfinite(now):
            if now < start:
                for cause in (TOO_LARGE, RISES):
                    loop.events.passes(cause, loop.step)
            return
        if ratio > 1:
            loop.events.drop(RISES)
            change = f"from {start:.3g} to {max(peak, now):.3g} and is {now:.3g} now"
            loop.events.say(loop.step, too_large(loop, change, ratio))
            loop.events.drop(WARM_UP)
        elif loop.events.find(TOO_LARGE) is None:
            loop.events.say(
                loop.step,
                found(
                    RISES,
                    "The loss rises",
                    Severity.MEDIUM,
                    f"The loss rose from {start:.3g} to {now:.3g} (median of 10 steps).",
                    "Lower the learning rate. If that does not help, check the sign of the "
                    "loss and the data of these steps.",
                ),
            )

    def _warm_up(self, loop: Loop, owned: Owned) -> None:
        first = owned.first_rate
        if loop.made > 100 or self.largest <= 1 or first < 0.5 * owned.largest_rate:
            return
        start, peak = loop.first_losses[0], max(loop.first_losses)
        now = statistics.median(loop.loss_values(10))
        if peak > 1.5 * start > 0 and now < peak and loop.events.find(TOO_LARGE) is None:
            loop.events.say(
                loop.step,
                found(
                    WARM_UP,
                    "The learning rate is too large for the first steps",
                    Severity.LOW,
                    f"The loss jumped from {start:.3g} to {peak:.3g} in the first steps. In "
                    f"these steps, learning rate times curvature is up to {self.largest:.3g} "
                    "times the stability limit of the optimizer.",
                    f"Start with a learning rate of {first / self.largest:.2g}, and raise it "
                    "to its full value over the first few hundred steps (warm-up).",
                    value=Reading(self.largest, self.largest, self.largest),
                    claims=EDGE,
                ),
            )

    def _collapse(self, loop: Loop, owned: Owned) -> None:
        """Nothing is learned, and the first steps at the full rate have made features alike."""
        first, at_once = self.ranks[:1], owned.first_rate >= 0.5 * owned.largest_rate > 0
        if loop.events.find(CHANCE) is None or not at_once or len(self.ranks) < 2:
            return
        if self.ranks[-1] < COLLAPSED * first[0] and loop.events.find(WARM_UP) is None:
            loop.events.say(
                loop.step,
                found(
                    WARM_UP,
                    "The learning rate is too large for the first steps",
                    Severity.MEDIUM,
                    "Nothing has been learned. The features before the last layer use "
                    f"{self.ranks[-1]:.2g} dimensions, but {first[0]:.2g} in the untrained "
                    f"network. The first steps at the full learning rate {owned.rate:.2g} have "
                    "made all inputs look alike.",
                    "Warm the learning rate up over the first hundred steps, or lower it.",
                    value=Reading(self.ranks[-1], self.ranks[-1], first[0]),
                ),
            )
            loop.events.explains(WARM_UP, CHANCE)

    def _too_small(self, loop: Loop) -> None:
        """Along the sharpest direction an error shrinks by 1 - eta lambda per step."""
        if not self.rates:
            return
        rate = statistics.median(self.rates[-5:])
        # Nobody knows how long the run will be: at least a thousand steps, or twice what it is.
        horizon = loop.planned or max(SHORT, 2 * loop.made)
        start = statistics.median(loop.first_losses[:10])
        now = statistics.median(loop.loss_values(50))
        slow = 0 < rate * horizon < 1  # not even the sharpest direction is learned by then
        if slow and now > 0.98 * start > 0:
            loop.events.say(
                loop.step,
                found(
                    TOO_SMALL,
                    "The learning rate is too small",
                    Severity.MEDIUM,
                    f"Learning rate times curvature is {rate:.2g}. Even along the sharpest "
                    f"direction, gradient descent needs {1 / rate:,.0f} steps to reduce an error "
                    f"to a third. After {loop.made} steps the loss is {now:.3g}; at the start it "
                    f"was {start:.3g}.",
                    f"Multiply the learning rate by {min(0.1 / rate, 1e6):.2g}.",
                    claims=EDGE,
                ),
            )
        elif now < 0.9 * start:
            loop.events.passes(TOO_SMALL, loop.step)


def too_large(loop: Loop, change: str, ratio: float) -> Finding:
    """The learning rate is above its limit, and the loss rises or does not fall."""
    rate = loop.main.rate if loop.main else math.nan
    return found(
        TOO_LARGE,
        "The learning rate is too large",
        Severity.HIGH,
        f"The loss went {change}, and learning rate times curvature is up to {ratio:.3g} "
        "times the stability limit of the optimizer.",
        f"Use a learning rate of at most {rate / ratio:.2g} (now {rate:.2g}), or warm up to "
        "the present rate.",
        value=Reading(ratio, ratio, ratio),
        claims=EDGE,
    )


class Spikes(Detector):
    """A loss far outside the range of the last hundred."""

    every_step = True

    def __init__(self) -> None:
        self.high = 0  # steps in a row far above
        self.quiet = 0  # steps in a row as usual
        self.usual = 0.0

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Compare the latest loss with the median and its spread."""
        if owned is not loop.main or len(loop.losses) < 60 or len(loop.kinds) > 1:
            return
        now = loop.losses[-1][1]
        if loop.made % 20 == 0:
            self.usual = statistics.median(loop.loss_values(100))
        if not self.high and not now > self.usual:  # the usual case, at no cost
            self.quiet += 1
            if self.quiet == 20:
                loop.events.passes(SPIKE, loop.step)
            return
        before = loop.loss_values(100)[:-5]
        if not math.isfinite(now):
            return
        middle = statistics.median(before)
        spread = 1.4826 * statistics.median([abs(v - middle) for v in before])
        # 10 standard deviations of a normal law, and twice the loss: also of heavy tails.
        if now > middle + 10 * spread and now > 2 * middle > 0:
            self.high, self.quiet = self.high + 1, 0
            loop.events.say(loop.step, self._spike(loop, now, middle))
        else:
            self.high, self.quiet = 0, self.quiet + 1
            if self.quiet == 20:
                loop.events.passes(SPIKE, loop.step)

    def _spike(self, loop: Loop, now: float, middle: float) -> Finding:
        ratio = loop.stability[-1][1] if loop.stability else math.nan
        edge = "" if math.isnan(ratio) else f" The last stability ratio was {ratio:.2g}."
        return found(
            SPIKE,
            "The loss spikes",
            Severity.MEDIUM if self.high >= 3 else Severity.LOW,
            f"The loss is {now:.3g}; the median over the steps before is {middle:.3g}.{edge}",
            "Look at the batch of this step. If spikes recur, clip the gradient or lower the "
            "learning rate.",
        )
