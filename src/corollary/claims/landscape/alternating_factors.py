r"""Alternating least squares finds the global minimum.

For fixed :math:`B` the loss :math:`\frac12\|Y-ABX\|_F^2` is convex in :math:`A`, and the minimisers
are the solutions of

.. math:: ABS_{xx}B^\top=S_{yx}B^\top .

Solving for :math:`A` and for :math:`B` in turn never increases the loss and, from almost every
start, tends to the global minimum :math:`\frac12(\operatorname{tr}S_{yy}-\sum_{i\le p}\lambda_i)`,
with :math:`\lambda_1\ge\lambda_2\ge\dots` the eigenvalues of
:math:`\Sigma=S_{yx}S_{xx}^{-1}S_{xy}`: it is subspace iteration with :math:`\Sigma`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.1.2, Theorem 43; Baldi and Hornik
    (1989), "Neural networks and principal component analysis".
:kind: theorem
:cost: instant
:covers: two-layer-linear-optimal-a
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.core.relations import EPS
from corollary.theory.landscape.two_layer_linear import (
    explained,
    optimal_A,
    optimal_B,
    reduced_rank_loss,
    two_layer_loss,
)


class Given(NamedTuple):
    """Data as columns, and the inner factor at the start."""

    X: Tensor
    Y: Tensor
    B: Tensor


class AlternatingFactors(Claim[Given]):
    d: int = option(6, low=2, high=20)  # numbers that come in
    k: int = option(5, low=2, high=20)  # numbers that go out
    p: int = option(2, low=1, high=10)  # hidden units
    n: int = option(30, low=10, high=1000)  # points
    sweeps: int = option(30, low=10, high=1000)  # turns
    relation = equals(ulps=1e-8 / EPS, scale=1.0)  # converged; an increase is rounding

    def given(self, rng: Generator) -> Given:
        """Targets of falling spread, and a Gaussian start."""
        f64 = {"generator": rng, "dtype": torch.float64}
        X = torch.randn(self.d, self.n, **f64)
        spread = 2.0 ** -torch.arange(self.k, dtype=torch.float64)[:, None]
        turn = torch.linalg.qr(torch.randn(max(self.k, self.d), max(self.k, self.d), **f64)).Q
        Y = spread * (3 * turn[: self.k, : self.d] @ X + torch.randn(self.k, self.n, **f64))
        return Given(X, Y, torch.randn(self.p, self.d, **f64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The start sees the leading directions; these stand out."""
        X, Y, B = given
        values, U = explained(X, Y)
        seen = float(torch.linalg.svdvals(U[:, : len(B)].T @ optimal_A(B, X, Y)).min())
        yield Hypothesis("the start sees every leading direction", seen > 1e-9, f"{seen:.2g}")
        gap = float(values[len(B) - 1] / values[len(B)].clamp_min(1e-300))
        yield Hypothesis("λ_p is at least twice λ_{p+1}", gap > 2, f"ratio {gap:.3g}")

    def predict(self, given: Given) -> list[float]:
        """The least loss at rank p, and no increase."""
        return [reduced_rank_loss(given.X, given.Y, len(given.B)), 0.0]

    def measure(self, given: Given) -> list[float]:
        """The last loss, and the largest increase on the way."""
        losses = self._losses(given)
        rises = [b - a for a, b in zip(losses, losses[1:], strict=False)]
        return [losses[-1], max(0.0, *rises)]

    def counterexample(self, rng: Generator) -> Given:
        """Zero weights see nothing: both factors stay zero, at a saddle."""
        given = self.given(rng)
        return given._replace(B=torch.zeros_like(given.B))

    def figure(self, given: Given) -> Figure:
        """The loss after every half turn."""
        return Figure(
            "Alternating least squares",
            x="half turns",
            y="L",
            log_y=True,
            marks=(
                Curve(self._losses(given)[:40], label="L(A, B)"),
                Level(self.predict(given)[0], label="½(tr S_yy − Σ_{i≤p} λ_i)"),
            ),
        )

    def _losses(self, given: Given) -> list[float]:
        X, Y, B = given
        losses = []
        for _ in range(self.sweeps):
            A = optimal_A(B, X, Y)
            losses.append(float(two_layer_loss(A, B, X, Y)))
            B = optimal_B(A, X, Y)
            losses.append(float(two_layer_loss(A, B, X, Y)))
        return losses
