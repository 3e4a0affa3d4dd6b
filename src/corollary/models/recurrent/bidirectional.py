r"""Two recurrent networks, one for each direction.

.. math:: y_t=[\overrightarrow z_t,\overleftarrow z_t] :

the first part has read :math:`x_1,\dots,x_t`, the second :math:`x_T,\dots,x_t`, so every place
sees the whole sequence.

:source: Perez Jensen (2025), Deep Learning, Chapter 5; Schuster and Paliwal (1997),
    "Bidirectional recurrent neural networks".
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from corollary.models.recurrent.cell import Cell, unroll


class BiRNN(nn.Module):
    """``(B, T, n) -> (B, T, m + m')``: states of both directions side by side.

    Args:
        forwards: The cell that reads from the left.
        backwards: The cell that reads from the right (from the last element that counts).

    Example:
        >>> from corollary.models.recurrent.gru import GRUCell
        >>> rng = torch.Generator().manual_seed(0)
        >>> net = BiRNN(GRUCell(2, 3, rng=rng), GRUCell(2, 3, rng=rng))
        >>> net(torch.randn(4, 6, 2).double()).shape
        torch.Size([4, 6, 6])

    :covers: bidirectional-rnn
    """

    def __init__(self, forwards: Cell, backwards: Cell) -> None:
        super().__init__()
        self.forwards, self.backwards = forwards, backwards

    def forward(
        self, x: Float[Tensor, "B T n"], lengths: Int[Tensor, " B"] | None = None
    ) -> Float[Tensor, "B T k"]:
        """The states at every place."""
        right, _ = unroll(self.forwards, x, lengths)
        left, _ = unroll(self.backwards, x, lengths, backwards=True)
        return torch.cat([right, left], dim=-1)
