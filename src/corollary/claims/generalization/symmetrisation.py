r"""Symmetrisation.

For a class of functions and m i.i.d. samples,

.. math:: \mathbb E_S\sup_f\bigl(\mathbb Ef-\hat{\mathbb E}_Sf\bigr)\le2\,\mathcal R_m(\mathcal F).

A ghost sample replaces the expectation, exchanging the twins :math:`z_i,z_i'` brings in the signs,
and the two halves give the factor 2. Here everything is counted: all samples of a finite domain,
all signs.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 62, steps 3 to 5; Giné and Zinn
    (1984), "Some limit theorems for empirical processes".
:kind: bound
:uses: empirical_risk
:covers: rademacher-complexity
:erratum: [typo] Steps 4 and 5 of the proof sketch lack the factor 1/m and the expectation over the
    signs.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, at_most, option, uniform
from corollary.core.picture import Curve, Marks, Points, Role, picture
from corollary.theory.generalization.rademacher import sign_vectors


class Given(NamedTuple):
    values: Float[Tensor, "k z"]  # functions by their values on the domain
    samples: Int[Tensor, "s m"]  # all samples, with equal probability


def are_all_samples(given: Given) -> tuple[bool, str]:
    """Independence: every tuple occurs equally often."""
    full = given.values.shape[1] ** given.samples.shape[1]
    count = len(torch.unique(given.samples, dim=0))
    return count == full == len(given.samples), f"{count} of {full} tuples occur"


def all_samples(z: int, m: int) -> Tensor:
    """The z^m tuples of m points."""
    return torch.arange(z**m)[:, None] // z ** torch.arange(m) % z


class Symmetrisation(Claim[Given]):
    m: int = option(6, low=1, high=7)  # samples
    z: int = option(3, low=2, high=4)  # points of the domain
    k: int = option(6, low=1, high=30)  # functions

    relation = at_most(ulps=64)  # sums of a few thousand rounded terms
    supposes = Suppose(
        "the samples are i.i.d. uniform",
        are_all_samples,
        "One of two points is drawn and copied seven times, so nothing is averaged.",
        values=lambda _: torch.eye(2, dtype=torch.float64),
        samples=lambda _: torch.arange(2)[:, None].expand(2, 7),
    )
    symbols = "2 R_m(F)", "E sup (E f − sample mean)"

    def given(self, rng: Generator) -> Given:
        return Given(uniform(rng, self.k, self.z), all_samples(self.z, self.m))

    def predict(self, given: Given) -> float:
        samples = all_samples(given.values.shape[1], given.samples.shape[1])
        signs = sign_vectors(samples.shape[1])
        sums = torch.einsum("gm,ksm->gks", signs, given.values[:, samples])
        return 2 * float(sums.amax(dim=1).mean()) / samples.shape[1]

    def measure(self, given: Given) -> float:
        seen = given.values[:, given.samples].mean(dim=2)  # k s
        return float((given.values.mean(dim=1)[:, None] - seen).amax(dim=0).mean())

    def tight(self) -> Given:
        """A function and its negation on two points, one sample: half of the bound."""
        return Given(torch.eye(2, dtype=torch.float64), all_samples(2, 1))

    @picture("Symmetrisation: both sides of the inequality", x="m", y="value")
    def marks(self, trial: Trial[Given]) -> Marks:
        values, sizes = trial.given.values, range(1, trial.given.samples.shape[1] + 1)
        for k in sorted({1, 2, len(values)}):
            part = [Given(values[:k], all_samples(values.shape[1], m)) for m in sizes]
            name, own = f"{k} function" + "s" * (k > 1), k == len(values)
            if own:
                twice = [self.predict(p) for p in part]
                yield Curve(twice, sizes, label=f"2 R_m, {name}", role="predicted")
            found = [self.measure(p) for p in part]
            role: Role = "measured" if own else "other"
            yield Points(sizes, found, label=f"E sup, {name}", role=role)
