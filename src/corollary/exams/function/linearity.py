r"""How linear the network is.

At the midpoint of any two points, an affine function equals the mean of its two values. The
distance :math:`f(\tfrac{a+b}2)-\tfrac{f(a)+f(b)}2`, squared and relative to the spread of the
outputs, measures how nonlinear the network is; it is zero only for affine maps. If several layers
together are affine, they act as one layer: an activation was forgotten or has no effect. The exam
also gives the share of the variance of the outputs that the best affine map explains on samples it
was not fitted on.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.2.3, Theorem 11 (layers without
    activation collapse); Nakkiran et al. (2019), "SGD on neural networks learns functions of
    increasing complexity".
:kind: exam
:claims: linear_composition
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from corollary.core import Budget, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import affordable, trace_of
from corollary.exams.probes import Probe, pairs, probe_of, spread
from corollary.exams.readings import rounded
from corollary.exams.small_step import small_step
from corollary.theory.modules.trace import ACTIVATIONS, SATURATING
from corollary.theory.regularization.ridge import ridge

SAMPLES, PAIRS, FEW = 512, 128, 16
# Two zeros in a row, as of a zero head on a zero branch, take two steps to get away from; after
# ten the bending is a ten-thousandth of the spread, far above rounding.
STEPS = 10
PENALTIES = (1e-4, 1e-2, 1.0, 10.0, 100.0)  # times the features' mean square


class Linearity(Exam):
    """Nonlinearity between samples, and the best affine map."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Constant, affine or neither; and the share that an affine map explains."""
        probe = probe_of(subject, affordable(subject, budget, 3.0, SAMPLES))
        with subject.borrowed():
            y, bend = _measured(probe)
            if bend <= probe.rounding() ** 2 * float(y.square().sum(1).mean()):
                # A head or a branch that starts at zero is no fault: it is away from it soon.
                _stepped(subject)
                later, bend_later = _measured(probe)
                y, bend = (later, bend_later) if spread(later) > 0 else (y, bend)
        size, level = spread(y), probe.rounding() ** 2
        if size <= level * float(y.square().sum(1).mean()):
            yield self._constant(probe.n)
            return
        rounding = level * float(y.square().sum(1).mean()) / size
        yield self._bending(bend / size, rounding, subject)
        yield from self._explained(probe, y)

    def _constant(self, n: int) -> Finding:
        return self.finding(
            "The network gives every sample the same answer",
            severity=Severity.HIGH,
            meaning=f"The outputs of {n} different samples are equal. On these samples, the "
            "network is a constant function.",
            advice="Look for dead units, a multiplication by zero, or an input that is not used.",
        )

    def _bending(self, share: float, rounding: float, subject: Subject) -> Finding:
        layers = _weighted_layers(subject.model)
        affine = share <= rounding
        alarm = affine and layers > 1
        return self.finding(
            "All layers together are one affine map" if alarm else "Nonlinearity between samples",
            severity=Severity.MEDIUM if alarm else Severity.NONE,
            remedy=_remedy(subject) if alarm else "",
            quantity="distance between the output at a midpoint and the mean output",
            value=rounded(0.0 if affine else 100 * share),
            unit="% of the variance of the outputs",
            expected="above 0" if layers > 1 else "",
            meaning=f"The network has {layers} layers with weights, but on these samples it "
            "computes what a single linear layer could compute."
            if alarm
            else "The network is affine on the samples."
            if affine
            else "This is the difference between the output at the midpoint of two samples and "
            "the mean of their outputs.",
            advice="Put an activation between the layers. If there is already one, each of "
            "its units is always on or always off."
            if alarm
            else "",
            claims=("linear_composition",),
        )

    def _explained(self, probe: Probe, y: Tensor) -> Iterator[Finding]:
        n, d = probe.x.shape
        if n < 4 * (d + 1):
            return  # an affine map would be fitted on too few samples to be judged on others
        x = probe.x - probe.x.mean(0)
        features = torch.cat([x, x.new_ones(n, 1)], dim=1)
        half, last = n // 2, 3 * n // 4
        size = float(x.square().mean())
        maps = [ridge(features[:half], y[:half], penalty * size) for penalty in PENALTIES]
        best = min(maps, key=lambda map: _left(features[half:last] @ map, y[half:last]))
        left = _left(features[last:] @ best, y[last:])
        yield self.finding(
            "Share explained by an affine map",
            value=rounded(100 * max(0.0, 1 - left), 3),
            unit=f"% of the variance of the outputs on {n - last} samples",
            meaning="A single linear layer could reproduce this much of what the network computes.",
        )


def _remedy(subject: Subject) -> str:
    """The remedy to try: an activation where there is none, rectifiers, or new weights."""
    with subject.borrowed():
        ops = {call.op for call in trace_of(subject, FEW).calls}
    if not ops & set(ACTIVATIONS):
        return "activations"
    return "rectifiers" if ops & set(SATURATING) else "fresh start"


def _measured(probe: Probe) -> tuple[Tensor, float]:
    """Outputs at the samples, and the mean square deviation from linearity between them."""
    y = probe.values(probe.x)
    a, b = pairs(probe, min(PAIRS, 2 * probe.n), "linearity")
    ends = (probe.values(a) + probe.values(b)) / 2
    return y, float((probe.values((a + b) / 2) - ends).square().sum(1).mean())


def _stepped(subject: Subject) -> None:
    try:
        for _ in range(STEPS):
            small_step(subject, PAIRS)
    except NotApplicableError:
        return  # without targets there is no step to make


def _left(fitted: Tensor, y: Tensor) -> float:
    """The share of the variance that the fit leaves unexplained."""
    return float((y - fitted).square().sum(1).mean()) / max(spread(y), 1e-300)


def _weighted_layers(model: nn.Module) -> int:
    return sum(
        any(p.dim() > 1 for p in module.parameters(recurse=False)) for module in model.modules()
    )
