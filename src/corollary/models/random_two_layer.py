r"""Random two-layer networks, many at once.

.. math:: f(x)=\frac1{\sqrt k}\sum_{j=1}^ka_j\sigma(\langle w_j,x\rangle),\qquad
   w_j\sim\mathcal N(0,I/d),\quad a_j=\pm1\text{ with equal probability}.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3, Equations 12.6 and 12.7.
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.theory.networks.activations import Activation, activation
from corollary.theory.seeding import as_generator


class RandomTwoLayer(nn.Module):
    """``t`` independent networks ``d -> k -> 1``; row i of the input goes through network i.

    With ``t = 1`` all rows go through the one network.
    """

    def __init__(
        self,
        d: int,
        k: int,
        phi: Activation | str = "relu",
        *,
        t: int = 1,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if min(d, k, t) < 1:
            raise InputError(f"d, k and t must be at least 1, got d={d}, k={k}, t={t}")
        self.phi = activation(phi) if isinstance(phi, str) else phi
        normal = torch.randn(t, k, d, generator=rng, device=rng.device, dtype=dtype)
        coins = torch.randint(2, (t, k), generator=rng, device=rng.device)
        self.w = nn.Parameter(normal / d**0.5)
        self.a = nn.Parameter(2.0 * coins.to(dtype) - 1)

    def preactivations(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n k"]:
        """Standard normal for inputs of length sqrt(d)."""
        if len(self.w) == 1:
            return x @ self.w[0].T
        if len(x) != len(self.w):
            raise InputError(
                f"expected one row for each of {len(self.w)} networks, got {len(x)} rows"
            )
        return torch.einsum("nd,nkd->nk", x, self.w)

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
        """The score of each row."""
        scale: float = self.a.shape[1] ** 0.5
        return (self.phi(self.preactivations(x)) * self.a).sum(dim=1) / scale


def random_two_layer(
    d: int, k: int, phi: Activation | str = "relu", *, rng: int | Generator = 0
) -> RandomTwoLayer:
    """One network; its output has the variance of ``single_step.output_variance``.

    Example:
        >>> net = random_two_layer(3, 5, rng=torch.Generator().manual_seed(0))
        >>> net(torch.ones(2, 3).double()).shape
        torch.Size([2])

    :covers: two-layer-init-clt
    """
    rng = as_generator(rng)
    return RandomTwoLayer(d, k, phi, rng=rng)


def on_sphere(n: int, d: int, *, rng: Generator) -> Float[Tensor, "n d"]:
    """Uniform points of length sqrt(d).

    Example:
        >>> x = on_sphere(2, 9, rng=torch.Generator().manual_seed(0))
        >>> [round(length, 9) for length in x.norm(dim=1).tolist()]
        [3.0, 3.0]
    """
    x = torch.randn(n, d, generator=rng, device=rng.device, dtype=torch.float64)
    factors: Tensor = d**0.5 / x.norm(dim=1, keepdim=True)
    return x * factors
