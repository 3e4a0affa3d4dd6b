r"""Fourth moment of a random layer.

For :math:`W\in\mathbb R^{d\times d}` with independent centred entries of variance
:math:`\sigma^2` and kurtosis :math:`\kappa=\mathbb Ew^4/\sigma^4`, and :math:`\xi` independent of
:math:`W`,

.. math:: \mathbb E\|W\xi\|_2^4=d(d+2)\sigma^4\|\xi\|_2^4+(\kappa-3)\,d\,\sigma^4\|\xi\|_4^4 .

Measured for four laws, in units of :math:`d^2\sigma^4\|\xi\|_2^4`, with a :math:`\xi` that has one
large entry, so that the kurtosis shows.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2, Lemma 50 and (6.46).
:kind: identity
:covers: random-matrix-fourth-moment
:erratum: [missing hypothesis] Lemma 50 takes an arbitrary random vector xi; it must be independent
    of W. If xi is the leading right singular vector of W, the mean is more than twice as large: the
    counterexample. In the proof of (6.40) factors and brackets are missing; the result is right.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, mean_is, option, within_interval
from corollary.theory.landscape.random_products import KURTOSIS, entries, fourth_moment

LAWS = sorted(KURTOSIS, key=KURTOSIS.__getitem__)


class Given(NamedTuple):
    W: Float[Tensor, "laws draws d d"]
    xi: Float[Tensor, "laws draws d"]


class RandomFourthMoment(Claim[Given]):
    d: int = option(4, low=2, high=30)  # size of W
    draws: int = option(8000, low=2000, high=100_000)  # independent matrices

    relation = within_interval(level=0.999999, resolution=0.4)  # chance: one seed in a million
    supposes = (
        Suppose(
            "ξ is fixed before W is drawn",
            lambda g: (g.xi == g.xi[0, 0]).all(),
            "If ξ is the direction that W stretches most, the mean is larger.",
            xi=lambda g: torch.linalg.eigh(g.W.mT @ g.W).eigenvectors[..., -1],
        ),
        Suppose(
            "the entries have mean zero",
            lambda g: mean_is(g.W),
            "If the entries have a mean, ξ is stretched more.",
            W=lambda g: g.W + 0.5,
        ),
    )
    symbols = "formula", "E‖Wξ‖⁴ / (d²σ⁴‖ξ‖⁴)"
    rows = tuple(LAWS)
    kurtosis = [KURTOSIS[law] for law in LAWS]
    shows = Along("The fourth moment depends on the kurtosis", x="kurtosis κ", at="kurtosis")

    def given(self, rng: Generator) -> Given:
        """One vector for all draws, of length 1, with an entry twice as large as the others."""
        xi = torch.ones(self.d, dtype=torch.float64)
        xi[0] = 2.0
        W = [entries(law, (self.draws, self.d, self.d), 1.0, rng=rng) for law in LAWS]
        return Given(torch.stack(W), (xi / xi.norm()).expand(len(LAWS), self.draws, self.d))

    def predict(self, given: Given) -> list[float]:
        return [fourth_moment(given.xi[0, 0], 1.0, k) / self.d**2 for k in self.kurtosis]

    def measure(self, given: Given) -> list[Sample]:
        stretched = torch.einsum("lnij,lnj->lni", *given).square().sum(dim=2)
        return [Sample(row.square() / self.d**2) for row in stretched]
