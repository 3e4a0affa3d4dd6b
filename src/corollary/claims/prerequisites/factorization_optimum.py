r"""Matrix factorisation reaches the best rank.

The loss :math:`\frac12\|UV-R\|_F^2` over :math:`U\in\mathbb{R}^{m\times p},
V\in\mathbb{R}^{p\times n}` has gradients :math:`(UV-R)V^\top` and :math:`U^\top(UV-R)`. Minimising
over U and V in turn, from a start that meets the p leading right singular vectors of R, ends at

.. math:: \tfrac12\sum_{i>p}\sigma_i(R)^2,

the least loss of rank p. From :math:`U=V=0`, where both gradients vanish too, it never moves.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.7, Problem 2b; Eckart and Young
    (1936), "The approximation of one matrix by another of lower rank".
:kind: theorem
:cost: instant
:covers: matrix-factorization-gradients
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.theory.prerequisites.orthogonal import random_orthogonal
from corollary.theory.prerequisites.quadratic_losses import MatrixFactorization


class Given(NamedTuple):
    """A matrix, a rank and a start."""

    R: Float[Tensor, "m n"]
    p: int
    V: Float[Tensor, "p n"]


class FactorizationOptimum(Claim[Given]):
    m: int = option(12, low=1, high=200)  # rows of R
    n: int = option(9, low=1, high=200)  # columns of R
    p: int = option(3, low=1, high=200)  # rank of the factors, at most that of R
    relation = equals(ulps=2**16, scale=1.0)  # R has norm 1; a hundred steps of ratio 0.7² suffice

    def given(self, rng: Generator) -> Given:
        """Singular values 1, 0.7, 0.49, ..."""
        k, p = min(self.m, self.n), min(self.p, self.m, self.n)
        s = 0.7 ** torch.arange(k, dtype=torch.float64)
        U, W = random_orthogonal(self.m, rng=rng), random_orthogonal(self.n, rng=rng)
        R = (U[:, :k] * s) @ W[:, :k].T
        return Given(R, p, torch.randn(p, self.n, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The start has a part along each leading right singular vector."""
        lead = torch.linalg.svd(given.R).Vh[: given.p]
        smallest = float(torch.linalg.svdvals(given.V @ lead.T).min())
        detail = f"smallest singular value of the overlap {smallest:.2g}"
        yield Hypothesis("the start meets the leading singular vectors", smallest > 1e-9, detail)

    def predict(self, given: Given) -> float:
        """Half the squared tail."""
        return MatrixFactorization(given.R, given.p).best()

    def measure(self, given: Given) -> float:
        """The loss at the end."""
        return _history(given)[-1]

    def counterexample(self, rng: Generator) -> Given:
        """The saddle at zero."""
        given = self.given(rng)
        return given._replace(V=torch.zeros_like(given.V))

    def figure(self, given: Given) -> Figure:
        """The loss on its way."""
        history = _history(given)[:25]
        return Figure(
            "Alternating minimisation of ½‖UV − R‖²",
            x="step",
            y="loss",
            log_y=True,
            marks=(
                Curve(history, range(1, len(history) + 1), label="loss"),
                Level(self.predict(given), label="½ Σ σᵢ², i > p"),
            ),
        )


def _history(given: Given) -> list[float]:
    return MatrixFactorization(given.R, given.p).alternate(given.V, steps=100)[2]
