r"""Maxout: each unit is the largest of a few affine functions.

.. math:: h(x)=\max_{j\le k}\,(w_j^\top x+b_j)

Convex and piecewise linear. With two pieces, one of them zero, it is ReLU; one of them minus the
other gives :math:`|w^\top x|`.

:source: Mathematical Foundations of Deep Learning (slides), Activation Functions; Goodfellow et
    al. (2013), "Maxout networks".
:covers: maxout
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.theory.seeding import as_generator


class Maxout(nn.Module):
    """``n`` inputs, ``m`` units of ``pieces`` affine functions each.

    Example:
        >>> unit = Maxout.of(torch.tensor([[[1.0], [-1.0]]]), torch.zeros(1, 2))
        >>> unit(torch.tensor([[-3.0], [2.0]])).flatten().tolist()
        [3.0, 2.0]
    """

    def __init__(
        self,
        n: int,
        m: int,
        pieces: int = 2,
        *,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if min(n, m, pieces) < 1:
            raise InputError(
                f"maxout needs n, m and pieces >= 1, got n={n}, m={m}, pieces={pieces}"
            )
        self.in_features, self.out_features = n, m
        draw = torch.randn(m, pieces, n, generator=rng, device=rng.device, dtype=dtype)
        self.w = nn.Parameter(draw / n**0.5)  # (m, pieces, n)
        self.b = nn.Parameter(draw.new_zeros(m, pieces))

    @classmethod
    def of(cls, w: Float[Tensor, "m pieces n"], b: Float[Tensor, "m pieces"]) -> "Maxout":
        """The layer with these weights and offsets."""
        m, pieces, n = w.shape
        layer = Maxout(n, m, pieces, rng=Generator(), dtype=w.dtype)
        layer.w, layer.b = nn.Parameter(w.detach().clone()), nn.Parameter(b.detach().clone())
        return layer

    def pieces(self, x: Float[Tensor, "*k n"]) -> Float[Tensor, "*k m pieces"]:
        """The values of all affine functions."""
        if x.ndim == 0 or x.shape[-1] != self.in_features:
            raise InputError(
                f"expected points with {self.in_features} features, got shape {tuple(x.shape)}"
            )
        return torch.einsum("...n,mpn->...mp", x, self.w) + self.b

    def forward(self, x: Float[Tensor, "*k n"]) -> Float[Tensor, "*k m"]:
        """The largest piece of each unit."""
        return self.pieces(x).amax(dim=-1)
