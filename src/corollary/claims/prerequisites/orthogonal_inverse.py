r"""Orthogonal matrices.

For a square matrix Q with orthonormal columns, :math:`Q^\top Q=I`,

.. math:: QQ^\top=I,\qquad Q^{-1}=Q^\top,\qquad\|Qx\|=\|x\|,

so its rows are orthonormal too. A tall matrix with orthonormal columns keeps lengths as well, but
:math:`QQ^\top` is then a projector and not the identity.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.4.2, Definitions 6 and 7, Theorem 7.
:kind: theorem
:uses: matrix_laws
:covers: orthogonal-matrix
:scale-free: theory only draws the matrix; a multiple of it is not orthogonal.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, near, normal, option
from corollary.theory.prerequisites.orthogonal import random_orthogonal


class Given(NamedTuple):
    Q: Float[Tensor, "m n"]
    x: Float[Tensor, "s n"]  # vectors


class OrthogonalInverse(Claim[Given]):
    n: int = option(6, low=2, high=200)  # size of Q
    vectors: int = 20  # vectors x

    relation = equals(ulps=2**8, scale=1.0)  # entries of QQ' are sums of n products of order 1
    supposes = (
        Suppose(
            "Q is square",
            lambda g: g.Q.shape[0] == g.Q.shape[1],
            "For a tall matrix with orthonormal columns, QQᵀ is a projector instead of I.",
            lambda g: Given(g.Q[:, :-1], g.x[:, :-1]),
        ),
        Suppose(
            "the columns of Q are orthonormal",
            lambda g: near(g.Q.T @ g.Q, torch.eye(g.Q.shape[1]).double(), to=1e-12),
            "Q is a rotation times 1.2, so its columns do not have length 1.",
            Q=lambda g: 1.2 * g.Q,
        ),
    )
    symbols = "entry of I, or ‖x‖", "entry of QQᵀ, or ‖Qx‖"
    shows = Parity("An orthogonal matrix keeps lengths, and QQᵀ = I")

    def given(self, rng: Generator) -> Given:
        return Given(random_orthogonal(self.n, rng=rng), normal(rng, self.vectors, self.n))

    def predict(self, given: Given) -> Tensor:
        identity = torch.eye(len(given.Q), dtype=torch.float64)
        return torch.cat([identity.flatten(), given.x.norm(dim=1)])

    def measure(self, given: Given) -> Tensor:
        return torch.cat([(given.Q @ given.Q.T).flatten(), (given.x @ given.Q.T).norm(dim=1)])
