r"""Normal equations of least squares.

For patterns in the columns of :math:`X\in\mathbb{R}^{d\times s}` with :math:`XX^\top` invertible,
the one minimiser of :math:`\frac12\|X^\top w-y\|^2` is

.. math:: w^\star=(XX^\top)^{-1}Xy .

The claim compares it with the minimiser found from the patterns by a singular value decomposition,
which forms no normal equations. With patterns in the rows, the formula for the columns gives
another vector.

:source: Perez Jensen (2025), Deep Learning, Section 2.1; Gauss (1809), Theoria motus.
:kind: theorem
:uses: least_squares_row_space, tangent_below
:covers: least-squares-ols
:erratum: [wrong] Section 2.1 declares the patterns as columns, X in R^{d x s}, and prints the row
    formulas X^T X w - X^T y and (X^T X)^{-1} X^T y. For d = s, where their shapes fit, they give
    another vector: the counterexample here is that case.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, normal, option
from corollary.theory.networks.least_squares import ols
from corollary.theory.prerequisites.singular import numerical_rank


class Given(NamedTuple):
    patterns: list[Float[Tensor, " d"]]
    X: Float[Tensor, "d s"]  # the matrix made of them
    y: Float[Tensor, " s"]  # targets


def rows(given: Given) -> Given:
    """If the patterns are the rows of a square X, as in the notes, the weights are wrong."""
    d = len(given.X)
    return Given(given.patterns[:d], given.X[:, :d].T, given.y[:d])


def silent(given: Given) -> Given:
    """If one coordinate is zero in every pattern, X Xᵀ has no inverse."""
    X = torch.cat([given.X[:-1], 0 * given.X[-1:]])
    return Given(list(X.T), X, given.y)


class NormalEquations(Claim[Given]):
    d: int = option(6, low=1, high=100)  # dimension of a pattern
    s: int = option(40, low=1, high=10_000)  # patterns
    noise: float = option(0.5, low=0.0, high=10.0)  # deviation of the targets from a planted line

    relation = equals(ulps=1e7, scale=1.0)  # the inverse costs the squared condition, some 1e3
    supposes = (
        Suppose(
            "the patterns are the columns of X",
            lambda g: torch.equal(torch.stack(g.patterns, dim=1), g.X),
            without=rows,
        ),
        Suppose("X Xᵀ is invertible", lambda g: numerical_rank(g.X) == len(g.X), without=silent),
    )
    symbols = "entry of (X Xᵀ)⁻¹ X y", "entry of the minimiser"
    shows = Parity("Least-squares weights in closed form")

    def given(self, rng: Generator) -> Given:
        X = normal(rng, self.d, self.s)
        y = X.T @ normal(rng, self.d) + self.noise * normal(rng, self.s)
        return Given(list(X.T), X, y)

    def predict(self, given: Given) -> Tensor:
        X, y = given.X, given.y
        inverse: Tensor = torch.linalg.inv_ex(X @ X.T).inverse
        return inverse @ (X @ y)

    def measure(self, given: Given) -> Tensor:
        return ols(torch.stack(given.patterns), given.y).w
