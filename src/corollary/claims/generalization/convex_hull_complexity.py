r"""Rademacher complexity is the same for the convex hull.

.. math:: \hat{\mathcal R}_S(\operatorname{conv}\mathcal F)=\hat{\mathcal R}_S(\mathcal F),\qquad
   \hat{\mathcal R}_S(\{f\})=0,\qquad \hat{\mathcal R}_S(\{-1,1\}^m)=1 .

A linear functional of the values is largest at an extreme point, so mixing functions adds nothing:
ensembles and infinitely wide averages are no richer than their members. Signed mixtures are: they
contain :math:`-f`.

:source: Lucchi (2025), Foundations of Deep Learning, Definition 29; Bartlett and Mendelson (2002),
    "Rademacher and Gaussian complexities: risk bounds and structural results", Theorem 12.
:kind: identity
:covers: rademacher-complexity
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Sample, Suppose, Trial, equals, normal, option, uniform
from corollary.core.picture import Curve, Figure, Histogram, Level, Points
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


def beyond(given: Given) -> Given:
    """Mixtures with weights 2 and -1 lie outside the convex hull."""
    w = torch.zeros_like(given.weights)
    w[:, 0], w[:, 1] = 2.0, -1.0
    return given._replace(weights=w)


class ConvexHullComplexity(Claim[Given]):
    m: int = option(9, low=2, high=12)  # points
    k: int = option(5, low=2, high=50)  # functions
    mixtures: int = option(300, low=1, high=2000)  # mixtures of them

    relation = equals(ulps=64)  # sums over all signs
    supposes = (
        Suppose("no weight is negative", lambda g: bool((g.weights >= 0).all()), without=beyond),
        Suppose(
            "the weights of a mixture sum to 1",
            lambda g: bool(((g.weights.sum(dim=1) - 1).abs() < 1e-9).all()),
            "The weights sum to 5, and five times a function fits random signs better.",
            weights=lambda g: 5 * g.weights,
        ),
    )
    symbols = "R_S(F)", "R_S(conv F)"

    def given(self, rng: Generator) -> Given:
        values = normal(rng, self.k, self.m)
        w = -uniform(rng, self.mixtures, self.k).clamp(min=1e-12).log()
        return Given(values, w / w.sum(dim=1, keepdim=True))

    def predict(self, given: Given) -> float:
        return rademacher_complexity(given.values)

    def measure(self, given: Given) -> Kept:
        hull = torch.cat([given.values, given.weights @ given.values])
        suprema = sign_suprema(hull, sign_vectors(hull.shape[1]))
        return Kept(suprema.mean(), suprema=suprema)

    def figure(self, trial: Trial[Given]) -> tuple[Figure, Figure]:
        marks = (
            Histogram(trial.kept.suprema, label="class and mixtures", bins=30),
            Level(trial.predicted, label=self.symbols[0], axis="x"),
            Level(float(trial.measured), label=self.symbols[1], role="other", axis="x"),
        )
        x, title = "sup (1/m) Σ σᵢ f(zᵢ)", "Correlation with random signs: class and convex hull"
        return Figure(title, x=x, y="density over signs", marks=marks), _growing(
            trial.given.values.shape[1]
        )


def _growing(m: int) -> Figure:
    """From one function to all labelings, exactly and by random signs."""
    rng = torch.Generator().manual_seed(0)
    every = sign_vectors(m)[torch.randperm(2**m, generator=rng)]
    sizes = [2**j for j in range(m + 1)]
    exact = [rademacher_complexity(every[:n]) for n in sizes]
    signs = [random_signs(400, m, rng=rng) for _ in sizes]
    draws = [Sample(sign_suprema(every[:n], s)) for n, s in zip(sizes, signs, strict=True)]
    reads = [s.read(0.99) for s in draws]
    low, high = [r.low for r in reads], [r.high for r in reads]
    label = "400 random signs, 99 % interval"
    marks = (
        Curve(exact, sizes, label="all signs", role="predicted"),
        Points(sizes, [r.value for r in reads], label=label, low=low, high=high),
        Level(1.0, label="everything is fitted", role="other"),
    )
    title, x = "From one sign pattern to all of them", "functions in the class"
    return Figure(title, x=x, y="R_S", log_x=True, marks=marks)
