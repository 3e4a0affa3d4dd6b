r"""Periodic targets.

Angles, hours and weekdays are periodic: 359 degrees are next to 0 degrees, but as numbers they are
the farthest apart. Near this seam similar inputs have the smallest and the largest number as
targets, and a squared error leads to the middle, the opposite direction. The network therefore
predicts the middle more often for samples at both ends of the range than for samples a tenth of the
range away from the ends. A target without a seam does not show this. The run is repeated with the
cosine and the sine of the target, :math:`2\pi (y - \min) / (\max - \min)`, as two outputs, and
errors are counted around the circle.

:source: Mardia and Jupp (2000), Directional Statistics, Section 2.2, on means of angles.
:kind: exam
:cost: seconds
"""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.aftermath import Aftermath, aftermath_of
from corollary.exams.network_changes import last_in_training
from corollary.exams.readings import rounded
from corollary.exams.rewiring import hooked
from corollary.exams.runs import trained
from corollary.exams.trial_run import TrialRun, trial_run_of

LEAST = 100  # samples: tenths of the range have ten each
TENTH, MIDDLE = 0.1, 0.25  # of the range: its ends, and what is cut off on each side of the middle
SIGMAS = 3.3  # of the difference of two shares: by chance once in two thousand
WRONG = 0.05  # of the variance: with less there is nothing to explain
HALF = 0.5  # of the squared errors around the circle


class PeriodicTargets(Exam):
    """Tests whether both ends of the range of targets are next to each other."""

    share = 2.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The exam is for one real number as target, after the trial run."""
        y = subject.all_labelled().target
        one = isinstance(y, Tensor) and y.is_floating_point() and y.numel() == len(y) >= LEAST
        if not one:
            raise NotApplicableError(
                f"this exam needs at least {LEAST} samples with one real target each"
            )
        layer = _last_layer(subject)
        trial = trial_run_of(subject, budget)
        risk, after = trial.run.risk, trial.aftermath
        if risk is None or risk.value < WRONG or after.output is None or after.target is None:
            yield self._fine("The network predicts the targets well enough.")
            return
        low, high = float(y.min()), float(y.max())
        ends, next_to = shares_in_the_middle(after.output, after.target, low, high)
        if not _more(ends, next_to):
            yield self._fine(
                "For targets at the ends of the range, the predictions are not in the middle of "
                "the range."
            )
            return
        own = circular_error(after, low, high)
        turned = circular_error(_with_circle(trial, layer, low, high), low, high)
        if not turned < HALF * own:
            yield self._fine("Training on cosine and sine instead does not help.")
            return
        yield self.finding(
            "The target is periodic, but is fitted as a plain number",
            severity=Severity.MEDIUM,
            evidence=Evidence.CONFIRMED,
            quantity="targets near the ends of the range for which the network predicts the middle",
            value=rounded(100 * ends[0]),
            unit=f"% ({100 * next_to[0]:.0f} % for targets a tenth of the range further inside)",
            expected="not more than for targets further inside the range",
            meaning=f"Targets go from {low:.3g} to {high:.3g}, and similar inputs have targets at "
            "both ends, like angles or hours of the day. The network then predicts the "
            f"mean of the two ends, which is the opposite angle. After {trial.steps} steps, "
            f"the squared error around the circle is {own:.2g} of the variance. With cosine "
            f"and sine as targets, this error is {turned:.2g}.",
            advice="Predict the cosine and the sine of the angle with two outputs, and compute "
            "the angle with atan2. Or use a loss that depends on the difference of the "
            "angles, such as 1 - cos(output - target).",
            change="- y = angle\n+ y = torch.stack([angle.cos(), angle.sin()], 1)",
            explains=("trainability/*", "learning/*", "generalization/*", "function/*"),
        )

    def _fine(self, why: str) -> Finding:
        return self.finding("No sign of periodic targets", meaning=why)


def shares_in_the_middle(
    output: Tensor, target: Tensor, low: float, high: float
) -> tuple[tuple[float, int], tuple[float, int]]:
    """How often the middle is predicted, at the ends and near them: (share, number of samples).

    Example:
        >>> y = torch.linspace(0, 1, 11)
        >>> shares_in_the_middle(torch.full((11,), 0.5), y, 0.0, 1.0)[0]
        (1.0, 4)
    """
    place = (target.cpu().double().flatten() - low) / (high - low)
    answer = (output.cpu().double().flatten() - low) / (high - low)
    from_end = torch.minimum(place, 1 - place)
    middle = (answer > MIDDLE) & (answer < 1 - MIDDLE)
    zones = from_end <= TENTH + 1e-6, (from_end > TENTH + 1e-6) & (from_end <= 2 * TENTH)
    first, second = (
        (float(middle[z].cpu().double().mean()) if bool(z.any()) else 0.0, int(z.sum()))
        for z in zones
    )
    return first, second


def _more(ends: tuple[float, int], next_to: tuple[float, int]) -> bool:
    """Whether the first share is larger, by a test of two proportions."""
    (p, n), (q, m) = ends, next_to
    if min(n, m) < LEAST * TENTH / 2:
        return False
    pooled = (p * n + q * m) / (n + m)
    deviation = math.sqrt(max(pooled * (1 - pooled), 1e-12) * (1 / n + 1 / m))
    return p - q > SIGMAS * deviation


def circular_error(after: Aftermath, low: float, high: float) -> float:
    """Mean squared distance around a circle of the range, over the variance of the targets."""
    if after.output is None or after.target is None:
        return math.inf
    y = after.target.cpu().double().flatten()
    gap = (after.output.cpu().double().flatten() - y) / (high - low)
    around = (gap - gap.round()) * (high - low)
    error = float(around.square().mean() / y.var())
    return error if math.isfinite(error) else math.inf


def _last_layer(subject: Subject) -> nn.Linear:
    _, last = last_in_training(subject)
    if last is None or not isinstance(last.module, nn.Linear) or last.module.out_features != 1:
        raise NotApplicableError("the last layer is not a linear layer with one unit")
    return last.module


def _with_circle(trial: TrialRun, layer: nn.Linear, low: float, high: float) -> Aftermath:
    """What the network answers after the same run with cosine and sine as targets."""
    subject, scale = trial.subject, 2 * math.pi / (high - low)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        head = nn.Linear(layer.in_features, 2).to(layer.weight)

    def loss(raw: object, target: Tensor) -> Tensor:
        output = subject.pick(raw)
        angle = scale * (target.reshape(len(target)).to(output) - low)
        if output.numel() == len(target):  # the angle itself, where no gradient is asked for
            return (output.flatten() - target.flatten()).square().mean()
        pair = torch.stack([angle.cos(), angle.sin()], 1)
        return (output.reshape(pair.shape) - pair).square().mean()

    def both(_module: nn.Module, inputs: Any, output: Tensor) -> Tensor:
        pair: Tensor = head(inputs[0])
        if torch.is_grad_enabled():
            return pair
        angle = torch.atan2(pair[..., 1:], pair[..., :1]) % (2 * math.pi)
        return (low + angle / scale).to(output)

    optimizer, _ = subject.recipe.twin()
    optimizer.add_param_group({"params": list(head.parameters())})
    data = subject.all_labelled()
    with subject.borrowed(train=True), hooked(layer, both):
        trained(subject, data, trial.steps, trial.batch_size, loss=loss, optimizer=optimizer)
        return aftermath_of(subject, data)
