r"""Orthogonal matrices.

For a square matrix Q with orthonormal columns, :math:`Q^\top Q=I`,

.. math:: QQ^\top=I,\qquad Q^{-1}=Q^\top,\qquad\|Qx\|=\|x\|,

so its rows are orthonormal too. A tall matrix with orthonormal columns keeps lengths as well, but
:math:`QQ^\top` is then a projector and not the identity.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.4.2, Definitions 6 and 7, Theorem 7.
:kind: theorem
:cost: instant
:covers: orthogonal-matrix
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.prerequisites.orthogonal import random_orthogonal


class Given(NamedTuple):
    """A matrix and vectors."""

    Q: Float[Tensor, "m n"]
    x: Float[Tensor, "s n"]


class OrthogonalInverse(Claim[Given]):
    n: int = option(6, low=2, high=200)  # size of Q
    vectors: int = 20  # vectors x
    relation = equals(ulps=2**8, scale=1.0)  # entries of QQ' are sums of n products of order 1

    def given(self, rng: Generator) -> Given:
        """A uniformly distributed orthogonal matrix."""
        x = torch.randn(self.vectors, self.n, generator=rng, dtype=torch.float64)
        return Given(random_orthogonal(self.n, rng=rng), x)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Square, with orthonormal columns."""
        m, n = given.Q.shape
        yield Hypothesis("Q is square", m == n, f"{m} x {n}")
        off = (given.Q.T @ given.Q - torch.eye(n).double()).abs().max()
        yield Hypothesis("the columns of Q are orthonormal", float(off) < 1e-12)

    def predict(self, given: Given) -> list[float]:
        """The identity, and the lengths of x."""
        identity = torch.eye(len(given.Q), dtype=torch.float64).flatten()
        return torch.cat([identity, given.x.norm(dim=1)]).tolist()

    def measure(self, given: Given) -> list[float]:
        """QQ', and the lengths of Qx."""
        product = (given.Q @ given.Q.T).flatten()
        return torch.cat([product, (given.x @ given.Q.T).norm(dim=1)]).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Without its last column."""
        Q, x = self.given(rng)
        return Given(Q[:, :-1], x[:, :-1])

    def figure(self, given: Given) -> Figure:
        """Lengths before and after."""
        before, after = given.x.norm(dim=1), (given.x @ given.Q.T).norm(dim=1)
        ends = [0.0, float(before.max())]
        return Figure(
            "An orthogonal matrix keeps lengths",
            x="‖x‖",
            y="‖Qx‖",
            equal=True,
            marks=(
                Curve(ends, ends, label="‖Qx‖ = ‖x‖", role="predicted"),
                Points(before, after, label="drawn vectors x"),
            ),
        )
