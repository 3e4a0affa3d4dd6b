r"""Mean integrated squared error of a random function, and its two parts.

.. math:: \mathrm{MISE}=\mathbb{E}\int(G-f)^2=\int(\mathbb{E}G-f)^2+\int\mathrm{Var}\,G

The expectation is over the random sample or network behind G. Over finitely many repeats the split
is exact too, with the mean and the variance over the repeats.

:source: Mathematical Foundations of Deep Learning (slides), Barron's Theorem.
:covers: mise
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.approximation.distance import Box, quadrature
from corollary.theory.approximation.grids import Function


class Mise(NamedTuple):
    """The estimate and its parts."""

    total: float
    bias: float  # integrated squared bias of the mean over the repeats
    variance: float  # integrated variance over the repeats
    standard_error: float  # of the total
    noise: float  # what the bias would be, on average, if G were unbiased


def mise(
    sampler: Callable[[Generator], Function],
    f: Function,
    box: Box,
    *,
    repeats: int = 50,
    panels: int = 32,
    rng: Generator,
) -> Mise:
    """Draw G ``repeats`` times and integrate over the box with a product Gauss rule.

    Args:
        sampler: Gives a function of points (n, d), drawn from the generator.
        f: The target.
        box: A pair of ends for each axis.
        repeats: Number of draws, at least two.
        panels: Of the rule along each axis.
        rng: Source of randomness.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> coin = lambda rng: lambda x: x[:, 0] * 0 + torch.randint(2, (1,), generator=rng) + 0.0
        >>> found = mise(coin, lambda x: x[:, 0] * 0 + 0.5, [(0.0, 1.0)], repeats=20, rng=rng)
        >>> round(found.total, 12), round(found.bias + found.variance, 12)
        (0.25, 0.25)
    """
    if repeats < 2:
        raise InputError(f"at least two repeats are needed for a variance, got repeats={repeats}")
    x, weight = quadrature(box, panels)
    with torch.no_grad():
        drawn = torch.stack([sampler(rng)(x) for _ in range(repeats)])
    return split(drawn, f(x), weight)


def split(drawn: Tensor, target: Tensor, weight: Tensor) -> Mise:
    """The same for values (repeats, n) at n points with weights.

    Example:
        >>> one = torch.ones(1, dtype=torch.float64)
        >>> split(torch.tensor([[0.0], [2.0]]).double(), 0 * one, one)[:3]
        (2.0, 1.0, 1.0)
    """
    if drawn.dim() != 2 or len(drawn) < 2:
        raise InputError(
            f"expected values (repeats, n) with repeats >= 2, got {tuple(drawn.shape)}"
        )
    errors = (drawn - target).square() @ weight
    mean = drawn.mean(0)
    bias = float((mean - target).square() @ weight)
    variance = float((drawn - mean).square().mean(0) @ weight)
    spread = float(errors.std()) / len(drawn) ** 0.5
    return Mise(float(errors.mean()), bias, variance, spread, variance / (len(drawn) - 1))
