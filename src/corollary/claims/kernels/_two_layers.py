"""Many two-layer ReLU networks trained side by side, as several claims here need them."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor


class Networks(NamedTuple):
    r"""Networks :math:`f(x) = \sqrt2\,n^{-\alpha}\sum_r v_r(w_r^\top x)_+`, weights N(0, 1)."""

    w: Float[Tensor, "k n d"]
    v: Float[Tensor, "k n"]
    alpha: float  # 1/2 is the NTK parametrisation, 1 the mean-field one

    @classmethod
    def drawn(cls, k: int, n: int, d: int, alpha: float, rng: Generator) -> "Networks":
        """As many as asked for, of width n."""
        w = torch.randn(k, n, d, generator=rng, dtype=torch.float64)
        return cls(w, torch.randn(k, n, generator=rng, dtype=torch.float64), alpha)

    @property
    def scale(self) -> float:
        """What the sum over units is multiplied with."""
        return 2**0.5 * self.v.shape[1] ** -self.alpha

    def __call__(self, x: Float[Tensor, "p d"]) -> Float[Tensor, "k p"]:
        """The outputs."""
        return self.scale * ((x @ self.w.mT).relu() @ self.v[..., None])[..., 0]

    def step(self, x: Float[Tensor, "p d"], rest: Float[Tensor, "k p"], h: float) -> "Networks":
        """A step of gradient flow on half the squared residual."""
        z = x @ self.w.mT  # (k, p, n)
        dv = (rest[:, None] @ z.relu())[:, 0]
        dw = ((z > 0) * self.v[:, None] * rest[..., None]).mT @ x
        return self._replace(w=self.w + h * self.scale * dw, v=self.v + h * self.scale * dv)

    def tangent(self, x: Float[Tensor, "p d"], y: Float[Tensor, "q d"]) -> Float[Tensor, "k p q"]:
        """The tangent kernel of each network."""
        zx, zy = x @ self.w.mT, y @ self.w.mT
        bx, by = (zx > 0) * self.v[:, None], (zy > 0) * self.v[:, None]
        return self.scale**2 * (zx.relu() @ zy.relu().mT + (x @ y.T) * (bx @ by.mT))
