r"""Normal equations of least squares.

For patterns in the columns of :math:`X\in\mathbb{R}^{d\times s}` with :math:`XX^\top` invertible,
the one minimiser of :math:`\frac12\|X^\top w-y\|^2` is

.. math:: w^\star=(XX^\top)^{-1}Xy .

The claim compares it with the minimiser found from the patterns by a QR decomposition, which forms
no normal equations. With patterns in the rows, the formula for the columns gives another vector.

:source: Perez Jensen (2025), Deep Learning, Section 2.1; Gauss (1809), Theoria motus.
:kind: theorem
:cost: instant
:covers: least-squares-ols
:erratum: [wrong] Section 2.1 declares the patterns as columns, X in R^{d x s}, and prints the row
    formulas X^T X w - X^T y and (X^T X)^{-1} X^T y. For d = s, where their shapes fit, they give
    another vector: the counterexample here is that case.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.prerequisites.singular import numerical_rank


class Given(NamedTuple):
    """Patterns, the matrix made of them, and targets."""

    patterns: list[Float[Tensor, " d"]]
    X: Float[Tensor, "d s"]
    y: Float[Tensor, " s"]


class NormalEquations(Claim[Given]):
    d: int = option(6, low=1, high=100)  # numbers a pattern has
    s: int = option(40, low=1, high=10_000)  # patterns
    noise: float = option(0.5, low=0.0, high=10.0)  # deviation of the targets from a planted line
    relation = equals(ulps=1e7, scale=1.0)  # the inverse costs the squared condition, some 1e3

    def given(self, rng: Generator) -> Given:
        """Gaussian patterns with a planted weight vector."""
        return self._draw(self.s, rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The layout, and enough patterns."""
        columns = torch.stack(given.patterns, dim=1)
        yield Hypothesis("the patterns are the columns of X", torch.equal(columns, given.X))
        rank = numerical_rank(given.X)
        yield Hypothesis("X Xᵀ is invertible", rank == len(given.X), f"rank {rank}")

    def predict(self, given: Given) -> list[float]:
        """The formula."""
        X, y = given.X, given.y
        return (torch.linalg.inv(X @ X.T) @ (X @ y)).tolist()

    def measure(self, given: Given) -> list[float]:
        """The minimiser from the patterns as rows, by QR."""
        Q, R = torch.linalg.qr(torch.stack(given.patterns))
        return torch.linalg.solve_triangular(R, (Q.T @ given.y)[:, None], upper=True)[:, 0].tolist()

    def counterexample(self, rng: Generator) -> Given:
        """As many patterns as numbers, and patterns in the rows of X: the formula as printed."""
        given = self._draw(self.d + 1, rng, d=self.d + 1)
        return given._replace(X=given.X.T.contiguous())

    def figure(self, given: Given) -> Figure:
        """Entries of the vectors, and of the one with the wrong layout for a square X."""
        square = self.counterexample(torch.Generator().manual_seed(0))
        right, wrong = self.measure(square), self.predict(square)
        p, q = self.predict(given), self.measure(given)
        ends = [min(p + right), max(p + right)]
        return Figure(
            "Least squares in closed form",
            x="entry of the minimiser, by QR",
            y="entry by the formula",
            marks=(
                Curve(ends, x=ends, label="equal", role="predicted"),
                Points(q, p, label="(X Xᵀ)⁻¹ X y, patterns as columns"),
                Points(right, wrong, label="the row formula for columns, d = s", role="other"),
            ),
        )

    def _draw(self, s: int, rng: Generator, d: int | None = None) -> Given:
        f64 = {"generator": rng, "device": rng.device, "dtype": torch.float64}
        d = self.d if d is None else d
        X = torch.randn(d, s, **f64)
        if d == s:  # keep a square matrix well away from singular
            X = X + 3 * d**0.5 * torch.eye(d, **{k: f64[k] for k in ("device", "dtype")})
        y = X.T @ torch.randn(d, **f64) + self.noise * torch.randn(s, **f64)
        return Given(list(X.T), X, y)
