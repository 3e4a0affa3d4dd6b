r"""Cauchy-Schwarz inequality.

For an inner product :math:`\langle x,y\rangle=x^\top My` with :math:`M` symmetric and positive
semi-definite,

.. math:: |\langle x,y\rangle|\le\|x\|\,\|y\|,

with equality iff x and y are linearly dependent (when M is definite). The proof reads off the
discriminant of :math:`z\mapsto\|x-zy\|^2\ge0`. Where the form takes negative values, as that of
special relativity does, the inequality is reversed for some vectors.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.2, Proposition 1, (1.4)-(1.7).
:kind: bound
:cost: instant
:covers: cauchy-schwarz
:erratum: [typo] The closing line (1.7) carries a spurious factor 4: with B = 2 sum xy, B^2 <= 4AC
    gives (sum xy)^2 <= sum x^2 sum y^2, which is (1.5); (1.7) is true but weaker. The equality
    clause x = c y misses y = 0, x != 0; linear dependence is meant.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most
from corollary.theory.prerequisites.loewner import is_psd


class Given(NamedTuple):
    """Pairs of vectors and a form."""

    x: Float[Tensor, "n d"]
    y: Float[Tensor, "n d"]
    M: Float[Tensor, "d d"]  # symmetric


class CauchySchwarz(Claim[Given]):
    n: int = 100  # pairs of vectors
    d: int = 3  # dimension
    relation = at_most(ulps=64)  # both sides are sums of d² products; parallel pairs attain it

    def given(self, rng: Generator) -> Given:
        """Normal pairs, the last of them parallel, and a random Gram matrix."""
        x, y = torch.randn(2, self.n, self.d, generator=rng, dtype=torch.float64)
        y[-1] = -2 * x[-1]
        root = torch.randn(self.d, self.d, generator=rng, dtype=torch.float64)
        return Given(x, y, root @ root.T)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A form that is never negative."""
        found = is_psd(given.M)
        detail = f"smallest eigenvalue {found.smallest:.3g}"
        yield Hypothesis("the form is positive semi-definite", found.holds, detail)

    def predict(self, given: Given) -> list[float]:
        """Products of lengths."""
        x, y, M = given
        squares = _form(x, M, x) * _form(y, M, y)
        return squares.abs().sqrt().tolist()

    def measure(self, given: Given) -> list[float]:
        """Moduli of inner products."""
        return _form(given.x, given.M, given.y).abs().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Two vectors inside the light cone of t² - r²."""
        x = torch.tensor([[2.0, 1.0]], dtype=torch.float64)
        y = torch.tensor([[2.0, -1.0]], dtype=torch.float64)
        return Given(x, y, torch.diag(x.new_tensor([1.0, -1.0])))

    def figure(self, given: Given) -> Figure:
        """Each pair as a point below the diagonal."""
        bound, found = self.predict(given), self.measure(given)
        ends = [min(bound), max(bound)]
        return Figure(
            "No inner product exceeds the product of the lengths",
            x="‖x‖ ‖y‖",
            y="|⟨x, y⟩|",
            marks=(
                Points(bound, found, label="drawn pairs"),
                Curve(ends, ends, label="equality: linearly dependent", role="predicted"),
            ),
        )


def _form(x: Tensor, M: Tensor, y: Tensor) -> Tensor:
    return ((x @ M) * y).sum(dim=1)
