r"""Gibbs' inequality.

For probability vectors :math:`y` and :math:`\nu`

.. math:: -\sum_jy_j\ln\nu_j\ \ge\ -\sum_jy_j\ln y_j=H(y),

with equality iff :math:`\nu=y`; the difference is :math:`\mathrm{KL}(y\|\nu)`. So a network trained
on soft targets with the cross-entropy is pulled to the targets themselves.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 5; Gibbs (1902), Elementary
    Principles in Statistical Mechanics.
:kind: bound
:cost: instant
:covers: soft-target-cross-entropy
:erratum: [missing hypothesis] The notes ask only that y lies in [0, 1]^m. For y = (0.1, 0.1) and
    nu = (0.5, 0.5) the left side is 0.139 and the right side 0.461: both must sum to 1.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_least, option


class Given(NamedTuple):
    """Targets and predictions, row by row."""

    y: Float[Tensor, "n k"]
    nu: Float[Tensor, "n k"]


class GibbsInequality(Claim[Given]):
    n: int = option(200, low=2)  # pairs
    k: int = option(4, low=2)  # outcomes
    relation = at_least(ulps=16)  # the first prediction equals its target

    def given(self, rng: Generator) -> Given:
        """Pairs of random laws; in the first pair they are equal."""
        draw = torch.rand(2, self.n, self.k, generator=rng, dtype=torch.float64, device=rng.device)
        weights = -draw.clamp(min=1e-300).log()  # exponential: uniform on the simplex
        y, nu = weights / weights.sum(-1, keepdim=True)
        nu[0] = y[0]
        return Given(y, nu)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Both are laws."""
        yield Hypothesis("y is a probability vector", _is_law(given.y))
        yield Hypothesis("ν is a probability vector", _is_law(given.nu))

    def predict(self, given: Given) -> list[float]:
        """Entropies."""
        return (-torch.xlogy(given.y, given.y).sum(1)).tolist()

    def measure(self, given: Given) -> list[float]:
        """Cross-entropies."""
        return (-torch.xlogy(given.y, given.nu).sum(1)).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The pair of the erratum."""
        pair = torch.tensor([[[0.1, 0.1]], [[0.5, 0.5]]], dtype=torch.float64, device=rng.device)
        return Given(*pair)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """One target and all predictions of two outcomes; and the drawn pairs."""
        y1 = float(given.y[0, 0] / given.y[0, :2].sum())
        y = torch.tensor([y1, 1 - y1], dtype=torch.float64)
        t = torch.linspace(0.005, 0.995, 199, dtype=torch.float64)
        cross = -(y[0] * t.log() + y[1] * (1 - t).log())
        valley = (
            Level(float(-torch.xlogy(y, y).sum()), label="H(y)"),
            Curve(cross, x=t, label="−Σ y ln ν"),
            Level(y1, label="ν₁ = y₁", axis="x", role="other"),
        )
        p, m = self.predict(given), self.measure(given)
        pairs = (
            Curve([0.0, max(p)], x=[0.0, max(p)], label="equality", role="predicted"),
            Points(p, m, label="drawn pairs"),
        )
        return (
            Figure("The best prediction is the target", x="ν₁", y="cross-entropy", marks=valley),
            Figure("Never below the entropy", x="H(y)", y="−Σ y ln ν", marks=pairs),
        )


def _is_law(p: Tensor) -> bool:
    return bool((p >= 0).all()) and bool(((p.sum(1) - 1).abs() < 1e-12).all())
