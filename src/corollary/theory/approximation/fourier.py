r"""The Fourier transform on a grid, with the convention as an argument.

======== ================================================ =====================================
name     transform                                        inverse
======== ================================================ =====================================
ordinary :math:`\hat f(w)=\int e^{-2\pi iw\cdot x}f(x)dx` :math:`\int e^{2\pi iw\cdot x}\hat f(w)dw`
angular  :math:`\tilde f(w)=(2\pi)^{-d}\hat f(w/2\pi)`    :math:`\int e^{iw\cdot x}\tilde f(w)dw`
======== ================================================ =====================================

The ordinary one is unitary, :math:`\|f\|_2=\|\hat f\|_2`; Barron's paper uses the angular one. The
two give constants that differ by :math:`2\pi`:

.. math:: \int\|w\|\,|\tilde f(w)|\,dw=2\pi\int\|w\|\,|\hat f(w)|\,dw .

The grid has N points :math:`x_j=(j-\lfloor N/2\rfloor)h` along each axis, and the frequencies are
:math:`k/(Nh)` (times :math:`2\pi` in the angular convention), both ascending: this is
``torch.fft.fftn`` with the origin in the middle, times :math:`h^d`.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 4.1 and 10.1.1; Perez Jensen (2025),
    Deep Learning, Section 4.1, Definition 4.2; Barron (1993), Universal approximation bounds for
    superpositions of a sigmoidal function.
:covers: fourier-transform-convention
"""

import math
from typing import Literal, NamedTuple

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from corollary.errors import InputError

Convention = Literal["ordinary", "angular"]


class Transform(NamedTuple):
    """A transform on the grid of its frequencies."""

    w: Float[Tensor, "*N d"]  # frequencies
    values: Complex[Tensor, "*N"]
    step: float  # h, of the grid of points
    convention: Convention

    @property
    def cell(self) -> float:
        """Volume of a cell of the grid of frequencies."""
        spacing = [1 / (n * self.step) for n in self.values.shape]
        factor = 1.0 if self.convention == "ordinary" else 2 * math.pi
        return math.prod(factor * s for s in spacing)


def centred_grid(d: int, n: int, step: float) -> Float[Tensor, "*N d"]:
    """The points ``(j - n // 2) * step`` along each of d axes, as an array of points.

    Example:
        >>> centred_grid(1, 4, 0.5)[:, 0].tolist()
        [-1.0, -0.5, 0.0, 0.5]
    """
    if d < 1 or n < 1 or not 0 < step < math.inf:
        raise InputError(f"a grid needs d, n >= 1 and step > 0, got d={d}, n={n}, step={step:g}")
    axis = (torch.arange(n, dtype=torch.float64) - n // 2) * step
    return torch.stack(torch.meshgrid(*[axis] * d, indexing="ij"), -1)


def transform(
    f: Float[Tensor, "*N"] | Complex[Tensor, "*N"],
    step: float,
    *,
    convention: Convention = "ordinary",
) -> Transform:
    r"""The transform of values on a centred grid, :math:`O(N^d\log N)`.

    For a function that has died out at the ends of the grid, and whose transform has died out at
    the highest frequency, this is the integral to machine precision.

    Example:
        >>> x = centred_grid(1, 64, 0.125)
        >>> found = transform(torch.exp(-math.pi * x[:, 0] ** 2), 0.125)  # its own transform
        >>> bool((found.values - torch.exp(-math.pi * found.w[:, 0] ** 2)).abs().max() < 1e-14)
        True
    """
    if f.dim() == 0 or f.numel() == 0 or not 0 < step < math.inf:
        raise InputError(
            f"grid values and step > 0 are needed, got shape {tuple(f.shape)} and step={step:g}"
        )
    d, factor = f.dim(), _factor(convention)
    values = torch.fft.fftshift(torch.fft.fftn(torch.fft.ifftshift(f))) * step**d
    axes = [
        torch.fft.fftshift(torch.fft.fftfreq(n, step, dtype=torch.float64, device=f.device))
        for n in f.shape
    ]
    w = torch.stack(torch.meshgrid(*axes, indexing="ij"), -1).to(values.real.dtype)
    return Transform(factor * w, values / factor**d, step, convention)


def inverse(of: Transform) -> Complex[Tensor, "*N"]:
    """The values on the grid of points.

    Example:
        >>> f = torch.tensor([1.0, 2.0, 5.0, 3.0], dtype=torch.float64)
        >>> [round(v, 12) for v in inverse(transform(f, 0.1, convention="angular")).real.tolist()]
        [1.0, 2.0, 5.0, 3.0]
    """
    d, factor = of.values.dim(), _factor(of.convention)
    back: Tensor = torch.fft.fftshift(torch.fft.ifftn(torch.fft.ifftshift(of.values)))
    scale: float = (factor / of.step) ** d
    return back * scale


def converted(of: Transform, convention: Convention) -> Transform:
    """The same transform in another convention.

    Example:
        >>> f = torch.tensor([0.0, 1.0, 0.0, 0.0], dtype=torch.float64)
        >>> angular = converted(transform(f, 1.0), "angular")
        >>> bool(torch.allclose(angular.values, transform(f, 1.0, convention="angular").values))
        True
    """
    factor = _factor(convention) / _factor(of.convention)
    d = of.values.dim()
    return Transform(factor * of.w, of.values / factor**d, of.step, convention)


def gradient_transform(of: Transform) -> Complex[Tensor, "*N d"]:
    r"""The transform of the gradient, without differentiating.

    .. math:: \widehat{\nabla f}(w)=2\pi i\,w\,\hat f(w),\qquad
       \widetilde{\nabla f}(w)=i\,w\,\tilde f(w)

    Example:
        >>> x = centred_grid(1, 64, 0.125)[:, 0]
        >>> bump = torch.exp(-math.pi * x**2)
        >>> slope = transform(-2 * math.pi * x * bump, 0.125).values
        >>> bool((gradient_transform(transform(bump, 0.125))[:, 0] - slope).abs().max() < 1e-13)
        True

    :source: Lucchi (2025), Foundations of Deep Learning, Section 4.1.
    :covers: fourier-gradient-identity
    :erratum: [possible OCR artefact] The first display of Theorem 26 carries the hat on f alone
        (the norm of the gradient of the transform); the transform of the gradient is meant, and the
        hypothesis of the theorem and (4.4) print it so. Probably a narrowed hat in the scan.
    """
    factor = 2 * math.pi / _factor(of.convention)
    return 1j * factor * of.w * of.values[..., None]


def weighted_mass(of: Transform, power: float = 1.0) -> float:
    r"""The integral of :math:`\|w\|^p|\hat f(w)|` over the frequencies of the grid.

    ``power=1`` is Barron's constant, cut off at the highest frequency of the grid.

    Example:
        >>> x = centred_grid(1, 512, 1 / 16)[:, 0]
        >>> bump = transform(torch.exp(-math.pi * x**2), 1 / 16)
        >>> round(weighted_mass(bump, 0.0), 9), round(weighted_mass(bump), 3)  # 1 and 1 / pi
        (1.0, 0.318)
    """
    return float((of.w.norm(dim=-1) ** power * of.values.abs()).sum()) * of.cell


def _factor(convention: Convention) -> float:
    if convention not in ("ordinary", "angular"):
        raise InputError(f"expected convention to be 'ordinary' or 'angular', got {convention!r}")
    return 1.0 if convention == "ordinary" else 2 * math.pi
