r"""Gradients of a two-layer linear network.

For :math:`L(A,B)=\frac12\sum_i\|y_i-ABx_i\|^2` with :math:`S_{yx}=\sum_iy_ix_i^\top` and
:math:`S_{xx}=\sum_ix_ix_i^\top`

.. math:: \nabla_BL=-A^\top(S_{yx}-ABS_{xx}),\qquad \nabla_AL=-(S_{yx}-ABS_{xx})B^\top :

the data enter by two matrices, however many points there are. Checked against automatic
differentiation along two random directions a factor.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.1.1, (6.8)-(6.14); Lucchi (2024),
    Foundations of Deep Learning (slides), Neural Network Gradients.
:kind: identity
:cost: instant
:covers: two-layer-linear-gradients
:erratum: [typo] In intermediate lines of (6.12) the derivative of x^T B^T A^T y in B is x y^T A,
    which has the shape of B^T; it is A^T y x^T. The quadratic term has A A^T B where 2 A^T A B is
    meant. "Two hidden layers": y = ABx has one. The results are right.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.landscape.two_layer_linear import two_layer_gradients


class Given(NamedTuple):
    """Factors, data as columns, directions, and how much the hidden units bend."""

    A: Tensor
    B: Tensor
    X: Tensor
    Y: Tensor
    ways: tuple[Tensor, Tensor]
    bend: float


class TwoLayerLinearGradients(Claim[Given]):
    d: int = option(5, low=1, high=50)  # numbers that come in
    m: int = option(3, low=1, high=50)  # hidden units
    k: int = option(2, low=1, high=50)  # numbers that go out
    n: int = option(20, low=1, high=10_000)  # points
    relation = equals(ulps=1e5, scale=1.0)  # sums over n points, added in another order

    def given(self, rng: Generator) -> Given:
        """All Gaussian."""
        d, m, k, n = self.d, self.m, self.k, self.n
        shapes = ((k, m), (m, d), (d, n), (k, n), (2, k, m), (2, m, d))
        A, B, X, Y, a, b = (torch.randn(s, generator=rng, dtype=torch.float64) for s in shapes)
        return Given(A, B, X, Y, (a, b), 0.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Linear units."""
        yield Hypothesis("the hidden units are linear", given.bend == 0)

    def predict(self, given: Given) -> list[float]:
        """From the correlations."""
        S_yx, S_xx = given.Y @ given.X.T, given.X @ given.X.T
        return _along(two_layer_gradients(given.A, given.B, S_yx, S_xx), given.ways)

    def measure(self, given: Given) -> list[float]:
        """By autograd, point by point."""
        return _along(_autograd(given), given.ways)

    def counterexample(self, rng: Generator) -> Given:
        """Hidden units h + h²/2 in place of h."""
        return self.given(rng)._replace(bend=0.5)

    def figure(self, given: Given) -> Figure:
        """Every entry of both gradients."""
        S_yx, S_xx = given.Y @ given.X.T, given.X @ given.X.T
        formula = [g.flatten() for g in two_layer_gradients(given.A, given.B, S_yx, S_xx)]
        auto = [g.flatten() for g in _autograd(given)]
        low, high = float(torch.cat(formula).min()), float(torch.cat(formula).max())
        return Figure(
            "Gradients from two correlation matrices",
            x="entry by formula",
            y="entry by automatic differentiation",
            marks=(
                Curve([low, high], x=[low, high], label="equal", role="predicted"),
                Points(formula[0], auto[0], label="∂L/∂A"),
                Points(formula[1], auto[1], label="∂L/∂B", role="other"),
            ),
        )


def _autograd(given: Given) -> tuple[Tensor, ...]:
    A, B = (t.clone().requires_grad_() for t in (given.A, given.B))
    h = B @ given.X
    loss = 0.5 * (given.Y - A @ (h + given.bend * h.square())).square().sum()
    return torch.autograd.grad(loss, (A, B))


def _along(gradients: tuple[Tensor, ...], ways: tuple[Tensor, Tensor]) -> list[float]:
    return [float((g * w).sum()) for g, pair in zip(gradients, ways, strict=True) for w in pair]
