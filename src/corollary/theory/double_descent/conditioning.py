r"""Singular values of random designs near the interpolation threshold.

The nonzero singular values of an :math:`n\times p` standard normal matrix fill
:math:`[|\sqrt n-\sqrt p|,\sqrt n+\sqrt p]` (Marchenko and Pastur). At :math:`p=n` the lower edge is
0 and the smallest one is of order :math:`1/\sqrt n`, with the law

.. math:: P\bigl(\sqrt n\,\sigma_{\min}>t\bigr)\to e^{-t^2/2-t} ,

so the condition number is of order n and the inverse covariance explodes.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2; Marchenko and Pastur (1967),
    "Distribution of eigenvalues for some sets of random matrices"; Edelman (1988), "Eigenvalues and
    condition numbers of random matrices", Theorem 5.1 and Corollary 3.1.
:covers: interpolation-conditioning
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError

# Mean of a positive variable with tail exp(-t²/2 - t): sqrt(pi e / 2) erfc(1 / sqrt 2).
SQUARE_MEAN = math.sqrt(math.pi * math.e / 2) * math.erfc(math.sqrt(0.5))


@dataclass(frozen=True)
class ConditionCurve:
    """Extreme singular values of normal matrices with n rows, by their number of columns."""

    p: tuple[int, ...]
    smallest: Float[Tensor, "sizes draws"]  # smallest nonzero singular value
    largest: Float[Tensor, "sizes draws"]
    edge: Float[Tensor, " sizes"]  # |sqrt n - sqrt p|, or the mean at p = n

    @property
    def condition(self) -> Float[Tensor, "sizes draws"]:
        """Largest over smallest."""
        return self.largest / self.smallest


def lower_edge(n: int, p: int) -> float:
    r"""Where the smallest singular value is: :math:`|\sqrt n-\sqrt p|`, or 0.656/sqrt n at p = n.

    Example:
        >>> lower_edge(9, 25), round(lower_edge(4, 4), 4)
        (2.0, 0.3278)
    """
    if n < 1 or p < 1:
        raise InputError(f"n and p must be at least 1, got n={n}, p={p}")
    return SQUARE_MEAN / math.sqrt(n) if n == p else abs(math.sqrt(n) - math.sqrt(p))


def condition_curve(
    n: int, ps: Sequence[int], *, draws: int = 20, rng: Generator
) -> ConditionCurve:
    """Measure the extreme singular values; one decomposition per draw, O(np min(n, p)).

    Example:
        >>> found = condition_curve(20, [10, 20, 40], rng=torch.Generator().manual_seed(0))
        >>> bool(found.condition[1].median() > 3 * found.condition[[0, 2]].median())
        True
    """
    edge = torch.tensor([lower_edge(n, p) for p in ps], dtype=torch.float64)
    normal = partial(torch.randn, generator=rng, device=rng.device, dtype=torch.float64)
    values = [torch.linalg.svdvals(normal(draws, n, p)) for p in ps]
    smallest = torch.stack([s[:, -1] for s in values])
    largest = torch.stack([s[:, 0] for s in values])
    return ConditionCurve(tuple(ps), smallest, largest, edge)


def square_tail(t: Float[Tensor, "*m"]) -> Float[Tensor, "*m"]:
    r"""Edelman's law :math:`P(\sqrt n\sigma_{\min}>t)=e^{-t^2/2-t}` for large square matrices.

    Example:
        >>> square_tail(torch.tensor([0.0])).item()
        1.0
    """
    return torch.exp(-t.square() / 2 - t)
