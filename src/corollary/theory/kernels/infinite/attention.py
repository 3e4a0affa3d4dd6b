r"""Self-attention in its two known limits of infinitely many heads and channels.

*Linear scaling* (:math:`1/d_k`, tied queries and keys): scores converge to their mean, so with
:math:`G_i = \zeta(\sigma_{QK} K_{ii})` for each input,

.. math:: K' = \sigma_{OV}^2\, G_1 K G_2^\top + \sigma_b^2, \qquad
          \Theta' = \sigma_{OV}^2\, G_1 (\Theta + 2K) G_2^\top + \sigma_b^2 .

*Square-root scaling* (:math:`1/\sqrt{d_k}`, the usual one) is known in closed form for
:math:`\zeta` the identity only. Queries, keys and values are Gaussian given the layer below, so

.. math:: K'_{ss'} = \sigma^2 K_{ss'} \|K\|^2 + \sigma_b^2, \qquad
          \Theta'_{ss'} = \sigma^2\bigl((\Theta_{ss'} + 4K_{ss'})\|K\|^2
          + 2K_{ss'}\langle K, \Theta\rangle\bigr) + \sigma_b^2,

with :math:`\sigma = \sigma_{QK}\sigma_{OV}`: one term for each of the four weight matrices, and
one for each of the three places where the layer below enters.

:source: Hron, Bahri, Sohl-Dickstein and Novak (2020), "Infinite attention: NNGP and NTK for deep
    attention networks", Theorems 3 and 4.
"""

from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.kernels.infinite.layers import Layer
from corollary.theory.kernels.infinite.state import State

Mechanism = Literal["softmax", "identity", "relu", "abs"]


@dataclass(frozen=True)
class Attention(Layer):
    """Global self-attention over one axis of positions."""

    mixes = True
    nonlinear = True
    random = True
    sigma_qk: float = 1.0
    sigma_ov: float = 1.0
    sigma_b: float = 0.0
    mechanism: Mechanism = "softmax"
    scaling: Literal["linear", "sqrt"] = "linear"

    def __post_init__(self) -> None:
        if self.mechanism not in ("softmax", "identity", "relu", "abs"):
            raise InputError(
                f"mechanism must be softmax, identity, relu or abs, got '{self.mechanism}'"
            )
        if self.scaling == "sqrt" and self.mechanism != "identity":
            raise InputError(
                f"attention by {self.mechanism} with scores divided by sqrt(d) has no known closed "
                "form; use mechanism='identity', scaling='linear', or sampled_kernels"
            )

    def __call__(self, state: State) -> State:
        """Covariances after mixing positions."""
        if state.axes != 1:
            raise InputError(f"attention needs one axis of positions, got {state.axes}")
        state = self._linear(state) if self.scaling == "linear" else self._sqrt(state)
        return replace(state, alike=True)

    def _linear(self, state: State) -> State:
        q1, q2 = state.own()
        g1, g2 = self._weights(q1), self._weights(q2)

        def mix(t: Tensor, left: Tensor, right: Tensor) -> Tensor:
            return self.sigma_ov**2 * (left @ t @ right.mT)

        b2 = self.sigma_b**2
        h1, h2 = (g1, g2) if state.paired else (g1[:, None], g2[None])
        mixed = mix(state.nngp, h1, h2)
        ntk = None if state.ntk is None else mix(state.ntk, h1, h2) + 2 * mixed + b2
        own = mix(q1, g1, g1) + b2, mix(q2, g2, g2) + b2
        return replace(state, nngp=mixed + b2, ntk=ntk, q1=own[0], q2=own[1])

    def _weights(self, q: Tensor) -> Tensor:
        """Attention weights, from position s (row) to position t."""
        scores = self.sigma_qk * q
        if self.mechanism == "softmax":
            return torch.softmax(scores, dim=-1)
        return {"identity": scores, "relu": scores.relu(), "abs": scores.abs()}[self.mechanism]

    def _sqrt(self, state: State) -> State:
        scale, b2 = (self.sigma_qk * self.sigma_ov) ** 2, self.sigma_b**2

        def norm(t: Tensor, other: Tensor) -> Tensor:
            return (t * other).sum((-1, -2), keepdim=True)

        k, theta = state.nngp, state.ntk
        size = norm(k, k)
        if theta is not None:
            theta = scale * ((theta + 4 * k) * size + 2 * k * norm(k, theta)) + b2
        own = [scale * q * norm(q, q) + b2 for q in state.own()]
        return replace(state, nngp=scale * k * size + b2, ntk=theta, q1=own[0], q2=own[1])
