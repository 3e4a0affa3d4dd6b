r"""Symmetrisation.

For a class of functions and m i.i.d. samples,

.. math:: \mathbb E_S\sup_f\bigl(\mathbb Ef-\hat{\mathbb E}_Sf\bigr)\le2\,\mathcal R_m(\mathcal F).

A ghost sample replaces the expectation, exchanging the twins :math:`z_i,z_i'` brings in the signs,
and the two halves give the factor 2. Here everything is counted: all samples of a finite domain,
all signs.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 62, steps 3 to 5; Giné and Zinn
    (1984), "Some limit theorems for empirical processes".
:kind: bound
:cost: instant
:covers: rademacher-uniform-convergence, rademacher-complexity
:erratum: [typo] Steps 4 and 5 of the proof sketch lack the factor 1/m and the expectation over the
    signs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.generalization.rademacher import sign_vectors


class Given(NamedTuple):
    """A finite class on a finite domain, and all samples with equal probability."""

    values: Float[Tensor, "k z"]  # functions by their values on the domain
    samples: Int[Tensor, "s m"]

    def deviation(self) -> float:
        """The expected supremum of mean less sample mean."""
        seen = self.values[:, self.samples].mean(dim=2)  # k s
        return float((self.values.mean(dim=1)[:, None] - seen).amax(dim=0).mean())


@dataclass(frozen=True)
class Symmetrisation(Claim[Given]):
    """The expected supremum against twice the complexity, both exact."""

    m: int = option(6, low=1, high=7)  # samples
    z: int = option(3, low=2, high=4)  # points of the domain
    k: int = option(6, low=1, high=30)  # functions
    relation = at_most(ulps=64)  # sums of a few thousand rounded terms

    def given(self, rng: Generator) -> Given:
        """Functions with values 0 and 1 or between; all z^m samples."""
        values = torch.rand(self.k, self.z, generator=rng, dtype=torch.float64)
        return Given(values, _all_samples(self.z, self.m))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Independence: every tuple comes equally often."""
        z, m = given.values.shape[1], given.samples.shape[1]
        tuples = torch.unique(given.samples, dim=0)
        yield Hypothesis(
            "the samples are i.i.d. uniform",
            len(tuples) == z**m == len(given.samples),
            f"{len(tuples)} of {z**m} tuples occur",
        )

    def predict(self, given: Given) -> float:
        """Twice the complexity of an i.i.d. sample of this size."""
        z, m = given.values.shape[1], given.samples.shape[1]
        return 2 * _complexity(given.values, _all_samples(z, m))

    def measure(self, given: Given) -> float:
        """The expected supremum."""
        return given.deviation()

    def counterexample(self, rng: Generator) -> Given:
        """One point drawn and copied m times: no averaging takes place."""
        values = torch.eye(2, dtype=torch.float64)  # an indicator and its complement
        return Given(values, torch.arange(2)[:, None].expand(2, 7))

    def figure(self, given: Given) -> Figure:
        """Both sides over the size of the sample, for this class and for smaller ones."""
        z, m = given.values.shape[1], given.samples.shape[1]
        sizes = list(range(1, m + 1))
        marks = []
        for k in sorted({1, 2, len(given.values)}):
            own = k == len(given.values)
            part = [Given(given.values[:k], _all_samples(z, j)) for j in sizes]
            twice = [2 * _complexity(p.values, p.samples) for p in part]
            name = f"{k} function" + ("s" if k > 1 else "")
            if own:
                marks.append(Curve(twice, sizes, label=f"2 R_m, {name}", role="predicted"))
            marks.append(
                Points(
                    sizes,
                    [p.deviation() for p in part],
                    label=f"E sup, {name}",
                    role="measured" if own else "other",
                )
            )
        return Figure("Signs in place of the distribution", x="m", y="value", marks=tuple(marks))


def _all_samples(z: int, m: int) -> Tensor:
    place = torch.arange(z**m)[:, None]
    return place // z ** torch.arange(m) % z


def _complexity(values: Tensor, samples: Tensor) -> float:
    """The expected Rademacher complexity over all samples and all signs."""
    m = samples.shape[1]
    sums = torch.einsum("gm,ksm->gks", sign_vectors(m), values[:, samples])
    return float(sums.amax(dim=1).mean()) / m
