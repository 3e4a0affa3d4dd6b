r"""Functions that know their Fourier transform, and can draw frequencies from it.

With :math:`\hat f=|\hat f|e^{2\pi i\theta}` (ordinary convention) each has its value, the total
mass :math:`\int|\hat f|`, Barron's constant :math:`C_f=\int\|w\||\hat f|`, and draws
:math:`(w,\theta(w))` from :math:`\|w\|^t|\hat f(w)|`, t = 0 or 1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.approximation.barron import Constant, barron_constant

Draws = tuple[Float[Tensor, "n d"], Float[Tensor, " n"]]


@runtime_checkable
class Spectrum(Protocol):
    """What sampling from a Fourier integral needs."""

    @property
    def d(self) -> int:
        """Dimension."""

    def __call__(self, x: Tensor) -> Tensor:
        """The function at points (n, d)."""

    @property
    def mass(self) -> float:
        """The integral of the modulus."""

    @property
    def constant(self) -> float:
        """Barron's constant, ordinary convention."""

    def draw(self, n: int, *, tilt: int = 1, rng: Generator) -> Draws:
        """Frequencies with density proportional to the modulus times their length^tilt."""


@dataclass(frozen=True)
class GaussianBump:
    r"""The function :math:`a\,e^{-\|x-\mu\|^2/2\sigma^2}`.

    Its transform has the modulus :math:`|a|` times the density of
    :math:`N(0,I/(4\pi^2\sigma^2))` and the phase :math:`-\mu\cdot w`.

    Example:
        >>> bump = GaussianBump(torch.zeros(2, dtype=torch.float64), 0.5)
        >>> bump.mass, round(bump.constant, 9)  # sqrt(pi / 2) / (2 pi sigma)
        (1.0, 0.39894228)
    """

    centre: Float[Tensor, " d"]
    sigma: float
    amplitude: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.sigma < math.inf or not math.isfinite(self.amplitude):
            raise InputError(f"expected sigma > 0 and a finite amplitude, got {self}")

    @property
    def d(self) -> int:
        """Dimension."""
        return len(self.centre)

    def __call__(self, x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
        """Values at points."""
        return self.amplitude * torch.exp(-((x - self.centre) ** 2).sum(1) / (2 * self.sigma**2))

    def modulus(self, w: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
        """The modulus of the transform."""
        height: float = abs(self.amplitude) * (2 * math.pi * self.sigma**2) ** (self.d / 2)
        return height * torch.exp(-2 * (math.pi * self.sigma) ** 2 * (w**2).sum(1))

    def phase(self, w: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
        """The phase of the transform, in turns."""
        return -(w @ self.centre) + (0.5 if self.amplitude < 0 else 0.0)

    @property
    def mass(self) -> float:
        """The integral of the modulus."""
        return abs(self.amplitude)

    @property
    def constant(self) -> float:
        """Barron's constant: the mass times the mean length of a frequency."""
        mean = math.sqrt(2) * math.exp(math.lgamma((self.d + 1) / 2) - math.lgamma(self.d / 2))
        return self.mass * mean / (2 * math.pi * self.sigma)

    def draw(self, n: int, *, tilt: int = 1, rng: Generator) -> Draws:
        """A direction, and a length with a chi law of d + tilt degrees of freedom."""
        u = torch.randn(n, self.d, generator=rng, dtype=self.centre.dtype)
        extra = torch.randn(n, tilt, generator=rng, dtype=self.centre.dtype)
        longer = (1 + (extra**2).sum(1) / (u**2).sum(1)).sqrt()
        w = u * longer[:, None] / (2 * math.pi * self.sigma)
        return w, self.phase(w)


@dataclass(frozen=True)
class Cosines:
    r"""The sum :math:`\sum_jc_j\cos(2\pi(w_j\cdot x+\theta_j))`, whose transform is atoms.

    Example:
        >>> w = torch.tensor([[3.0, 4.0]], dtype=torch.float64)
        >>> f = Cosines(w, c=w.new_ones(1), theta=w.new_zeros(1))
        >>> f.constant, f(torch.zeros(1, 2, dtype=torch.float64)).item()
        (5.0, 1.0)
    """

    w: Float[Tensor, "k d"]
    c: Float[Tensor, " k"]
    theta: Float[Tensor, " k"]  # in turns

    @property
    def d(self) -> int:
        """Dimension."""
        return self.w.shape[1]

    def __call__(self, x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
        """Values at points."""
        return torch.cos(2 * math.pi * (x @ self.w.T + self.theta)) @ self.c

    @property
    def mass(self) -> float:
        """The sum of the moduli."""
        return float(self.c.abs().sum())

    @property
    def constant(self) -> float:
        """Barron's constant."""
        return float(self.c.abs() @ self.w.norm(dim=1))

    def draw(self, n: int, *, tilt: int = 1, rng: Generator) -> Draws:
        """Atoms with probabilities proportional to modulus times length^tilt."""
        chance = self.c.abs() * self.w.norm(dim=1) ** tilt
        pick = torch.multinomial(chance, n, replacement=True, generator=rng)
        return self.w[pick], self.theta[pick] + torch.where(self.c[pick] < 0, 0.5, 0.0)


@dataclass(frozen=True)
class LineSpectrum:
    """A function of one variable with a transform given by a formula; draws from a table.

    Example:
        >>> bump = lambda t: torch.exp(-math.pi * t[:, 0] ** 2)  # its own transform
        >>> f = LineSpectrum(bump, bump)
        >>> round(f.constant * math.pi, 6), f(torch.zeros(1, 1, dtype=torch.float64)).item()
        (1.0, 1.0)
    """

    f: Callable[[Tensor], Tensor]  # points (n, 1) to values
    fhat: Callable[[Tensor], Tensor]  # frequencies (n, 1) to the ordinary transform
    cells: int = 20_000  # of the table
    d: int = 1

    def __call__(self, x: Float[Tensor, "n 1"]) -> Float[Tensor, " n"]:
        """Values at points."""
        return self.f(x)

    @cached_property
    def integrated(self) -> Constant:
        """Barron's constant with its partial integrals."""
        return barron_constant(self.fhat)

    @property
    def constant(self) -> float:
        """Barron's constant; infinite for a function with a kink or a jump."""
        return self.integrated.value

    @property
    def mass(self) -> float:
        """The integral of the modulus, up to the last cut-off."""
        w, chance = self._table(0)
        return float(chance.sum())

    def draw(self, n: int, *, tilt: int = 1, rng: Generator) -> Draws:
        """A cell of the table, and a uniform place in it."""
        w, chance = self._table(tilt)
        cell = torch.searchsorted(
            (chance.cumsum(0) / chance.sum()).contiguous(),
            torch.rand(n, generator=rng, dtype=w.dtype),
        ).clamp(max=len(w) - 1)
        jitter = torch.rand(n, generator=rng, dtype=w.dtype) - 0.5
        drawn = (w[cell] + jitter * (w[1] - w[0]))[:, None]
        values = self.fhat(drawn)
        turns = torch.angle(values.to(torch.complex128)) / (2 * math.pi)
        return drawn, turns

    def _table(self, tilt: int) -> tuple[Float[Tensor, " k"], Float[Tensor, " k"]]:
        reach = self.integrated.cutoffs[-1]
        step = 2 * reach / self.cells
        w = -reach + step * (torch.arange(self.cells, dtype=torch.float64) + 0.5)
        return w, self.fhat(w[:, None]).abs() * w.abs() ** tilt * step
