r"""Bases that are fixed in advance: the waves of lowest frequency, and polynomials.

For the functions :math:`\frac C{\|k\|}\cos(2\pi k\cdot x)`, all with Barron's constant C, no linear
space of dimension m has a worst squared error better than of order :math:`(C/d)^2m^{-2/d}`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.1, Remark 3; Barron (1993),
    Universal approximation bounds for superpositions of a sigmoidal function, Theorem 6.
:covers: barron-vs-fixed-basis
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


def lowest_frequencies(d: int, n: int) -> Float[Tensor, "n d"]:
    r"""The n integer vectors of least length, one of each pair :math:`\pm k`, without zero.

    Costs the enumeration of a cube that contains the ball of 2n + 1 lattice points.

    Example:
        >>> lowest_frequencies(2, 4).square().sum(1).tolist()
        [1.0, 1.0, 2.0, 2.0]
    """
    if d < 1 or n < 1:
        raise InputError(f"d and n must be at least 1, got d={d}, n={n}")
    volume = math.pi ** (d / 2) / math.gamma(d / 2 + 1)
    reach = math.ceil(((2 * n + 1) / volume) ** (1 / d) + d**0.5 / 2)  # the ball holds enough
    axis = torch.arange(-reach, reach + 1, dtype=torch.float64)
    k = torch.cartesian_prod(*[axis] * d).reshape(-1, d)
    half = k[len(k) // 2 + 1 :]  # the second half of the cube, in lexicographic order
    order = half.square().sum(1).argsort(stable=True)
    return half[order[:n]]


def waves_at(k: Float[Tensor, "n d"], x: Float[Tensor, "p d"]) -> Float[Tensor, "p m"]:
    r"""The functions :math:`\sqrt2\cos(2\pi k\cdot x)` and the sines at points, 2n columns in turn.

    Example:
        >>> k, x = torch.ones(1, 1, dtype=torch.float64), torch.zeros(1, 1, dtype=torch.float64)
        >>> [round(v, 6) for v in waves_at(k, x)[0].tolist()]
        [1.414214, 0.0]
    """
    angle = 2 * math.pi * x @ k.T
    return math.sqrt(2) * torch.stack([angle.cos(), angle.sin()], 2).flatten(1)


def monomials(x: Float[Tensor, "p d"], m: int) -> Float[Tensor, "p m"]:
    """Products of Chebyshev polynomials of least total degree, for points of the unit cube.

    Example:
        >>> [round(v, 9) for v in monomials(torch.tensor([[1.0]]).double(), 3)[0].tolist()]
        [1.0, 1.0, 1.0]
    """
    if not 1 <= m < math.inf:
        raise InputError(f"m must be at least 1, got {m}")
    d = x.shape[1]
    reach = 0
    while math.comb(reach + d, d) < m:
        reach += 1
    powers = torch.cartesian_prod(*[torch.arange(reach + 1)] * d).reshape(-1, d)
    powers = powers[powers.sum(1).argsort(stable=True)[:m]]
    angle = torch.acos((2 * x - 1).clamp(-1, 1))
    return torch.cos(angle[:, None, :] * powers).prod(2)
