r"""A linear layer whose weight vectors have length and direction apart.

.. math:: f(x)=Wx+b,\qquad w_j=\gamma_j\frac{v_j}{\|v_j\|}

:source: Perez Jensen (2025), Deep Learning, Section 8.6; Salimans and Kingma (2016), "Weight
    normalization: a simple reparameterization to accelerate training of deep neural networks".
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.init import lecun_
from corollary.theory.tricks.weight_normalisation import (
    WeightNormGradient,
    weight_norm,
    weight_norm_gradient,
)


class WeightNormLinear(nn.Module):
    """``x -> W x + b`` with parameters ``v`` (directions), ``gamma`` (lengths) and ``b``.

    At the start W has entries of variance 1/n and ``gamma`` the lengths of its rows.

    Example:
        >>> layer = WeightNormLinear(3, 2, rng=torch.Generator().manual_seed(0))
        >>> torch.allclose(layer.weight.norm(dim=1), layer.gamma)
        True

    :covers: weight-normalization
    :test: tests/models/test_weight_norm.py
    """

    def __init__(
        self,
        n: int,
        m: int,
        *,
        bias: bool = True,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        if n < 1 or m < 1:
            raise InputError(f"a layer needs n >= 1 inputs and m >= 1 units, got n={n}, m={m}")
        self.in_features, self.out_features = n, m
        self.v = nn.Parameter(lecun_(torch.empty(m, n, dtype=dtype, device=rng.device), rng=rng))
        self.gamma = nn.Parameter(self.v.detach().norm(dim=1))
        self.b = nn.Parameter(self.gamma.new_zeros(m)) if bias else None

    @property
    def weight(self) -> Float[Tensor, "m n"]:
        """The matrix W that is applied."""
        return weight_norm(self.v, self.gamma)

    def forward(self, x: Float[Tensor, "*k n"]) -> Float[Tensor, "*k m"]:
        """The values of all units at each point."""
        if x.ndim == 0 or x.shape[-1] != self.in_features:
            raise InputError(
                f"expected points with {self.in_features} features, got shape {tuple(x.shape)}"
            )
        return nn.functional.linear(x, self.weight, self.b)

    def gradients(self, g: Float[Tensor, "m n"]) -> WeightNormGradient:
        """The derivatives in ``v`` and ``gamma`` when that in W is ``g``, without autograd."""
        return weight_norm_gradient(self.v.detach(), self.gamma.detach(), g)
