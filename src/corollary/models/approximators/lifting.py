r"""From one dimension to n: approximate by ridge functions, and each of those by units.

If :math:`|f-\sum_{k\le m}g_k(\theta_k\cdot x)|\le\epsilon/2` on K and each :math:`g_k` is
approximated to :math:`\epsilon/(2m)` on the range of :math:`\theta_k\cdot x` by a network in one
variable, the networks :math:`\sum_ia_i\sigma(w_i\,\theta_k\cdot x+b_i)` add up to one in n
variables with error at most :math:`\epsilon`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.4, Theorem 22; Pinkus (1999),
    Approximation theory of the MLP model in neural networks; Perez Jensen (2025), Deep Learning,
    Section 2.4, Lemma 2.6.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.models.approximators.shallow import (
    Scalar,
    Superposition,
    fit_outer,
    joined,
    random_units,
)

WIDTHS = (4, 6, 8, 12, 16, 32, 64, 128, 256)


class Ridge(NamedTuple):
    """One term ``g(theta . x)``."""

    theta: Float[Tensor, " n"]
    g: Callable[[Tensor], Tensor]  # of one variable, entry by entry


class Lifted(NamedTuple):
    """The network in n variables, and what each part of it kept."""

    network: Superposition
    budget: float  # eps / (2m), for each part
    errors: tuple[float, ...]  # sup errors of the parts in one variable, on a grid
    units: tuple[int, ...]  # units of the parts


def lift(
    ridges: Sequence[Ridge],
    sigma: Scalar,
    eps: float,
    *,
    radius: float = 1.0,
    scale: float = 3.0,
    bias: bool = True,
    rng: Generator,
) -> Lifted:
    r"""Build the network on the cube :math:`[-R,R]^n`, :math:`R` being ``radius``.

    A part is fitted with 4, 6, ... 256 units until it meets its budget; if none does, the widest
    one stands, and ``errors`` says so.

    Args:
        ridges: Terms of the decomposition.
        sigma: Activation.
        eps: Error to keep, half of which is spent here.
        radius: Half the side of the cube.
        scale: Largest slope of a unit on the range of a ridge, scaled to [-1, 1].
        bias: Without biases the statement is false.
        rng: Source of the inner weights.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> theta = torch.tensor([1.0, 1.0], dtype=torch.float64)
        >>> made = lift([Ridge(theta, torch.square)], torch.tanh, 0.01, rng=rng)
        >>> x = torch.tensor([[0.5, 0.25]], dtype=torch.float64)
        >>> abs(made.network(x).item() - 0.75**2) <= 0.01
        True

    :covers: dimension-lifting
    :erratum: [missing hypothesis] Section 3.4 defines the n-dimensional class without a bias while
        the one-dimensional class has one and step 3 of the proof uses it. Read literally Theorem 22
        fails: with tanh every member is odd, so x^2 on [-1, 1] is never approximated better than
        1. Biases must be included, as in Perez Jensen (2025).
    """
    if not ridges or not eps > 0 or not radius > 0:
        raise InputError(f"lifting needs a ridge, eps > 0 and radius > 0, got {eps=}, {radius=}")
    budget = eps / (2 * len(ridges))
    parts, errors = [], []
    for theta, g in ridges:
        reach = radius * float(theta.abs().sum()) or 1.0
        part, worst = _part(g, sigma, reach, budget, scale, bias, rng)
        w = part.w * (theta / reach)
        parts.append(Superposition(sigma, w, part.b, part.a))
        errors.append(worst)
    units = tuple(part.units for part in parts)
    network = joined(parts, [1.0] * len(parts))
    return Lifted(network, budget, tuple(errors), units)


def _part(
    g: Callable[[Tensor], Tensor],
    sigma: Scalar,
    reach: float,
    budget: float,
    scale: float,
    bias: bool,
    rng: Generator,
) -> tuple[Superposition, float]:
    """A network in t = z / reach on [-1, 1], and its sup error between the points of the fit."""
    fine = torch.linspace(-1, 1, 1501, dtype=torch.float64)[:, None]
    x, y = fine[::3], g(reach * fine[:, 0])
    for m in WIDTHS:
        w, b = random_units(m, 1, scale, low=-1.0, high=1.0, rng=rng)
        part = fit_outer(sigma, w, b if bias else torch.zeros_like(b), x, y[::3])
        worst = float((part(fine) - y).abs().max().detach())
        if worst <= budget:
            break
    return part, worst
