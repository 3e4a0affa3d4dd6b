r"""Maps from sets to sets that keep the order they are given.

.. math:: f(X)_m=\rho\Bigl(x_m,\sum_k\varphi(x_k)\Bigr),\qquad
   \text{linear case}\quad f(X)_m=\lambda x_m+\gamma\sum_kx_k .

The linear case is the most general linear equivariant map on :math:`\mathbb{R}^M`; with channels
:math:`\lambda` and :math:`\gamma` become matrices.

:source: Perez Jensen (2025), Deep Learning, Section 7.2; Zaheer, Kottur, Ravanbakhsh, Poczos,
    Salakhutdinov and Smola (2017), "Deep sets", Lemma 3.
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.deep_sets import Map, Pool, pooled


class EquivariantLinear(nn.Module):
    """``x_m -> Lambda x_m + Gamma sum_k x_k + b``; weights normal, of variance 1/d.

    Example:
        >>> layer = EquivariantLinear(1, 1, rng=torch.Generator().manual_seed(0))
        >>> _ = layer.Lambda.data.fill_(2.0), layer.Gamma.data.fill_(-1.0)
        >>> layer(torch.tensor([[1.0], [2.0], [3.0]]).double()).flatten().tolist()
        [-4.0, -2.0, 0.0]

    :covers: deep-sets-equivariant
    """

    def __init__(
        self,
        d: int,
        k: int,
        *,
        bias: bool = True,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        if d < 1 or k < 1:
            raise InputError(f"the layer needs d, k >= 1 channels, got d={d}, k={k}")
        normal = torch.randn(2, k, d, generator=rng, device=rng.device, dtype=dtype) / d**0.5
        self.Lambda, self.Gamma = nn.Parameter(normal[0]), nn.Parameter(normal[1])
        self.b = nn.Parameter(normal.new_zeros(k)) if bias else None

    def forward(self, x: Float[Tensor, "*b M d"]) -> Float[Tensor, "*b M k"]:
        """A row for each element."""
        total = x.sum(dim=-2, keepdim=True)
        own = nn.functional.linear(x, self.Lambda, self.b)
        return own + nn.functional.linear(total, self.Gamma)


class EquivariantDeepSets(nn.Module):
    """``rho`` of each element next to the pooled ``phi`` of all of them.

    Args:
        phi: From an element to latent numbers.
        rho: From an element and the pooled latent numbers, joined, to the output.
        pool: How elements are put together.

    Example:
        >>> centred = EquivariantDeepSets(nn.Identity(), lambda z: z[..., :1] - z[..., 1:], "mean")
        >>> centred(torch.tensor([[1.0], [2.0], [6.0]])).flatten().tolist()
        [-2.0, -1.0, 3.0]

    :covers: deep-sets-equivariant
    """

    def __init__(self, phi: Map, rho: Map, pool: Pool = "sum") -> None:
        super().__init__()
        if pool not in ("sum", "mean", "max"):
            raise InputError(f"pool must be sum, mean or max, got {pool!r}")
        self.phi, self.rho, self.pool = phi, rho, pool

    def forward(self, x: Float[Tensor, "*b M d"]) -> Float[Tensor, "*b M k"]:
        """A row for each element."""
        together = pooled(self.phi(x), self.pool)[..., None, :]
        together = together.expand(*x.shape[:-1], together.shape[-1])
        return self.rho(torch.cat([x, together], dim=-1))
