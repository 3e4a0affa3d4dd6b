r"""Flatness.

The exam measures how much noise on the weights changes the answers. Each weight is multiplied by
:math:`1+\sigma\xi` with normal :math:`\xi`: noise relative to the weight does not change when a
unit of a ReLU network is scaled up and the next layer down, and so measures the function. The
largest curvature of the loss is not invariant: the same function can have any curvature, as the
numbers for one rescaling of two layers show here. So curvature alone guarantees nothing. A network
that tolerates noise, however, has a posterior around it with a small divergence from the prior.
Noise as small as the rounding of a bfloat16 number should change hardly any answer; if it changes
many, large weights cancel each other.

:source: Dinh, Pascanu, Bengio and Bengio (2017), "Sharp minima can generalize for deep nets",
    Section 4; Kwon, Kim, Park and Choi (2021), "ASAM: adaptive sharpness-aware minimization";
    Jiang, Neyshabur, Mobahi, Krishnan and Bengio (2020), "Fantastic generalization measures".
:kind: exam
:cost: seconds
:claims: pac_bayes_theorem, posterior_divergence
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from corollary.core import (
    Band,
    Batch,
    Budget,
    Curve,
    Evidence,
    Exam,
    Figure,
    Finding,
    Severity,
    Subject,
)
from corollary.core.numbers import short
from corollary.errors import CorollaryError, NotApplicableError
from corollary.exams.chains import chain_of, dense_relu_matrices
from corollary.exams.landscapes import affordable
from corollary.exams.readings import between, roughly, rounded
from corollary.exams.risks import predicted
from corollary.exams.trained import need_trained
from corollary.theory.landscape.curvature import extreme_eigenvalues
from corollary.train.loss_landscape import landscape_of, need_real_parameters

SAMPLES, DRAWS = 128, 6
ROUNDING = 2.0**-8 / 3**0.5  # standard deviation of bfloat16's relative rounding, at most
LEVELS = (ROUNDING, 0.01, 0.03, 0.1, 0.3)
# A tenth of the answers. Networks at the start and after training, of two to ten layers, have 1 %
# of their answers changed by rounding noise, and a tenth of them by noise of 3 to 30 %.
CHANGED = 0.1
MOVED = 4.0  # factor by which weights are moved from one layer to the next
PASSES = 120  # two Lanczos runs


class Flatness(Exam):
    """Answers under relative noise on the weights, and how curvature depends on scaling."""

    share = 4.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The noise that changes a tenth of the answers; for ReLU chains also the curvature."""
        need_real_parameters(subject)
        need_trained(subject)
        passes = len(LEVELS) * DRAWS / 2  # without a backward pass
        batch = subject.data(affordable(subject, budget, passes, SAMPLES))
        with subject.borrowed(), torch.no_grad():
            changes = [_changes(subject, batch, level) for level in LEVELS]
        yield self._noise(changes, batch)
        yield from self._curvature(subject, budget)

    def _noise(self, changes: list[list[float]], batch: Batch) -> Finding:
        means = [sum(c) / len(c) for c in changes]
        brittle = min(changes[0]) > CHANGED
        classes = isinstance(batch.target, Tensor) and not batch.target.is_floating_point()
        return self.finding(
            "Rounding the weights changes the answers"
            if brittle
            else "Effect of rounding noise on the answers",
            severity=Severity.MEDIUM if brittle else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            quantity="answers that change" if classes else "change of the outputs",
            value=between(100 * means[0], 100 * min(changes[0]), 100 * max(changes[0])),
            unit=f"% with noise of {100 * ROUNDING:.1g} % on each weight"
            if classes
            else f"% of the spread of the outputs with noise of {100 * ROUNDING:.1g} % on "
            "each weight",
            expected=f"below {100 * CHANGED:g} %",
            meaning="Noise as small as the rounding error of bfloat16 changes the answers. This "
            "happens if large weights cancel each other."
            if brittle
            else _bears(means),
            advice="Look for large weights that cancel each other, add weight decay or "
            "normalisation, and do not use half precision."
            if brittle
            else "",
            claims=("pac_bayes_theorem",),
            figures=(_figure(changes),),
        )

    def _curvature(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Curvature before and after a rescaling that does not change the function."""
        try:
            n = affordable(subject, budget, PASSES, SAMPLES)
            with subject.borrowed():
                dense = _two_dense(subject)
                before = _sharpest(subject, n)
                with torch.no_grad():
                    first, second = dense
                    first.weight.mul_(MOVED)
                    if first.bias is not None:
                        first.bias.mul_(MOVED)
                    second.weight.div_(MOVED)
                after = _sharpest(subject, n)
        except CorollaryError:
            return  # not a chain of dense layers and rectifiers, or no loss
        other = short(rounded(after).value)
        yield self.finding(
            "The largest curvature depends on the parametrisation",
            quantity="largest eigenvalue",
            value=rounded(before),
            unit=f"({other} for the same function with rescaled weights)",
            meaning=f"If a factor of {roughly(MOVED)} is moved from the second layer to the first, "
            "the curvature changes, but no output changes. So a flat or a sharp minimum by "
            "itself says nothing about new samples.",
            details={"before": before, "after": after},
        )


def _changes(subject: Subject, batch: Batch, level: float) -> list[float]:
    """Share of answers that noise changes, one number per draw."""
    rng = subject.rng("flatness", f"{level:g}")
    parameters = list(subject.parameters().values())
    start = [p.detach().clone() for p in parameters]
    answer, found = subject.output(batch), []
    for _ in range(DRAWS):
        for p, p0 in zip(parameters, start, strict=True):
            p.copy_(p0 * (1 + level * torch.randn(p0.shape, generator=rng).to(p0)))
        found.append(_difference(answer, subject.output(batch), batch.target))
    for p, p0 in zip(parameters, start, strict=True):
        p.copy_(p0)
    return found


def _difference(a: Tensor, b: Tensor, target: object) -> float:
    """The share of answers that differ; in regression, the change relative to the spread."""
    if isinstance(target, Tensor) and not target.is_floating_point():
        try:
            return float((predicted(a, target) != predicted(b, target)).cpu().double().mean())
        except NotApplicableError:
            pass
    a, b = (t.detach().to(torch.complex128 if t.is_complex() else torch.float64) for t in (a, b))
    if a.dim() == 0:
        raise NotApplicableError("the output is a single number for the whole batch")
    spread = float((a - a.mean(0)).abs().square().mean())
    moved = float((a - b).abs().square().mean())
    return min(1.0, (moved / spread) ** 0.5) if spread > 0 else 0.0


def _bears(means: list[float]) -> str:
    broken = [level for level, mean in zip(LEVELS, means, strict=True) if mean > CHANGED]
    if not broken:
        return f"Noise of {100 * LEVELS[-1]:g} % on each weight changes hardly any answers."
    level = f"{100 * broken[0]:.2g} %"
    return f"A tenth of the answers change when noise of about {level} is added to each weight."


def _two_dense(subject: Subject) -> tuple[nn.Linear, nn.Linear]:
    chain = chain_of(subject, subject.data(2))
    dense_relu_matrices(chain)
    dense = [link.layer for link in chain if isinstance(link.layer, nn.Linear)]
    if len(dense) < 2 or len({id(layer.weight) for layer in dense}) < len(dense):
        raise NotApplicableError("the network has fewer than two layers that can be rescaled")
    return dense[0], dense[1]


def _sharpest(subject: Subject, n: int) -> float:
    ends = extreme_eigenvalues(landscape_of(subject, n), rtol=0.2, rng=subject.rng("flatness"))
    return ends.largest.value


def _figure(changes: list[list[float]]) -> Figure:
    x = [100 * level for level in LEVELS]
    means = [100 * sum(c) / len(c) for c in changes]
    low, high = ([100 * end(c) for c in changes] for end in (min, max))
    marks = (
        Band(x, low, high, label="from draw to draw"),
        Curve(means, x, label="answers changed"),
    )
    return Figure(
        "Noise on the weights",
        x="noise, % of each weight",
        y="% of the answers",
        log_x=True,
        marks=marks,
    )
