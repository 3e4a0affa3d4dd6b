r"""The recurrent scheme: a cell, a readout, and three ways to use them.

.. math:: z_t=F[\theta](z_{t-1},x_t),\quad z_0=0,\qquad y_t=G[\varphi](z_t).

An output at every place (sequence), a guess of the next element at every place but the last
(next), or the output after the last element (last).

:source: Perez Jensen (2025), Deep Learning, Chapter 5.
"""

from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.models.recurrent.cell import Cell, unroll, visible

Task = Literal["sequence", "next", "last"]


class RecurrentNetwork(nn.Module):
    """A cell run over sequences, and a readout of its states.

    The weights do not depend on the length of a sequence, and output t on nothing that comes
    after element t.

    Args:
        cell: The step F.
        readout: The map G, given states of shape (..., m); the states themselves without it.
        task: ``sequence`` gives (B, T, q); ``next`` (B, T - 1, q), where place t stands for a
            guess of element t + 1; ``last`` (B, q).

    Example:
        >>> from corollary.models.recurrent.elman import ElmanCell
        >>> from corollary.models.mlp import LinearLayer
        >>> rng = torch.Generator().manual_seed(0)
        >>> net = RecurrentNetwork(ElmanCell(2, 8, rng=rng), LinearLayer(8, 3, rng=rng), "last")
        >>> net(torch.randn(5, 7, 2).double()).shape
        torch.Size([5, 3])

    :covers: recurrent-network
    """

    def __init__(
        self, cell: Cell, readout: nn.Module | None = None, task: Task = "sequence"
    ) -> None:
        super().__init__()
        if task not in ("sequence", "next", "last"):
            raise InputError(f"task must be sequence, next or last, got '{task}'")
        self.cell, self.task = cell, task
        self.readout = nn.Identity() if readout is None else readout

    def forward(
        self, x: Float[Tensor, "B T n"], lengths: Int[Tensor, " B"] | None = None
    ) -> Float[Tensor, "B ..."]:
        """The outputs; those past a sequence's length are zero."""
        z, last = unroll(self.cell, x, lengths)
        if self.task == "last":
            z = visible(last)
        y: Tensor = self.readout(z)
        if self.task == "last":
            return y
        if self.task == "next":
            y = y[:, :-1]
            lengths = None if lengths is None else lengths - 1
        if lengths is None:
            return y
        alive = torch.arange(y.shape[1], device=y.device) < lengths[:, None]
        return torch.where(alive[..., None], y, 0.0)
