r"""Random smooth functions whose Lipschitz constant is known.

.. math:: g(x)=\sum_{j=1}^dc_j\sin(2\pi\nu_jx_j+\varphi_j),\qquad
   \rho=2\pi\sum_j|c_j|\nu_j

:math:`\rho` is a Lipschitz constant in :math:`\|\cdot\|_\infty`, and the smallest one over
:math:`\mathbb{R}^d`.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.seeding import as_generator


@dataclass(frozen=True)
class Wave:
    """A sum of one sine for each coordinate; call it on points (n, d)."""

    c: Float[Tensor, " d"]  # amplitudes
    nu: Float[Tensor, " d"]  # frequencies
    phi: Float[Tensor, " d"]  # phases

    def __call__(self, x: Tensor) -> Tensor:
        """The values at points (n, d)."""
        return torch.sin(2 * math.pi * self.nu * x + self.phi) @ self.c

    @property
    def lipschitz(self) -> float:
        """The Lipschitz constant in the sup norm."""
        return float(2 * math.pi * (self.c.abs() * self.nu).sum())


def random_wave(d: int, rho: float, *, rng: int | Generator = 0) -> Wave:
    """A wave in d variables with Lipschitz constant ``rho`` in the sup norm.

    Example:
        >>> wave = random_wave(3, 2.0, rng=torch.Generator().manual_seed(0))
        >>> round(wave.lipschitz, 12)
        2.0
    """
    rng = as_generator(rng)
    if d < 1 or not 0 <= rho < math.inf:
        raise InputError(f"a wave needs d >= 1 and 0 <= rho < inf, got d={d}, rho={rho:g}")

    def uniform() -> Tensor:
        return torch.rand(d, generator=rng, device=rng.device, dtype=torch.float64)

    c, nu, phi = 0.5 + uniform(), 0.5 + uniform(), 2 * math.pi * uniform()
    return Wave(c * (rho / (2 * math.pi * float((c * nu).sum()))), nu, phi)
