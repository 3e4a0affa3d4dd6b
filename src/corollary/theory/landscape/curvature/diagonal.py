r"""The diagonal of an operator, entry by entry, with error bars.

Large eigenvalues are taken exactly on a basis Q of a random sketch, the rest from sign vectors z:

.. math:: \operatorname{diag} A = \operatorname{diag}(Q Q^\top A)
          + \mathbb{E}\, z \odot (I - Q Q^\top) A z,

because :math:`\mathbb{E} z z^\top = I`. Each sign vector gives one unbiased value of every entry.

:source: Bekas, Kokiopoulou and Saad (2007), "An estimator for the diagonal of a matrix"; Baston
    and Nakatsukasa (2022), "Stochastic diagonal estimation: probabilistic bounds and an improved
    algorithm".
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.confidence.mean import student
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.eigen import as_operator
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.operator import Curvature
from corollary.theory.seeding import as_generator
from corollary.theory.wording import percent, span


@dataclass(frozen=True)
class Diagonal:
    """Every diagonal entry with its half width."""

    values: Float[Tensor, " p"]
    half_widths: Float[Tensor, " p"]  # of the interval at ``level``, entry by entry
    level: float
    products: int
    path: str

    def __repr__(self) -> str:
        return (
            f"diagonal of {len(self.values)} entries: {span(self.values)}, sum "
            f"{float(self.values.sum()):.4g}; half widths {span(self.half_widths)} "
            f"({percent(self.level)} intervals, {self.products} products)"
        )


@of_model
def diagonal(
    subject: Landscape | Curvature,
    *,
    sketch: int = 10,
    probes: int = 30,
    level: float = 0.95,
    rng: int | Generator = 0,
) -> Diagonal:
    r"""The diagonal from ``2 sketch + probes`` products (exact when p products are no more).

    Args:
        subject: A landscape (its Hessian is meant), an operator, or model, loss and data.
        sketch: Dimension in which the operator is taken exactly.
        probes: Sign vectors for the rest, at least 2.
        level: Of each entry's interval; entries with much weight off the diagonal are the widest.
        rng: Of all random vectors.

    Example:
        >>> from corollary.theory.landscape.curvature.operator import Explicit
        >>> diagonal(Explicit(torch.diag(torch.arange(3.0)))).values.tolist()
        [0.0, 1.0, 2.0]
    """
    A, rng = as_operator(subject), as_generator(rng)
    if sketch < 0 or probes < 2:
        raise InputError(
            f"sketch must be at least 0 and probes at least 2, got sketch={sketch}, probes={probes}"
        )
    start, factor = A.products, student(probes - 1, level)
    if A.size <= 2 * sketch + probes:
        exact = A.dense().diagonal().clone()
        return Diagonal(exact, torch.zeros_like(exact), level, A.products - start, A.path)
    Q, known = _taken_exactly(A, sketch, rng)
    mean = square = torch.zeros_like(known)
    for count in range(1, probes + 1):  # Welford's running mean and variance: no p x probes block
        z = A.random(rng=rng).sign()
        az = A.product(z)
        draw = z * (az - Q.T @ (Q @ az))
        gap = draw - mean
        mean = mean + gap / count
        square = square + gap * (draw - mean)
    half = factor * (square / (probes - 1) / probes).sqrt()
    return Diagonal(known + mean, half, level, A.products - start, A.path)


def _taken_exactly(A: Curvature, sketch: int, rng: Generator) -> tuple[Tensor, Tensor]:
    r"""A basis of a sketch, as rows, and the diagonal of :math:`Q Q^\top A`."""
    if sketch == 0:
        none = torch.zeros(0, A.size, dtype=A.dtype, device=A.device)
        return none, torch.zeros(A.size, dtype=A.dtype, device=A.device)
    Y = A.rows(torch.stack([A.random(rng=rng) for _ in range(sketch)]))
    Q = torch.linalg.qr(Y.T).Q.T
    return Q, (Q * A.rows(Q)).sum(0)
