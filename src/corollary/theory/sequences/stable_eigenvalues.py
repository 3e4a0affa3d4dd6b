r"""Eigenvalues that cannot leave the unit disc.

.. math:: \lambda=\exp(-e^\nu+i\varphi),\qquad|\lambda|=\exp(-e^\nu)\in(0,1)
   \quad\text{for every real }\nu .

To start with :math:`|\lambda|=r`, take :math:`\nu=\ln(-\ln r)`, which needs :math:`0<r<1`.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Orvieto, Smith, Gu, Fernando, Gulcehre,
    Pascanu and De (2023), "Resurrecting recurrent neural networks for long sequences".
"""

from typing import NamedTuple

import torch
from jaxtyping import Complex, Float
from torch import Generator, Tensor

from corollary.errors import InputError


class Polar(NamedTuple):
    """The two free numbers of each eigenvalue."""

    nu: Float[Tensor, " m"]
    phi: Float[Tensor, " m"]


def stable_eigenvalues(nu: Float[Tensor, "*m"], phi: Float[Tensor, "*m"]) -> Complex[Tensor, "*m"]:
    r""":math:`\exp(-e^\nu+i\varphi)`, differentiable in both.

    Example:
        >>> nu = torch.log(torch.log(torch.tensor([2.0], dtype=torch.float64)))
        >>> lam = stable_eigenvalues(nu, torch.tensor([torch.pi], dtype=torch.float64))
        >>> round(lam.real.item(), 12)
        -0.5
    """
    return torch.polar(torch.exp(-torch.exp(nu)), phi)


def distance_to_circle(nu: Float[Tensor, "*m"]) -> Float[Tensor, "*m"]:
    r""":math:`1-|\lambda|`, with all its digits where :math:`|\lambda|` itself is rounded to 1.

    In float64 that is below :math:`\nu\approx-37`; there :math:`1-|\lambda|\approx e^\nu>0`.

    Example:
        >>> nu = torch.tensor([-50.0], dtype=torch.float64)
        >>> stable_eigenvalues(nu, nu).abs().item(), distance_to_circle(nu).item() > 0
        (1.0, True)
    """
    return -torch.expm1(-torch.exp(nu))


def lru_init(
    m: int,
    r_min: float | int = 0.5,
    r_max: float | int = 0.99,
    *,
    rng: Generator,
    dtype: torch.dtype = torch.float64,
) -> Polar:
    r"""Draw :math:`\varphi` uniform on :math:`[0,2\pi)` and :math:`|\lambda|` on [r_min, r_max].

    Example:
        >>> nu, phi = lru_init(100, 0.9, 0.95, rng=torch.Generator().manual_seed(0))
        >>> r = stable_eigenvalues(nu, phi).abs()
        >>> bool((r > 0.9).all() & (r < 0.95).all())
        True

    :covers: lru-eigenvalue-parametrization
    """
    if m < 1:
        raise InputError(f"m must be at least 1, got {m}")
    if not 0 < r_min <= r_max < 1:
        raise InputError(
            f"moduli must satisfy 0 < r_min <= r_max < 1 (ln(-ln r) is infinite at both ends), "
            f"but r_min={r_min:g}, r_max={r_max:g}"
        )
    u, v = torch.rand(2, m, generator=rng, device=rng.device, dtype=dtype)
    return Polar(nu_of(r_min + (r_max - r_min) * u), 2 * torch.pi * v)


def nu_of(r: Float[Tensor, "*m"]) -> Float[Tensor, "*m"]:
    r"""The parameter :math:`\nu=\ln(-\ln r)` of a modulus.

    Example:
        >>> torch.exp(-torch.exp(nu_of(torch.tensor([0.25], dtype=torch.float64)))).item()
        0.25
    """
    if not bool(((r > 0) & (r < 1)).all()):
        bad = r[~((r > 0) & (r < 1))].flatten()[0].item()
        raise InputError(f"a modulus must lie strictly between 0 and 1, got {bad:g}")
    return torch.log(-torch.log(r))
