r"""The minimum-norm interpolator lies in the row space.

Every w is :math:`w_x+w_c` with :math:`w_x` in the span of the rows of X and :math:`w_c` orthogonal
to it. Then

.. math:: Xw=Xw_x,\qquad\|w\|^2=\|w_x\|^2+\|w_c\|^2 ,

so leaving out :math:`w_c` keeps every prediction on the data and shortens w: the minimum-norm
solution has :math:`w_c=0`. The claim adds parts of :math:`\ker X` to an interpolator and compares
squared lengths. A part that is not orthogonal to the rows may shorten w as well as lengthen it.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.1, (11.7)-(11.10).
:kind: identity
:uses: least_squares_row_space
:covers: orthogonal-decomposition-min-norm
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, near, normal, option
from corollary.theory.regularization.interpolation import row_space_split


class Given(NamedTuple):
    X: Float[Tensor, "n d"]
    w: Float[Tensor, " d"]  # weights
    added: Float[Tensor, "k d"]  # vectors to be added to their part in the row space


class ShortestInterpolator(Claim[Given]):
    n: int = option(4, low=1, high=50)  # data points
    d: int = option(10, low=2, high=200)  # parameters, more than n
    k: int = option(20, low=1, high=1000)  # vectors of the kernel that are added

    relation = equals(ulps=2**10)  # projections and sums over d entries
    supposes = Suppose(
        "the added vector lies in the kernel of X",
        lambda g: near(g.added @ g.X.T, 0.0, to=1e-10),
        "If the added vector has a part in the row space, it can make w shorter.",
        added=lambda g: g.added + g.X[:1],
    )
    symbols = "‖w_x‖² + ‖w_c‖²", "‖w‖²"
    shows = Parity("Adding a kernel vector never shortens an interpolator")

    def given(self, rng: Generator) -> Given:
        X = normal(rng, min(self.n, self.d - 1), self.d)
        w, drawn = normal(rng, self.d), normal(rng, self.k, self.d)
        return Given(X, w, row_space_split(X, drawn).kernel)

    def predict(self, given: Given) -> Tensor:
        row = row_space_split(given.X, given.w).row
        return row.square().sum() + given.added.square().sum(dim=1)

    def measure(self, given: Given) -> Tensor:
        shortest: Tensor = torch.linalg.pinv(given.X) @ (given.X @ given.w)
        return (shortest + given.added).square().sum(dim=1)
