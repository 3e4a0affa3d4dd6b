r"""Norms of the layers.

Two numbers that bounds are based on. The product of the layers' largest slopes bounds how fast the
output can change with the input anywhere. For comparison, the largest slope between two samples is
shown. For fully connected ReLU networks the exam also gives the margin bound by Rademacher
complexity: with probability at least :math:`1-\delta`, for all networks with a product of Frobenius
norms up to B,

.. math:: P(\text{error})\le\frac1n\sum_i\ell_\gamma(m_i)+\frac{2c}\gamma\,
    \frac{(1+\sqrt{2L\log2})\,D\,B}{\sqrt n}+3\sqrt{\frac{\log(2/\delta')}{2n}},

:math:`\ell_\gamma` the ramp of the margin, D the length of the longest sample, c = 1 for two
classes and 2k for k. The norms and the best margin are known only after training, so B and
:math:`\gamma` are rounded to powers of two, and :math:`\delta'` pays for the choice among them. A
value above 1 says nothing. Practical networks usually have such values, and the finding says how
large they are.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.4; Golowich, Rakhlin and Shamir
    (2018), "Size-independent sample complexity of neural networks", Theorem 1; Mohri, Rostamizadeh
    and Talwalkar (2018), "Foundations of machine learning", Theorem 9.2; Bartlett, Foster and
    Telgarsky (2017), "Spectrally-normalized margin bounds for neural networks".
:kind: exam
:claims: deep_relu_complexity, ramp_loss_bound
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from corollary.core import Batch, Budget, Exam, Finding, Subject
from corollary.errors import NotApplicableError
from corollary.exams.chains import chain_of, dense_relu_matrices, lipschitz_constants
from corollary.exams.labelled_scores import margins_of, scores_of
from corollary.exams.readings import roughly, rounded
from corollary.theory.generalization.deep_relu import deep_relu_bound
from corollary.train.losses.ramp import ramp, ramp_bound

SAMPLES = 1024
PAIRS = 256  # samples whose slopes are compared
DELTA = 0.05
GRID = range(-40, 41)  # powers of two for the norms, and for the margin


class Bound(NamedTuple):
    """The smallest bound over the margins in the grid that half of the correct samples reach."""

    value: float
    gamma: float
    norms: float  # product, rounded up


class NormCapacity(Exam):
    """The spectral product, and the margin bound by Frobenius norms."""

    share = 2.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """One finding for each bound."""
        batch = subject.data(SAMPLES)
        with subject.borrowed(), torch.no_grad():
            chain = chain_of(subject, batch.first(2))
            slopes = lipschitz_constants(chain, subject.seed)
            yield self._slopes(slopes, _seen(subject, batch.first(PAIRS)))
            try:
                matrices, biased = dense_relu_matrices(chain)
                scores, labels = scores_of(subject, batch)
            except NotApplicableError:  # the slopes are all that can be said
                return
        radius = math.hypot(_radius(batch), 1.0) if biased else _radius(batch)
        yield self._bound(_bound(matrices, scores.cpu().double(), labels.cpu(), radius), batch.size)

    def _slopes(self, slopes: list[tuple[str, float]], seen: float) -> Finding:
        product = math.prod(s for _, s in slopes)
        steep = max(slopes, key=lambda pair: pair[1])
        return self.finding(
            "Lipschitz bound from the norms of the layers",
            quantity="product of the layers' largest slopes",
            value=rounded(product),
            expected=f"at least {seen:.2g}, the largest slope between two samples",
            meaning=f"The bound is {roughly(product / seen)} times the largest slope between "
            f"two samples. Layer {steep[0] or '(model)'} contributes the largest "
            f"factor, {steep[1]:.2g}."
            if seen > 0
            else "The output is the same for all samples.",
            claims=("deep_relu_complexity",),
            details={"product": product, "seen": seen} | {k or "(model)": s for k, s in slopes},
        )

    def _bound(self, found: Bound, n: int) -> Finding:
        vacuous = found.value >= 1
        return self.finding(
            "Margin bound from the norms of the layers",
            quantity="bound on the error rate",
            value=rounded(found.value),
            unit=f"(from {n} samples)",
            expected="below 1",
            meaning=f"Vacuous: the bound is {roughly(found.value)} times the trivial bound of "
            "1; the norms of the layers are too large for so few samples."
            if vacuous
            else f"With probability {1 - DELTA:g}, the error rate on new samples of the same "
            "kind is at most this bound.",
            claims=("deep_relu_complexity", "ramp_loss_bound"),
            details={"gamma": found.gamma, "norms": found.norms, "delta": DELTA},
        )


def _seen(subject: Subject, batch: Batch) -> float:
    """The largest slope between two samples."""
    x = batch.tensors()[0].detach().cpu().double().flatten(1)
    y = subject.output(batch).detach().cpu().double().flatten(1)
    apart = torch.pdist(x)
    slopes = torch.pdist(y)[apart > 0] / apart[apart > 0]
    return float(slopes.max()) if len(slopes) else 0.0


def _radius(batch: Batch) -> float:
    return float(batch.tensors()[0].detach().cpu().double().flatten(1).norm(dim=1).max())


def _bound(matrices: list[Tensor], scores: Tensor, labels: Tensor, radius: float) -> Bound:
    *hidden, last = matrices
    if scores.dim() == 2 and scores.shape[1] == 2:  # two classes: their difference decides
        scores, last, labels = scores[:, 1] - scores[:, 0], last[1:2] - last[:1], 2 * labels - 1
    k = 1 if scores.dim() == 1 else scores.shape[1]
    L, n = len(matrices), len(scores)
    norms = math.prod(float(W.norm()) for W in (*hidden, last))
    if not 0 < norms < 2.0 ** GRID[-1]:
        raise NotApplicableError(f"the product of the norms is {norms:g}, too large for any bound")
    B = 2.0 ** math.ceil(math.log2(norms))
    R = deep_relu_bound([B ** (1 / L)] * L, L, n, radius=radius, version="golowich")
    delta = DELTA / len(GRID) ** 2  # for the choice of B and of the margin
    margin = margins_of(scores, labels)
    factor = 1 if k == 1 else 2 * k

    def loss(gamma: float) -> float:
        return float(ramp(margin, gamma=gamma).mean())

    # A margin beyond those of the samples would give a bound a little above 1 to any network.
    most = (1 + float((margin <= 0).cpu().double().mean())) / 2
    gammas = [2.0**j for j in GRID if loss(2.0**j) <= most]
    if not gammas:
        raise NotApplicableError("no sample has a positive margin, so no bound can be computed")
    values = {gamma: ramp_bound(loss(gamma), factor * R, n, delta, gamma=gamma) for gamma in gammas}
    best = min(gammas, key=values.__getitem__)
    return Bound(values[best], best, B)
