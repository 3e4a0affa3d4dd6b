r"""Deep Sets: functions of a set.

.. math:: f(X)=\rho\Bigl(\sum_{m=1}^M\varphi(x_m)\Bigr)

for any number :math:`M` of elements, in any order. For fixed M every continuous invariant function
of numbers has this form with a latent dimension :math:`M` (power sums), and less is not enough if
:math:`\varphi` is to be continuous.

:source: Perez Jensen (2025), Deep Learning, Section 7.2; Zaheer, Kottur, Ravanbakhsh, Poczos,
    Salakhutdinov and Smola (2017), "Deep sets"; Wagstaff, Fuchs, Engelcke, Posner and Osborne
    (2019), "On the limitations of representing functions on sets".
"""

from collections.abc import Callable, Sequence
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.mlp import MLP
from corollary.theory.seeding import as_generator

Map = Callable[[Tensor], Tensor]
Pool = Literal["sum", "mean", "max"]


def pooled(
    z: Float[Tensor, "*b M k"], pool: Pool, mask: Bool[Tensor, "*b M"] | None = None
) -> Float[Tensor, "*b k"]:
    """Sum, mean or maximum over the elements; those where ``mask`` is False do not count.

    Example:
        >>> z = torch.tensor([[1.0], [2.0], [9.0]])
        >>> pooled(z, "mean", torch.tensor([True, True, False])).item()
        1.5
    """
    if pool not in ("sum", "mean", "max"):
        raise InputError(f"pool must be sum, mean or max, got {pool!r}")
    present = z.new_ones(z.shape[:-1], dtype=torch.bool) if mask is None else mask
    if pool != "sum" and not bool(present.any(dim=-1).all()):
        raise InputError(f"an empty set has no {pool}; use pool='sum', or remove the set")
    if pool == "max":
        return z.masked_fill(~present[..., None], -torch.inf).amax(dim=-2)
    total = (z * present[..., None]).sum(dim=-2)
    return total if pool == "sum" else total / present.sum(dim=-1, keepdim=True)


class DeepSets(nn.Module):
    """``rho(pool of phi over the elements)``; reads (..., M, d) for any M.

    Args:
        phi: From an element to latent numbers, applied along the last axis.
        rho: From pooled latent numbers to the output.
        pool: How elements are put together.

    Example:
        >>> count = DeepSets(lambda x: torch.ones_like(x), nn.Identity())
        >>> count(torch.zeros(5, 1)).item()
        5.0

    :covers: deep-sets-invariant
    """

    def __init__(self, phi: Map, rho: Map, pool: Pool = "sum") -> None:
        super().__init__()
        if pool not in ("sum", "mean", "max"):
            raise InputError(f"pool must be sum, mean or max, got {pool!r}")
        self.phi, self.rho, self.pool = phi, rho, pool

    @classmethod
    def of_widths(
        cls,
        phi: Sequence[int],
        rho: Sequence[int],
        pool: Pool = "sum",
        *,
        activation: str = "relu",
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> "DeepSets":
        """Two perceptrons of the given widths; the last of ``phi`` is the latent dimension."""
        rng = as_generator(rng)
        if phi[-1] != rho[0]:
            raise InputError(f"phi has {phi[-1]} outputs, but rho expects {rho[0]} inputs")
        return cls(
            MLP(phi, activation, rng=rng, dtype=dtype),
            MLP(rho, activation, rng=rng, dtype=dtype),
            pool,
        )

    def forward(
        self, x: Float[Tensor, "*b M d"], mask: Bool[Tensor, "*b M"] | None = None
    ) -> Float[Tensor, "*b k"]:
        """The value for each set; with ``mask`` sets of different sizes share a tensor."""
        return self.rho(pooled(self.phi(x), self.pool, mask))
