r"""The linear map at the critical points of a two-layer linear network.

If :math:`S_{xx}` is invertible and :math:`(A,B)` is a critical point of
:math:`\frac12\|Y-ABX\|_F^2`, the network computes least squares projected on the columns of
:math:`A`,

.. math:: AB=P_A\,S_{yx}S_{xx}^{-1},

whatever the rank of :math:`A`: from :math:`\nabla_BL=0` follows
:math:`A^\top(AB-S_{yx}S_{xx}^{-1})=0`, and :math:`AB=P_AAB`. Checked for factors :math:`A`
of full and of deficient rank, with :math:`B` from a solver that knows nothing of
projections.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.1.2, Theorem 44, (6.24); Baldi and
    Hornik (1989), "Neural networks and principal component analysis", Fact 1.
:kind: theorem
:uses: two_layer_linear_gradients
:covers: baldi-hornik-critical-map
:erratum: [notation] Section 6.1.2 defines S_xy as the sum of x_i y_i^T, but (6.24) writes
    S_xy S_xx^-1 where S_yx S_xx^-1 is meant, as in the proof. The proof assumes rank A = p, which
    is neither stated nor needed: the second half of the numbers has rank A < p.
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, normal, option
from corollary.theory.landscape.two_layer_linear import critical_map, two_layer_gradients


class Given(NamedTuple):
    X: Tensor  # data as columns
    Y: Tensor
    pairs: list[tuple[Tensor, Tensor]]  # factors A, B


def slope(given: Given) -> float:
    """The longest gradient in B."""
    X, Y, pairs = given
    return max(float(two_layer_gradients(A, B, Y @ X.T, X @ X.T).in_B.norm()) for A, B in pairs)


class BaldiHornikMap(Claim[Given]):
    d: int = option(3, low=1, high=10)  # input dimension
    k: int = option(4, low=2, high=10)  # output dimension
    p: int = option(2, low=2, high=10)  # hidden units
    n: int = option(15, low=10, high=1000)  # points

    relation = equals(ulps=1e6, scale=1.0)  # two least-squares solutions, both well conditioned
    supposes = Suppose(
        "the gradient in B is zero",
        lambda g: 1e-8 - slope(g),
        "If B is not optimal, the map AB is another one.",
        pairs=lambda g: [(A, B + 0.1) for A, B in g.pairs],
    )
    symbols = "entry of P_A S_yx S_xx⁻¹", "entry of AB"
    shows = Parity("The linear map at critical points")

    def given(self, rng: Generator) -> Given:
        X, Y = normal(rng, self.d, self.n), normal(rng, self.k, self.n)
        full = normal(rng, self.k, self.p)
        deficient = full[:, :1].expand(self.k, self.p)
        return Given(X, Y, [(A, solve(A, X, Y)) for A in (full, deficient)])

    def predict(self, given: Given) -> Tensor:
        return torch.cat([critical_map(A, given.X, given.Y).flatten() for A, _ in given.pairs])

    def measure(self, given: Given) -> Tensor:
        return torch.cat([(A @ B).flatten() for A, B in given.pairs])


def solve(A: Tensor, X: Tensor, Y: Tensor) -> Tensor:
    """B by LAPACK's singular value decomposition of the vectorised problem."""
    system = torch.kron(X.T.contiguous(), A.contiguous())
    b: Tensor = torch.linalg.lstsq(system, Y.T.reshape(-1, 1), rcond=1e-10, driver="gelsd").solution
    return b.reshape(X.shape[0], A.shape[1]).T
