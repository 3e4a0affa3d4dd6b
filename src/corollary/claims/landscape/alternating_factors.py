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
:uses: optimal_second_factor, eckart_young
:covers: two-layer-linear-optimal-a
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Sweep, equals, normal, option
from corollary.core.relations import EPS
from corollary.theory.landscape.two_layer_linear import (
    explained,
    optimal_A,
    optimal_B,
    reduced_rank_loss,
    two_layer_loss,
)


class Given(NamedTuple):
    X: Tensor  # data as columns
    Y: Tensor
    B: Tensor  # the inner factor at the start


def visible(given: Given) -> Tensor:
    """The smallest cosine between the leading directions and what the start leads to."""
    X, Y, B = given
    U = explained(X, Y)[1][:, : len(B)]
    cosines: Tensor = torch.linalg.svdvals(U.T @ optimal_A(B, X, Y))
    return cosines.min() - 1e-9


def gap(given: Given) -> Tensor:
    """How far the ratio of the eigenvalues p and p + 1 is above 2."""
    values, p = explained(given.X, given.Y)[0], len(given.B)
    return values[p - 1] / values[p].clamp_min(1e-300) - 2


def close(given: Given) -> Given:
    """If the eigenvalues differ by a few percent only, far more steps are needed."""
    white = torch.linalg.qr(given.X.T).Q.T[: len(given.Y)]
    return given._replace(Y=torch.linspace(1.1, 1, len(white))[:, None] * white)


class AlternatingFactors(Claim[Given]):
    d: int = option(6, low=2, high=20)  # input dimension
    k: int = option(5, low=2, high=20)  # output dimension
    p: int = option(2, low=1, high=10)  # hidden units
    n: int = option(30, low=10, high=1000)  # points
    sweeps: int = option(30, low=1, high=1000)  # numbers of alternating steps

    relation = equals(ulps=1e-8 / EPS, scale=1.0)  # converged; an increase is rounding
    supposes = (
        Suppose(
            "the start is not orthogonal to any leading direction",
            visible,
            "If the weights start at zero, both factors stay zero, at a saddle.",
            B=lambda g: 0 * g.B,
        ),
        Suppose("λ_p is at least twice λ_{p+1}", gap, without=close),
    )
    symbols = "½(tr S_yy − Σ_{i≤p} λ_i), and no increase", "loss at the end, and largest increase"
    rows = ("loss at the end", "largest increase")
    shows = Sweep("Alternating least squares", "sweeps", range(1, 16), x="turns", y="L", log="")

    def given(self, rng: Generator) -> Given:
        X, noise = normal(rng, self.d, self.n), normal(rng, self.k, self.n)
        turn = torch.linalg.qr(normal(rng, max(self.k, self.d), max(self.k, self.d))).Q
        spread = 3.0 ** -torch.arange(self.k, dtype=torch.float64)[:, None]
        Y = spread * (3 * turn[: self.k, : self.d] @ X + noise)
        return Given(X, Y, normal(rng, self.p, self.d))

    def predict(self, given: Given) -> list[float]:
        return [reduced_rank_loss(given.X, given.Y, len(given.B)), 0.0]

    def measure(self, given: Given) -> list[float]:
        X, Y, B = given
        losses = []
        for _ in range(self.sweeps):
            A = optimal_A(B, X, Y)
            losses.append(float(two_layer_loss(A, B, X, Y)))
            B = optimal_B(A, X, Y)
            losses.append(float(two_layer_loss(A, B, X, Y)))
        rises = (b - a for a, b in zip(losses, losses[1:], strict=False))
        return [losses[-1], max(0.0, *rises)]
