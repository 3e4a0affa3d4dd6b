r"""Where a shallow network has its frequencies: in tubes.

The transform of :math:`x \mapsto \sigma(\theta\cdot x)` lives on the line
:math:`\operatorname{span}\{\theta\}`; multiplied by a :math:`\varphi` whose spectrum is in the ball
:math:`R\,\mathbb B^n` it lives in the tube :math:`\operatorname{span}\{\theta\} + R\,\mathbb B^n`,
and that of a network of width m in the union of m tubes.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.2, Step II and Figure 4.6; Eldan
    and Shamir (2016), "The power of depth for feedforward neural networks".
:covers: ridge-fourier-support
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.approximation.fourier import centred_grid, transform
from corollary.theory.expressivity.ball_kernel import ball_kernel
from corollary.theory.expressivity.tubes import in_tubes
from corollary.theory.prerequisites.wellformed import check_at_least

Function = Callable[[Tensor], Tensor]
EDGE = 1e-9  # of the radius: frequencies on the edge of the ball belong to the tube


class EnergyMap(NamedTuple):
    """Energy of a product on the grid of frequencies."""

    w: Float[Tensor, "N N 2"]
    energy: Float[Tensor, "N N"]  # of each cell; the sum is the integral of the square

    def outside(self, directions: Float[Tensor, "m 2"], radius: float) -> float:
        """Energy that is in none of the tubes around the lines along the directions."""
        check_at_least("radius", radius, 0)
        inside = in_tubes(self.w.flatten(0, 1), directions, radius * (1 + EDGE))
        return float(self.energy.flatten()[~inside].sum())

    @property
    def total(self) -> float:
        """All of the energy."""
        return float(self.energy.sum())


def ridge_support(
    f: Function, reach: float, *, step: float = 0.25, R: float | None = None
) -> EnergyMap:
    r"""The energy of :math:`f\varphi` in the plane, cut off where :math:`\|x\| >` ``reach``.

    The kernel is :func:`ball_kernel` with radius R (that of volume one if absent). Cutting leaks at
    most the energy beyond the reach, which falls like 1/reach. Grid of (2 reach/step)^2 points.

    Args:
        f: A bounded function of points ``(..., 2)``.
        reach: Radius beyond which the product is put to zero.
        step: Distance of grid points; frequencies up to 1/(2 step) are seen.
        R: Radius of the kernel's spectrum.

    Example:
        >>> found = ridge_support(lambda x: torch.tanh(x[..., 0]), 32.0)
        >>> tube = torch.tensor([[1.0, 0.0]]).double()
        >>> found.outside(tube, 0.5642) / found.total < 0.01
        True
    """
    if not 0 < step < reach:
        raise InputError(f"0 < step < reach is needed, got step={step:g}, reach={reach:g}")
    x = centred_grid(2, 2 * int(reach / step), step)
    norm = x.norm(dim=-1)
    product = f(x) * ball_kernel(norm, 2, R) * (norm < reach)
    found = transform(product, step)
    return EnergyMap(found.w, found.values.abs().square() * found.cell)


def even_directions(m: int) -> Float[Tensor, "m 2"]:
    """Directions of m lines through the origin with equal angles between them.

    Example:
        >>> [[round(c, 9) for c in row] for row in even_directions(2).abs().tolist()]
        [[1.0, 0.0], [0.0, 1.0]]
    """
    if m < 1:
        raise InputError(f"at least one direction is needed, got m={m}")
    angle = torch.pi * torch.arange(m, dtype=torch.float64) / m
    return torch.stack([angle.cos(), angle.sin()], dim=1)
