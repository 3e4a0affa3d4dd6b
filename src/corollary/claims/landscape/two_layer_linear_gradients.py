r"""Gradients of a two-layer linear network.

For :math:`L(A,B)=\frac12\sum_i\|y_i-ABx_i\|^2` with :math:`S_{yx}=\sum_iy_ix_i^\top` and
:math:`S_{xx}=\sum_ix_ix_i^\top`

.. math:: \nabla_BL=-A^\top(S_{yx}-ABS_{xx}),\qquad \nabla_AL=-(S_{yx}-ABS_{xx})B^\top :

the data enter by two matrices, however many points there are. Checked against automatic
differentiation, entry by entry.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.1.1, (6.8)-(6.14); Lucchi (2024),
    Foundations of Deep Learning (slides), Neural Network Gradients.
:kind: identity
:uses: matrix_gradients
:covers: two-layer-linear-gradients
:erratum: [typo] In intermediate lines of (6.12) the derivative of x^T B^T A^T y in B is x y^T A,
    which has the shape of B^T; it is A^T y x^T. The quadratic term has A A^T B where 2 A^T A B is
    meant. "Two hidden layers": y = ABx has one. The results are right.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, near, normal, option
from corollary.models.deep_linear import TwoLayerLinear


class Given(NamedTuple):
    model: TwoLayerLinear
    X: Tensor  # data as columns
    Y: Tensor
    unit: Callable[[Tensor], Tensor]  # what a hidden unit does to its input


class TwoLayerLinearGradients(Claim[Given]):
    d: int = option(5, low=1, high=50)  # input dimension
    m: int = option(3, low=1, high=50)  # hidden units
    k: int = option(2, low=1, high=50)  # output dimension
    n: int = option(20, low=1, high=10_000)  # points

    relation = equals(ulps=1e5, scale=1.0)  # sums over n points, added in another order
    supposes = Suppose(
        "the hidden units are linear",
        lambda g: near(g.unit(2 * g.X), 2 * g.unit(g.X)),
        "With hidden units h + h²/2, the gradients are different.",
        unit=lambda g: lambda h: h + h.square() / 2,
    )
    symbols = "entry by formula", "entry by automatic differentiation"
    shows = Parity("Gradients of a two-layer linear network")

    def given(self, rng: Generator) -> Given:
        model = TwoLayerLinear(self.d, self.m, self.k, rng=rng)
        return Given(model, normal(rng, self.d, self.n), normal(rng, self.k, self.n), lambda h: h)

    def predict(self, given: Given) -> Tensor:
        model, X, Y, _ = given
        return torch.cat([g.flatten() for g in model.analytic_gradients(Y @ X.T, X @ X.T)])

    def measure(self, given: Given) -> Tensor:
        A, B = given.model.A, given.model.B
        loss = 0.5 * (given.Y - A @ given.unit(B @ given.X)).square().sum()
        return torch.cat([g.flatten() for g in torch.autograd.grad(loss, (A, B))])
