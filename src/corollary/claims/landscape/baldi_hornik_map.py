r"""The map at critical points.

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
:cost: instant
:covers: baldi-hornik-critical-map
:erratum: [notation] Section 6.1.2 defines S_xy as the sum of x_i y_i^T, but (6.24) writes
    S_xy S_xx^-1 where S_yx S_xx^-1 is meant, as in the proof. The proof assumes rank A = p, which
    is neither stated nor needed: the second half of the numbers has rank A < p.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.landscape.two_layer_linear import critical_map, two_layer_gradients


class Given(NamedTuple):
    """Data as columns, and pairs of factors."""

    X: Tensor
    Y: Tensor
    pairs: list[tuple[Tensor, Tensor]]


class BaldiHornikMap(Claim[Given]):
    d: int = option(3, low=1, high=10)  # numbers that come in
    k: int = option(4, low=2, high=10)  # numbers that go out
    p: int = option(2, low=2, high=10)  # hidden units
    n: int = option(15, low=10, high=1000)  # points
    relation = equals(ulps=1e6, scale=1.0)  # two least-squares solutions, both well conditioned

    def given(self, rng: Generator) -> Given:
        """Gaussian data; A of rank p, and A with equal columns."""
        f64 = {"generator": rng, "dtype": torch.float64}
        X, Y = torch.randn(self.d, self.n, **f64), torch.randn(self.k, self.n, **f64)
        full = torch.randn(self.k, self.p, **f64)
        deficient = full[:, :1].expand(self.k, self.p)
        return Given(X, Y, [(A, _solve(A, X, Y)) for A in (full, deficient)])

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Critical in B."""
        X, Y, pairs = given
        S_yx, S_xx = Y @ X.T, X @ X.T
        off = max(float(two_layer_gradients(A, B, S_yx, S_xx).in_B.norm()) for A, B in pairs)
        yield Hypothesis("the gradient in B is zero", off < 1e-8, f"length {off:.2g}")

    def predict(self, given: Given) -> list[float]:
        """The projected least-squares map."""
        maps = [critical_map(A, given.X, given.Y) for A, _ in given.pairs]
        return torch.cat([W.flatten() for W in maps]).tolist()

    def measure(self, given: Given) -> list[float]:
        """The product."""
        return torch.cat([(A @ B).flatten() for A, B in given.pairs]).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A factor B that is not optimal."""
        given = self.given(rng)
        pairs = [(A, B + 0.1) for A, B in given.pairs]
        return given._replace(pairs=pairs)

    def figure(self, given: Given) -> Figure:
        """Entry by entry."""
        p, m = self.predict(given), self.measure(given)
        half = len(p) // 2
        ends = [min(p), max(p)]
        return Figure(
            "The map at critical points",
            x="entry of P_A S_yx S_xx⁻¹",
            y="entry of AB",
            marks=(
                Curve(ends, x=ends, label="equal", role="predicted"),
                Points(p[:half], m[:half], label="A of full rank"),
                Points(p[half:], m[half:], label="A of deficient rank", role="other"),
            ),
        )


def _solve(A: Tensor, X: Tensor, Y: Tensor) -> Tensor:
    """B by LAPACK's singular value decomposition of the vectorised problem."""
    system = torch.kron(X.T.contiguous(), A.contiguous())
    b = torch.linalg.lstsq(system, Y.T.reshape(-1, 1), rcond=1e-10, driver="gelsd").solution
    return b.reshape(X.shape[0], A.shape[1]).T
