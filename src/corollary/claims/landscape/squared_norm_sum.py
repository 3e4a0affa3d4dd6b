r"""Squared norm of a sum: ‖x + y‖² is at most 2‖x‖² + 2‖y‖².

For vectors, or matrices in the Frobenius norm,

.. math:: \|x+y\|^2\le2\|x\|^2+2\|y\|^2,

and what is given away is exactly :math:`\|x-y\|^2` (the parallelogram law), so that equality means
:math:`x=y`. The constant 2 cannot be lowered. Measured is what is given away, along
:math:`y=tx+\sqrt{1-t^2}\,u` with :math:`u\perp x` of the same length, from :math:`t=-1` to
:math:`t=1`, for vectors and for matrices. In the norm :math:`\|x\|_1` it is another number.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2, Proposition 47.
:kind: identity
:covers: squared-norm-sum-bound
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.linalg import vector_norm

from corollary.core import Along, Claim, Suppose, equals, near, normal, option
from corollary.theory.landscape.matrix_calculus import sum_squares_slack

T = torch.linspace(-1, 1, 11, dtype=torch.float64)


class Given(NamedTuple):
    x: Float[Tensor, " d"]
    y: Float[Tensor, "11 d"]  # at each t
    p: float  # order of the norm of vectors


class SquaredNormSum(Claim[Given]):
    d: int = option(6, low=2, high=100)  # dimension

    relation = equals(ulps=64, scale=1000.0)  # sums of d squares, or d² of matrices, cancel
    supposes = Suppose(
        "the norm is the root of the sum of squares",
        lambda g: near(vector_norm(g.x, g.p), g.x.square().sum().sqrt()),
        "The norm is the sum of absolute values, which has no inner product.",
        p=1.0,
    )
    symbols = "‖x − y‖²", "2‖x‖² + 2‖y‖² − ‖x + y‖²"
    cosine = T.tolist()
    shows = Along("Slack of the inequality", x="cosine t of x and y", at="cosine")

    def given(self, rng: Generator) -> Given:
        x, u = normal(rng, 2, self.d)
        u = u - (u @ x) / (x @ x) * x
        u = u * (x.norm() / u.norm())
        return Given(x, T[:, None] * x + (1 - T.square()).sqrt()[:, None] * u, 2.0)

    def predict(self, given: Given) -> Tensor:
        x, y, p = given
        matrices = ((x - y)[:, :, None] * x).square().sum(dim=(1, 2))
        return torch.cat([vector_norm(x - y, p, dim=1).square(), matrices])

    def measure(self, given: Given) -> Tensor:
        x, y, p = given
        sides = vector_norm(torch.stack([x.expand_as(y), y, x + y]), p, dim=2).square()
        matrices = torch.stack([sum_squares_slack(x.outer(x), row.outer(x)) for row in y])
        return torch.cat([2 * sides[0] + 2 * sides[1] - sides[2], matrices])
