r"""A radial target that flips its sign from shell to shell.

.. math:: g(x) = \psi(\|x\|), \qquad \psi(z) = \sum_{i=1}^N \epsilon_i\,\mathbb 1\{z \in \Delta_i\}

with signs :math:`\epsilon_i \in \{-1, +1\}` and :math:`\Delta_1, \dots, \Delta_N` a partition of
[0, R] into intervals of one length.

:source: Lucchi (2025), Foundations of Deep Learning, equation (4.5) and Figure 4.7; Eldan and
    Shamir (2016), "The power of depth for feedforward neural networks".
"""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.seeding import as_generator


@dataclass(frozen=True)
class RadialShells:
    """The target; zero outside the ball of radius R.

    Example:
        >>> shells = RadialShells(torch.tensor([1.0, -1.0]), 2.0)
        >>> shells(torch.tensor([[0.6, 0.8], [0.0, 0.5], [3.0, 0.0]])).tolist()
        [-1.0, 1.0, 0.0]
    """

    signs: Float[Tensor, " N"]
    R: float | int

    def psi(self, z: Float[Tensor, "*k"]) -> Float[Tensor, "*k"]:
        """The profile at these norms."""
        N = len(self.signs)
        i = (z * N / self.R).floor().clamp(max=N - 1).long()
        return torch.where(z <= self.R, self.signs.to(z)[i], torch.zeros_like(z))

    def __call__(self, x: Float[Tensor, "*k n"]) -> Float[Tensor, "*k"]:
        """The target at points."""
        return self.psi(x.norm(dim=-1))

    @property
    def flips(self) -> Float[Tensor, " c"]:
        """Radii at which the sign changes."""
        at = self.signs.diff().nonzero()[:, 0] + 1
        return self.R * at / len(self.signs)

    @property
    def changes(self) -> int:
        """Number of sign changes; (N - 1)/2 on average for random signs."""
        return len(self.flips)


def radial_shells(
    N: int, R: float | int = 1.0, *, alternate: bool = False, rng: int | Generator = 0
) -> RadialShells:
    """Draw the signs of N shells, or let them alternate from a drawn one.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> radial_shells(5, alternate=True, rng=rng).changes
        4

    :covers: radial-shell-target
    """
    rng = as_generator(rng)
    if N < 1 or not 0 < R < float("inf"):
        raise InputError(f"N >= 1 shells and R > 0 are needed, got N={N}, R={R:g}")
    draw = torch.randint(0, 2, (1 if alternate else N,), generator=rng, device=rng.device)
    signs = (draw + torch.arange(N, device=rng.device)) % 2 if alternate else draw
    return RadialShells(2.0 * signs.double() - 1, R)


def radial_points(
    k: int, n: int, R: float | int = 1.0, *, rng: int | Generator = 0
) -> Float[Tensor, "k n"]:
    """Draw k points with a direction uniform on the sphere and a norm uniform in [0, R].

    Every shell of one thickness is met equally often, in any dimension.

    Example:
        >>> x = radial_points(1000, 8, rng=torch.Generator().manual_seed(0))
        >>> x.shape, abs(float(x.norm(dim=1).mean()) - 0.5) < 0.05
        (torch.Size([1000, 8]), True)
    """
    rng = as_generator(rng)
    if k < 1 or n < 1 or not 0 < R < float("inf"):
        raise InputError(f"k, n >= 1 and R > 0 are needed, got k={k}, n={n}, R={R:g}")
    kind: dict[str, Any] = {"generator": rng, "device": rng.device, "dtype": torch.float64}
    x = torch.randn(k, n, **kind)
    lengths: Tensor = x.norm(dim=1, keepdim=True)
    return R * torch.rand(k, 1, **kind) * x / lengths
