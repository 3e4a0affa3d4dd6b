r"""Fourth moment of a random layer.

For :math:`W\in\mathbb R^{d\times d}` with independent centred entries of variance
:math:`\sigma^2` and kurtosis :math:`\kappa=\mathbb Ew^4/\sigma^4`, and :math:`\xi` independent of
:math:`W`,

.. math:: \mathbb E\|W\xi\|_2^4=d(d+2)\sigma^4\|\xi\|_2^4+(\kappa-3)\,d\,\sigma^4\|\xi\|_4^4 .

Measured for four laws, in units of :math:`d^2\sigma^4\|\xi\|_2^4`, with a :math:`\xi` that has one
large entry, so that the kurtosis shows.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2, Lemma 50 and (6.46).
:kind: identity
:cost: instant
:covers: random-matrix-fourth-moment
:erratum: [missing hypothesis] Lemma 50 takes an arbitrary random vector xi; it must be independent
    of W. If xi is the leading right singular vector of W, the mean is more than twice as large: the
    counterexample. In the proof of (6.40) factors and brackets are missing; the result is right.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, option, within_interval
from corollary.theory.landscape.random_products import KURTOSIS, entries, fourth_moment


class Given(NamedTuple):
    """Draws of W for every law, and the vector each of them is applied to."""

    W: dict[str, Float[Tensor, "draws d d"]]
    xi: dict[str, Float[Tensor, "draws d"]]


class RandomFourthMoment(Claim[Given]):
    d: int = option(4, low=2, high=30)  # size of W
    draws: int = option(8000, low=2000, high=100_000)  # independent matrices
    relation = within_interval(level=0.999999, resolution=0.4)  # chance: one seed in a million

    def given(self, rng: Generator) -> Given:
        """One vector for all draws, of length 1, with an entry twice as large as the others."""
        xi = torch.ones(self.d, dtype=torch.float64)
        xi[0] = 2.0
        xi = (xi / xi.norm()).expand(self.draws, self.d)
        shape = (self.draws, self.d, self.d)
        W = {law: entries(law, shape, 1.0, rng=rng) for law in KURTOSIS}
        return Given(W, dict.fromkeys(KURTOSIS, xi))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The vector does not look at the matrix."""
        fixed = all(bool((v == v[0]).all()) for v in given.xi.values())
        yield Hypothesis("ξ is fixed before W is drawn", fixed)

    def predict(self, given: Given) -> list[float]:
        """The formula."""
        unit = self.d**2
        return [fourth_moment(given.xi[law][0], 1.0, k) / unit for law, k in KURTOSIS.items()]

    def measure(self, given: Given) -> list[Sample]:
        """Fourth powers of the lengths."""
        lengths = (torch.einsum("nij,nj->ni", given.W[law], given.xi[law]) for law in KURTOSIS)
        return [Sample(v.square().sum(dim=1).square() / self.d**2) for v in lengths]

    def counterexample(self, rng: Generator) -> Given:
        """The direction that each matrix stretches most."""
        W = self.given(rng).W
        xi = {law: torch.linalg.eigh(w.mT @ w).eigenvectors[:, :, -1] for law, w in W.items()}
        return Given(W, xi)

    def figure(self, given: Given) -> Figure:
        """Formula and draws against the kurtosis."""
        kappa = torch.linspace(1, 6, 11, dtype=torch.float64)
        xi = next(iter(given.xi.values()))[0]
        line = [fourth_moment(xi, 1.0, float(k)) / self.d**2 for k in kappa]
        reads = [sample.read(0.99) for sample in self.measure(given)]
        return Figure(
            "The fourth moment feels the kurtosis",
            x="κ",
            y="E‖Wξ‖⁴ / (d²σ⁴‖ξ‖⁴)",
            marks=(
                Curve(line, x=kappa, label="formula", role="predicted"),
                Points(
                    list(KURTOSIS.values()),
                    [r.value for r in reads],
                    low=[r.low for r in reads],
                    high=[r.high for r in reads],
                    label="mean of the draws, 99 %",
                ),
            ),
            caption="Signs (1), uniform (1.8), Gaussian (3) and Laplace (6) entries.",
        )
