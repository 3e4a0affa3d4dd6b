r"""The shortest interpolator lies in the row space.

Every w is :math:`w_x+w_c` with :math:`w_x` in the span of the rows of X and :math:`w_c` orthogonal
to it. Then

.. math:: Xw=Xw_x,\qquad\|w\|^2=\|w_x\|^2+\|w_c\|^2 ,

so leaving out :math:`w_c` keeps every prediction on the data and shortens w: the minimum-norm
solution has :math:`w_c=0`. The claim adds parts of :math:`\ker X` to an interpolator and compares
squared lengths. A part that is not orthogonal to the rows may shorten w as well as lengthen it.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.1, (11.7)-(11.10).
:kind: identity
:cost: instant
:covers: orthogonal-decomposition-min-norm
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.regularization.interpolation import row_space_split


class Given(NamedTuple):
    """Data, weights, and vectors to be added to their part in the row space."""

    X: Float[Tensor, "n d"]
    w: Float[Tensor, " d"]
    added: Float[Tensor, "k d"]


class ShortestInterpolator(Claim[Given]):
    n: int = option(4, low=1, high=50)  # data points
    d: int = option(10, low=2, high=200)  # parameters, more than n
    k: int = option(20, low=1, high=1000)  # vectors of the kernel that are added
    relation = equals(ulps=2**10)  # projections and sums over d entries

    def given(self, rng: Generator) -> Given:
        """Normal data and weights, and normal vectors projected on the kernel."""
        X = torch.randn(min(self.n, self.d - 1), self.d, generator=rng, dtype=torch.float64)
        w = torch.randn(self.d, generator=rng, dtype=torch.float64)
        drawn = torch.randn(self.k, self.d, generator=rng, dtype=torch.float64)
        return Given(X, w, row_space_split(X, drawn).kernel)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Nothing that is added changes a prediction."""
        off = float((given.added @ given.X.T).abs().max())
        yield Hypothesis("what is added lies in the kernel of X", off < 1e-10, f"{off:.1e}")

    def predict(self, given: Given) -> list[float]:
        """The sum of the two squares."""
        row = row_space_split(given.X, given.w).row
        return (row.square().sum() + given.added.square().sum(dim=1)).tolist()

    def measure(self, given: Given) -> list[float]:
        """The squared length of the sum."""
        shortest = torch.linalg.pinv(given.X) @ (given.X @ given.w)
        return (shortest + given.added).square().sum(dim=1).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Vectors with a part in the row space."""
        given = self.given(rng)
        return given._replace(added=given.added + given.X[:1])

    def figure(self, given: Given) -> Figure:
        """Squared lengths over the squared length of what was added."""
        size = given.added.square().sum(dim=1)
        base = float(row_space_split(given.X, given.w).row.square().sum())
        grid = torch.linspace(0, float(size.max()), 50)
        return Figure(
            "Adding a kernel vector never shortens an interpolator",
            x="‖w_c‖²",
            y="‖w‖²",
            marks=(
                Curve(base + grid, x=grid, label="‖w_x‖² + ‖w_c‖²", role="predicted"),
                Points(size, self.measure(given), label="interpolators"),
            ),
        )
