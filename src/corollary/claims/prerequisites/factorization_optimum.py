r"""Matrix factorisation by alternating minimisation finds the best approximation of rank p.

The loss :math:`\frac12\|UV-R\|_F^2` over :math:`U\in\mathbb{R}^{m\times p},
V\in\mathbb{R}^{p\times n}` has gradients :math:`(UV-R)V^\top` and :math:`U^\top(UV-R)`. Minimising
over U and V in turn, from a start that meets the p leading right singular vectors of R, ends at

.. math:: \tfrac12\sum_{i>p}\sigma_i(R)^2,

the least loss of rank p. From :math:`U=V=0`, where both gradients vanish too, it never moves.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.7, Problem 2b; Eckart and Young
    (1936), "The approximation of one matrix by another of lower rank".
:kind: theorem
:uses: eckart_young
:covers: matrix-factorization-gradients
:scale-free: theory only draws the singular vectors; the loss is a class.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Path, Suppose, equals, normal, option
from corollary.theory.prerequisites.orthogonal import random_orthogonal
from corollary.theory.prerequisites.quadratic_losses import MatrixFactorization


class Given(NamedTuple):
    R: Float[Tensor, "m n"]  # the matrix to factorise
    p: int  # rank of the factors
    V: Float[Tensor, "p n"]  # start


def _overlap(given: Given) -> float:
    leading = torch.linalg.svd(given.R).Vh[: given.p]
    return float(torch.linalg.svdvals(given.V @ leading.T).min()) - 1e-9


class FactorizationOptimum(Claim[Given]):
    m: int = option(12, low=1, high=200)  # rows of R
    n: int = option(9, low=1, high=200)  # columns of R
    p: int = option(3, low=1, high=200)  # rank of the factors, at most the rank of R

    relation = equals(ulps=2**16, scale=1.0)  # R has norm 1; a hundred steps of ratio 0.7² suffice
    supposes = Suppose(
        "the start is not orthogonal to the leading singular vectors",
        _overlap,
        "If both factors start at zero, they never move away from this saddle.",
        V=lambda g: 0 * g.V,
    )
    symbols = "½ Σ σᵢ², i > p", "loss"
    shows = Along("Alternating minimisation of ½‖UV − R‖²", x="step", log="y", first=1)

    def given(self, rng: Generator) -> Given:
        k, p = min(self.m, self.n), min(self.p, self.m, self.n)
        s = torch.logspace(0, k - 1, k, base=0.7, dtype=torch.float64)
        U, W = random_orthogonal(self.m, rng=rng), random_orthogonal(self.n, rng=rng)
        return Given((U[:, :k] * s) @ W[:, :k].T, p, normal(rng, p, self.n))

    def predict(self, given: Given) -> float:
        return MatrixFactorization(given.R, given.p).best()

    def measure(self, given: Given) -> Path:
        return Path(MatrixFactorization(given.R, given.p).alternate(given.V, steps=100)[2])
