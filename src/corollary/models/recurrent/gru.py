r"""The gated recurrent unit.

.. math:: z_t=s_t\odot z_{t-1}+(1-s_t)\odot\tilde z_t,\qquad s_t=\sigma(G[z_{t-1},x_t]),\qquad
   r_t=\sigma(H[z_{t-1},x_t]),\qquad\tilde z_t=\tanh(V[r_t\odot z_{t-1},x_t])

The state is a convex combination of the old one and a candidate, which sees the old state through
a reset gate :math:`r_t`. Three matrices, :math:`3m(m+n)` weights. Torch resets after the matrix:
:math:`\tilde z_t=\tanh(V_xx_t+r_t\odot(V_zz_{t-1}+b'))`.

:source: Perez Jensen (2025), Deep Learning, Section 5.1; Cho et al. (2014), "Learning phrase
    representations using RNN encoder-decoder for statistical machine translation".
:erratum: [typo] The notes mix zeta_t into the state, which is the reset gate, in place of the
    candidate; the candidate is then never used and, from z_0 = 0, all states stay in [0, 1). The
    tests run the printed form: its smallest state is positive, the GRU's is negative.
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError, InputTypeError
from corollary.models.recurrent.cell import Cell, offsets, weights
from corollary.models.recurrent.elman import torch_weights
from corollary.models.recurrent.gating import blend, gate


class GRUCell(Cell):
    """A convex combination of the state and a candidate.

    Args:
        n: Numbers of an input.
        m: Numbers of a state.
        reset: Whether the reset gate acts on the state ``before`` the matrix (the notes) or on the
            product ``after`` it (torch).
        bias: Whether gates and candidate have offsets.

    Example:
        >>> cell = GRUCell(2, 3, bias=False, rng=torch.Generator().manual_seed(0))
        >>> sum(p.numel() for p in cell.parameters())  # 3 m (m + n)
        45

    :covers: gru
    """

    def __init__(
        self,
        n: int,
        m: int,
        *,
        reset: Literal["before", "after"] = "before",
        bias: bool = True,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__(n, m)
        if reset not in ("before", "after"):
            raise InputError(f"reset must be before or after, got '{reset}'")
        self.reset = reset
        self.G, self.H, self.V = (weights(m, m + n, rng=rng, dtype=dtype) for _ in range(3))
        self.b_G, self.b_H, self.b_V = (offsets(m, bias, self.G) for _ in range(3))
        self.b_reset = offsets(m, bias and reset == "after", self.G)

    @classmethod
    def of(cls, gru: nn.GRU, layer: int = 0, *, reverse: bool = False) -> "GRUCell":
        """One layer of a torch network, with its weights copied."""
        if not isinstance(gru, nn.GRU):
            raise InputTypeError(f"expected an nn.GRU, got {type(gru).__name__}")
        W_z, W_x, b = torch_weights(gru, layer, reverse)
        m, n = W_z.shape[1], W_x.shape[1]
        cell = cls(n, m, reset="after", bias=b is not None, rng=torch.Generator(), dtype=W_z.dtype)
        parts = torch.cat([W_z, W_x], dim=1).chunk(3)  # torch: reset, update, candidate
        cell.H, cell.G, cell.V = (nn.Parameter(W.clone()) for W in parts)
        if b is not None:
            of_state, of_input = (part.chunk(3) for part in b)
            cell.b_H = nn.Parameter(of_state[0] + of_input[0])
            cell.b_G = nn.Parameter(of_state[1] + of_input[1])
            cell.b_V, cell.b_reset = nn.Parameter(of_input[2]), nn.Parameter(of_state[2])
        return cell

    def forward(self, state: Float[Tensor, "B m"], x: Float[Tensor, "B n"]) -> Float[Tensor, "B m"]:
        """The next state."""
        s, candidate = self.parts(state, x)
        return blend(s, state, candidate)

    def parts(
        self, state: Float[Tensor, "B m"], x: Float[Tensor, "B n"]
    ) -> tuple[Float[Tensor, "B m"], Float[Tensor, "B m"]]:
        """The update gate, which is the weight of the old state, and the candidate."""
        seen = torch.cat([state, x], dim=1)
        s, r = gate(seen, self.G, self.b_G), gate(seen, self.H, self.b_H)
        if self.reset == "before":
            drive = nn.functional.linear(torch.cat([r * state, x], dim=1), self.V, self.b_V)
        else:
            V_z, V_x = self.V.split([self.m, self.n], dim=1)
            recalled = nn.functional.linear(state, V_z, self.b_reset)
            drive = nn.functional.linear(x, V_x, self.b_V) + r * recalled
        return s, torch.tanh(drive)
