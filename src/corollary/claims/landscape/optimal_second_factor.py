r"""Optimal inner factor.

For fixed :math:`A` the loss :math:`\frac12\|Y-ABX\|_F^2` is convex in :math:`B`, with Hessian
:math:`S_{xx}\otimes A^\top A`, and :math:`B` is a minimiser iff

.. math:: A^\top ABS_{xx}=A^\top S_{yx},\qquad S_{xx}=XX^\top,\ S_{yx}=YX^\top .

The shortest solution is :math:`A^+YX^+`. Its loss is compared with that of rivals around it, and
with a least-squares solution of the vectorised problem, which must be as good and no better.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.1.2, Theorem 42, (6.15)-(6.20).
:kind: theorem
:cost: instant
:covers: two-layer-linear-optimal-b
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, at_least, option
from corollary.theory.landscape.two_layer_linear import optimal_B, two_layer_loss


class Given(NamedTuple):
    """Fixed factor, data as columns, the factor in question, and directions to leave it."""

    A: Tensor
    X: Tensor
    Y: Tensor
    B: Tensor
    ways: Tensor  # (rivals, m, d)


class OptimalSecondFactor(Claim[Given]):
    d: int = option(4, low=1, high=20)  # numbers that come in
    m: int = option(3, low=1, high=20)  # hidden units
    k: int = option(5, low=1, high=20)  # numbers that go out
    n: int = option(12, low=1, high=1000)  # points
    rivals: int = option(20, low=2, high=1000)  # directions
    relation = at_least(ulps=1e5)  # the least-squares rival has the same loss, up to rounding

    def given(self, rng: Generator) -> Given:
        """Gaussian data, a fixed factor and the solution of the normal equations."""
        d, m, k, n = self.d, self.m, self.k, self.n
        shapes = ((k, m), (d, n), (k, n), (self.rivals, m, d))
        A, X, Y, ways = (torch.randn(s, generator=rng, dtype=torch.float64) for s in shapes)
        return Given(A, X, Y, optimal_B(A, X, Y), ways)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The normal equations."""
        A, X, Y, B, _ = given
        off = float((A.T @ (A @ B @ X - Y) @ X.T).norm() / (A.T @ Y @ X.T).norm())
        yield Hypothesis("AᵀAB S_xx = Aᵀ S_yx", off < 1e-9, f"relative difference {off:.2g}")

    def predict(self, given: Given) -> list[float]:
        """The loss at B."""
        value = float(two_layer_loss(given.A, given.B, given.X, given.Y))
        return [value] * (self.rivals + 1)

    def measure(self, given: Given) -> list[float]:
        """Losses of the rivals: a step of 0.1 along each direction, and least squares."""
        A, X, Y, B, ways = given
        near = [float(two_layer_loss(A, B + 0.1 * w, X, Y)) for w in ways]
        system = torch.kron(X.T.contiguous(), A)  # vec(ABX), columns stacked
        b = torch.linalg.lstsq(system, Y.T.reshape(-1, 1), driver="gelsd").solution
        rival = b.reshape(X.shape[0], A.shape[1]).T.contiguous()
        return [*near, float(two_layer_loss(A, rival, X, Y))]

    def counterexample(self, rng: Generator) -> Given:
        """A solution for other targets."""
        given = self.given(rng)
        return given._replace(B=optimal_B(given.A, given.X, -given.Y))

    def figure(self, given: Given) -> Figure:
        """The loss along three directions."""
        A, X, Y, B, ways = given
        t = torch.linspace(-0.5, 0.5, 21, dtype=torch.float64)
        curves = [
            Curve(
                [float(two_layer_loss(A, B + s * w, X, Y)) for s in t],
                x=t,
                label=f"direction {i + 1}",
            )
            for i, w in enumerate(ways[:3])
        ]
        return Figure(
            "The loss is convex in B",
            x="t",
            y="L(A, B + tD)",
            marks=(Level(self.predict(given)[0], label="L(A, B)"), *curves),
        )
