r"""Integral operators on a grid, and the continuous convolution.

.. math:: (Tf)(u)=\int_{t_1}^{t_2}H(u,t)f(t)\,\mathrm dt\approx\sum_jH(u,t_j)\,w_j\,f(t_j)

with the weights :math:`w_j` of the trapezoidal rule: a matrix times a vector. The kernel
:math:`e^{-2\pi itu}` gives the Fourier transform, :math:`h(u-t)` the convolution. For smooth
functions that are small at both ends of the grid the error falls faster than any power of the
spacing; a jump leaves it of the order of the spacing.

:source: Perez Jensen (2025), Deep Learning, Section 4.1, Definitions 4.1 to 4.3; Lucchi (2025),
    Foundations of Deep Learning, Sections 10.1.1 and 10.1.2.
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float, Inexact
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.approximation.convolution import convolve

Kernel = Callable[[Tensor, Tensor], Tensor]


def fourier_kernel(u: Float[Tensor, "*a"], t: Float[Tensor, "*b"]) -> Inexact[Tensor, "*c"]:
    r"""The kernel :math:`e^{-2\pi itu}`, by whose operator a function becomes its transform."""
    angle = -2 * math.pi * u * t
    return torch.polar(torch.ones_like(angle), angle)


def trapezoid_weights(t: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Weights of the trapezoidal rule on an ascending grid.

    Example:
        >>> trapezoid_weights(torch.tensor([0.0, 1.0, 3.0])).tolist()
        [0.5, 1.5, 1.0]
    """
    if len(t) < 2 or not bool((t.diff() > 0).all()):
        raise InputError(f"the grid needs at least two ascending points, got {t.tolist()[:6]}")
    gaps = torch.nn.functional.pad(t.diff(), (1, 1))
    return (gaps[:-1] + gaps[1:]) / 2


def integral_operator(
    H: Kernel, t: Float[Tensor, " n"], u: Float[Tensor, " k"] | None = None
) -> Inexact[Tensor, "k n"]:
    r"""The matrix :math:`H(u_i,t_j)w_j`, to be applied to :math:`f(t_j)`; without u at :math:`u=t`.

    O(kn) time and memory.

    Example:
        >>> t = torch.linspace(0, 1, 3, dtype=torch.float64)
        >>> T = integral_operator(lambda u, t: (t <= u).double(), t)  # all of f up to u
        >>> (T @ torch.ones(3, dtype=torch.float64)).tolist()  # within one spacing of 0, 1/2, 1
        [0.25, 0.75, 1.0]

    :covers: integral-operator
    """
    u = t if u is None else u
    values = H(u[:, None], t[None, :])
    return values.expand(len(u), len(t)) * trapezoid_weights(t)


def numerical_convolve(
    f: Callable[..., Tensor], h: Callable[..., Tensor], *axes: Float[Tensor, " n"]
) -> Float[Tensor, "*k"]:
    r"""The convolution of two functions on a uniform grid, by the trapezoidal rule.

    .. math:: (f*h)(u)=\int h(u-t)f(t)\,\mathrm dt,\qquad
       (f*g)(x,y)=\iint f(a,b)\,g(x-a,y-b)\,\mathrm da\,\mathrm db

    One axis for functions of one variable, two for functions of two. The differences u - t of a
    uniform grid lie on a grid again, so :math:`N` points cost :math:`O(N\log N)`.

    Example:
        >>> t = torch.linspace(-6, 6, 121, dtype=torch.float64)
        >>> gauss = lambda t: torch.exp(-math.pi * t**2)
        >>> at_zero = float(numerical_convolve(gauss, gauss, t)[60])
        >>> round(at_zero, 12), round(0.5**0.5, 12)  # exp(-pi u^2 / 2) / sqrt(2): variances add
        (0.707106781187, 0.707106781187)

    :covers: continuous-convolution
    """
    if len(axes) not in (1, 2):
        raise InputError(f"expected one or two axes, got {len(axes)}")
    for t in axes:
        if not torch.allclose(t.diff(), t.diff()[:1].expand(len(t) - 1), rtol=1e-6):
            raise InputError("the grid must be uniform; create it with torch.linspace")
    weights = [trapezoid_weights(t) for t in axes]
    mass = f(*_mesh(axes)) * (weights[0] if len(axes) == 1 else torch.outer(*weights))
    differences = [(t[1] - t[0]) * torch.arange(1 - len(t), len(t)).to(t) for t in axes]
    full = convolve(mass, h(*_mesh(differences)))
    return full[tuple(slice(len(t) - 1, 2 * len(t) - 1) for t in axes)]


def _mesh(axes: tuple[Tensor, ...] | list[Tensor]) -> tuple[Tensor, ...]:
    return torch.meshgrid(*axes, indexing="ij")
