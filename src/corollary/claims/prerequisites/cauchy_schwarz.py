r"""Cauchy-Schwarz inequality.

For an inner product :math:`\langle x,y\rangle=x^\top My` with :math:`M` symmetric and positive
semi-definite,

.. math:: |\langle x,y\rangle|\le\|x\|\,\|y\|,

with equality iff x and y are linearly dependent (when M is definite). The proof reads off the
discriminant of :math:`z\mapsto\|x-zy\|^2\ge0`. Where the form takes negative values, as that of
special relativity does, the inequality is reversed for some vectors.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.2, Proposition 1, (1.4)-(1.7).
:kind: bound
:covers: cauchy-schwarz
:erratum: [typo] The closing line (1.7) carries a spurious factor 4: with B = 2 sum xy, B^2 <= 4AC
    gives (sum xy)^2 <= sum x^2 sum y^2, which is (1.5); (1.7) is true but weaker. The equality
    clause x = c y misses y = 0, x != 0; linear dependence is meant.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, at_most, normal


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # pairs of vectors
    y: Float[Tensor, "n d"]
    M: Float[Tensor, "d d"]  # the form, symmetric


def inside_the_light_cone(given: Given) -> Given:
    """For t² - r², the product of two time-like vectors exceeds the product of their lengths."""
    x = torch.tensor([[2.0, 1.0]], dtype=torch.float64)
    y = torch.tensor([[2.0, -1.0]], dtype=torch.float64)
    return Given(x, y, torch.diag(x.new_tensor([1.0, -1.0])))


def _product(x: Tensor, M: Tensor, y: Tensor) -> Tensor:
    return ((x @ M) * y).sum(dim=1)


class CauchySchwarz(Claim[Given]):
    n: int = 100  # pairs of vectors
    d: int = 3  # dimension

    relation = at_most(ulps=64)  # both sides are sums of d² products; parallel pairs attain it
    supposes = Suppose(
        "the form is positive semi-definite",
        lambda g: torch.linalg.eigvalsh(g.M)[0] + 1e-12 * g.M.norm(),
        without=inside_the_light_cone,
    )
    symbols = "‖x‖ ‖y‖", "|⟨x, y⟩|"
    shows = Parity("No inner product exceeds the product of the lengths")

    def given(self, rng: Generator) -> Given:
        x, y = normal(rng, 2, self.n, self.d)
        y[-1] = -2 * x[-1]
        root = normal(rng, self.d, self.d)
        return Given(x, y, root @ root.T)

    def predict(self, given: Given) -> Tensor:
        x, y, M = given
        return (_product(x, M, x) * _product(y, M, y)).abs().sqrt()

    def measure(self, given: Given) -> Tensor:
        return _product(given.x, given.M, given.y).abs()
