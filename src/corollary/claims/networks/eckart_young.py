r"""Eckart-Young theorem.

With :math:`\sigma_1\ge\sigma_2\ge\dots` the singular values of :math:`X`, no matrix of rank at most
:math:`r` is nearer to it than the truncated singular value decomposition :math:`X_r`:

.. math:: \|X-Y\|_F\ge\|X-X_r\|_F=\Bigl(\sum_{i>r}\sigma_i^2\Bigr)^{1/2}
   \quad\text{if } \operatorname{rank}Y\le r .

The minimiser is unique iff :math:`\sigma_r>\sigma_{r+1}` (or :math:`X` has rank at most
:math:`r`). The challengers are projections on random subspaces, the sweeps of an alternating
minimisation, which tends to the bound, and :math:`X_r` itself, which attains it.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.3, Theorem 12; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1, Theorem 2; Eckart and Young (1936), "The
    approximation of one matrix by another of lower rank".
:kind: theorem
:cost: instant
:covers: eckart-young, truncated-svd
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_least, option
from corollary.theory.networks.low_rank import Competitors, competitors, tail_energy, truncated_svd


class Given(NamedTuple):
    """A matrix, the rank allowed, and the rank the challengers really have."""

    X: Float[Tensor, "a b"]
    r: int
    rank: int
    seed: int  # of the challengers


class EckartYoung(Claim[Given]):
    a: int = option(30, low=2, high=500)  # rows
    b: int = option(20, low=2, high=500)  # columns
    r: int = option(5, low=1, high=500)  # rank allowed, below the smaller side
    sweeps: int = 12  # of the alternating minimisation
    relation = at_least(ulps=256, scale=1.0)  # X_r attains the bound, with the rounding of ‖X‖ > 1

    def given(self, rng: Generator) -> Given:
        """Random directions with singular values 1, 1/2, 1/3, ...."""
        k = min(self.a, self.b)
        f64 = {"generator": rng, "device": rng.device, "dtype": torch.float64}
        U = torch.linalg.qr(torch.randn(self.a, k, **f64)).Q
        V = torch.linalg.qr(torch.randn(self.b, k, **f64)).Q
        X = (U / torch.arange(1, k + 1, dtype=torch.float64)) @ V.T
        seed = int(torch.randint(2**31, (), generator=rng))
        r = min(self.r, k - 1)
        return Given(X, r, r, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The rank of all that compete."""
        yield Hypothesis(
            "every challenger has rank at most r",
            given.rank <= given.r,
            f"rank {given.rank}, r = {given.r}",
        )

    def predict(self, given: Given) -> float:
        """The energy of the tail, as a distance."""
        return tail_energy(given.X, given.r) ** 0.5

    def measure(self, given: Given) -> list[float]:
        """Distances of the challengers and of the truncated decomposition."""
        tried = self._tried(given)
        best = torch.linalg.matrix_norm(given.X - truncated_svd(given.X, given.rank).matrix())
        return [*tried.random.tolist(), *tried.optimised.tolist(), float(best)]

    def counterexample(self, rng: Generator) -> Given:
        """One more dimension for the challengers."""
        given = self.given(rng)
        return given._replace(rank=given.r + 1)

    def figure(self, given: Given) -> Figure:
        """Distances of the challengers, sweep by sweep."""
        tried = self._tried(given)
        start = tried.random
        return Figure(
            "No matrix of rank r is nearer than X_r",
            x="sweeps of alternating minimisation",
            y="‖X − Y‖_F",
            marks=(
                Points([0.0] * len(start), start, label="random subspaces", role="other"),
                Curve(
                    tried.optimised,
                    x=list(range(1, 1 + self.sweeps)),
                    label="alternating minimisation",
                ),
                Level(self.predict(given), label="√(sum of σ_i² over i > r)"),
            ),
        )

    def _tried(self, given: Given) -> Competitors:
        rng = torch.Generator(given.X.device).manual_seed(given.seed)
        return competitors(given.X, given.rank, sweeps=self.sweeps, rng=rng)
