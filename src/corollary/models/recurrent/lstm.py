r"""Long short-term memory.

.. math:: \tilde x_t=[h_{t-1},x_t],\qquad c_t=\sigma(F\tilde x_t)\odot c_{t-1}+\sigma(G\tilde x_t)
   \odot\tanh(V\tilde x_t),\qquad h_t=\sigma(H\tilde x_t)\odot\tanh(Uc_t)

with a forget gate (F), an input gate (G), a candidate (V) and an output gate (H); the standard
cell has U = I. With U there are five matrices, without it four.

:source: Perez Jensen (2025), Deep Learning, Section 5.1; Hochreiter and Schmidhuber (1997), "Long
    short-term memory"; Gers, Schmidhuber and Cummins (2000), "Learning to forget".
:erratum: [notation] The notes call tanh(V x) the input gate and sigma(G x) the gate gate; usually
    sigma(G x) is the input gate and tanh(V x) the candidate. The U inside tanh(U c) is no part of
    the standard cell (U = I); here it is an option, and without it the states are torch's.
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputTypeError
from corollary.models.recurrent.cell import Cell, offsets, weights
from corollary.models.recurrent.elman import torch_weights
from corollary.models.recurrent.gating import gate


class LSTMCell(Cell):
    """The state is (h, c): what others see, and the memory.

    Args:
        n: Numbers of an input.
        m: Numbers of h and of c.
        use_cell_projection: Whether h reads U c (the notes) or c (the standard cell).
        bias: Whether gates and candidate have offsets.
        remember: First offset of the forget gate; at 1 or more the memory lasts from the start.

    Example:
        >>> cell = LSTMCell(2, 3, bias=False, rng=torch.Generator().manual_seed(0))
        >>> sum(p.numel() for p in cell.parameters())  # 4 m (m + n)
        60

    :covers: lstm
    """

    def __init__(
        self,
        n: int,
        m: int,
        *,
        use_cell_projection: bool = False,
        bias: bool = True,
        remember: float | int = 0.0,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__(n, m)
        self.F, self.G, self.V, self.H = (weights(m, m + n, rng=rng, dtype=dtype) for _ in range(4))
        self.b_F = offsets(m, bias, self.F, remember)
        self.b_G, self.b_V, self.b_H = (offsets(m, bias, self.F) for _ in range(3))
        self.U = weights(m, m, rng=rng, dtype=dtype) if use_cell_projection else None

    @classmethod
    def of(cls, lstm: nn.LSTM, layer: int = 0, *, reverse: bool = False) -> "LSTMCell":
        """One layer of a torch network, with its weights copied."""
        if not isinstance(lstm, nn.LSTM):
            raise InputTypeError(f"expected an nn.LSTM, got {type(lstm).__name__}")
        W_h, W_x, b = torch_weights(lstm, layer, reverse)
        m, n = W_h.shape[1], W_x.shape[1]
        cell = cls(n, m, bias=b is not None, rng=torch.Generator(), dtype=W_h.dtype)
        parts = torch.cat([W_h, W_x], dim=1).chunk(4)  # torch: input, forget, candidate, output
        cell.G, cell.F, cell.V, cell.H = (nn.Parameter(W.clone()) for W in parts)
        if b is not None:
            cell.b_G, cell.b_F, cell.b_V, cell.b_H = (
                nn.Parameter(part.clone()) for part in (b[0] + b[1]).chunk(4)
            )
        return cell

    def start(self, x: Float[Tensor, "B n"]) -> tuple[Tensor, Tensor]:
        """Zero for both."""
        zero = self.F.new_zeros(len(x), self.m)
        return zero, zero

    def forward(
        self, state: tuple[Tensor, Tensor], x: Float[Tensor, "B n"]
    ) -> tuple[Float[Tensor, "B m"], Float[Tensor, "B m"]]:
        """The next (h, c)."""
        h, c = state
        seen = torch.cat([h, x], dim=1)  # x~
        candidate = torch.tanh(nn.functional.linear(seen, self.V, self.b_V))
        c = gate(seen, self.F, self.b_F) * c + gate(seen, self.G, self.b_G) * candidate
        told = torch.tanh(c if self.U is None else c @ self.U.T)
        return gate(seen, self.H, self.b_H) * told, c
