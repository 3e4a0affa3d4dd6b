r"""Rademacher complexity does not see the convex hull.

.. math:: \hat{\mathcal R}_S(\operatorname{conv}\mathcal F)=\hat{\mathcal R}_S(\mathcal F),\qquad
   \hat{\mathcal R}_S(\{f\})=0,\qquad \hat{\mathcal R}_S(\{-1,1\}^m)=1 .

A linear functional of the values is largest at an extreme point, so mixing functions adds nothing:
ensembles and infinitely wide averages are no richer than their members. Signed mixtures are: they
contain :math:`-f`.

:source: Lucchi (2025), Foundations of Deep Learning, Definition 29; Bartlett and Mendelson (2002),
    "Rademacher and Gaussian complexities: risk bounds and structural results", Theorem 12.
:kind: identity
:cost: instant
:covers: rademacher-complexity
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Histogram,
    Hypothesis,
    Level,
    Points,
    equals,
    option,
)
from corollary.theory.generalization.rademacher import (
    rademacher_complexity,
    random_signs,
    sign_suprema,
    sign_vectors,
)


class Given(NamedTuple):
    """A finite class by its values, and weights of mixtures, a row each."""

    values: Float[Tensor, "k m"]
    weights: Float[Tensor, "q k"]

    def hull(self) -> Float[Tensor, "c m"]:
        """The class with its mixtures."""
        return torch.cat([self.values, self.weights @ self.values])


@dataclass(frozen=True)
class ConvexHullComplexity(Claim[Given]):
    """The complexity of a class with many of its mixtures."""

    m: int = option(9, low=2, high=12)  # points
    k: int = option(5, low=2, high=50)  # functions
    mixtures: int = option(300, low=1, high=2000)  # mixtures of them
    relation = equals(ulps=64)  # sums over all signs

    def given(self, rng: Generator) -> Given:
        """Random values, and weights from the simplex."""
        values = torch.randn(self.k, self.m, generator=rng, dtype=torch.float64)
        cuts = torch.rand(self.mixtures, self.k, generator=rng, dtype=torch.float64)
        w = -cuts.clamp(min=1e-12).log()
        return Given(values, w / w.sum(dim=1, keepdim=True))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Weights of a mixture."""
        w = given.weights
        yield Hypothesis("no weight is negative", bool((w >= 0).all()), f"least {w.min():.3g}")
        total = float((w.sum(dim=1) - 1).abs().max())
        yield Hypothesis("the weights of a mixture sum to 1", total < 1e-9)

    def predict(self, given: Given) -> float:
        """The complexity of the class itself."""
        return rademacher_complexity(given.values)

    def measure(self, given: Given) -> float:
        """That of the class with its mixtures."""
        return rademacher_complexity(given.hull())

    def counterexample(self, rng: Generator) -> Given:
        """Weights 2 and -1: points beyond the hull."""
        values, w = self.given(rng)
        w = torch.zeros_like(w)
        w[:, 0], w[:, 1] = 2.0, -1.0
        return Given(values, w)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Suprema sign by sign; and the complexity as functions are added."""
        signs = sign_vectors(given.values.shape[1])
        own, hull = (sign_suprema(v, signs) for v in (given.values, given.hull()))
        bars = Figure(
            "How well random signs are fitted",
            x="sup (1/m) Σ σᵢ f(zᵢ)",
            y="density over signs",
            marks=(
                Histogram(hull, label="class and mixtures", bins=30),
                Level(float(own.mean()), label="R_S(F)", axis="x"),
                Level(float(hull.mean()), label="R_S(conv F)", role="other", axis="x"),
            ),
        )
        return bars, _growing(given)


def _growing(given: Given) -> Figure:
    """From one function to all labelings, exactly and by random signs."""
    m = given.values.shape[1]
    rng = torch.Generator().manual_seed(0)
    every = sign_vectors(m)[torch.randperm(2**m, generator=rng)]
    sizes = [2**j for j in range(m + 1)]
    exact = [rademacher_complexity(every[:n]) for n in sizes]
    draws = [sign_suprema(every[:n], random_signs(400, m, rng=rng)) for n in sizes]
    mean, half = [float(d.mean()) for d in draws], [2.6 * float(d.std()) / 20 for d in draws]
    return Figure(
        "From one sign pattern to all of them",
        x="functions in the class",
        y="R_S",
        log_x=True,
        marks=(
            Curve(exact, sizes, label="all signs", role="predicted"),
            Points(sizes, mean, label="400 random signs, 99 % interval",
                   low=[a - h for a, h in zip(mean, half, strict=True)],
                   high=[a + h for a, h in zip(mean, half, strict=True)]),
            Level(1.0, label="everything is fitted", role="other"),
        ),
    )  # fmt: skip
