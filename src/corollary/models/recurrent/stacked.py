r"""Deep recurrent networks: layers on top of each other, or a deep step.

.. math:: z_{t,\ell}=F_\ell(z_{t-1,\ell},z_{t,\ell-1}),\qquad z_{t,0}=x_t,

for Elman cells :math:`z_{t,\ell}=\varphi(U_\ell z_{t-1,\ell}+V_\ell z_{t,\ell-1})`. Or one state
whose transition is a multilayer perceptron.

:source: Perez Jensen (2025), Deep Learning, Chapter 5; Pascanu, Gulcehre, Cho and Bengio (2014),
    "How to construct deep recurrent neural networks".
:erratum: [typo] The notes cite Joulin and Mikolov (2015) for stacked networks; these give a
    recurrent network a stack as memory. Layers are stacked in depth, not "horizontally". The
    formula is right.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.mlp import MLP
from corollary.models.recurrent.cell import Cell, State, unroll


class StackedRNN(nn.Module):
    """``(B, T, n) -> (B, T, m)``: each layer reads the states of the one below.

    Args:
        cells: The cells, the lowest first; sizes must fit.

    Example:
        >>> from corollary.models.recurrent.elman import ElmanCell
        >>> rng = torch.Generator().manual_seed(0)
        >>> net = StackedRNN([ElmanCell(2, 3, rng=rng), ElmanCell(3, 4, rng=rng)])
        >>> net(torch.randn(5, 6, 2).double()).shape
        torch.Size([5, 6, 4])

    :covers: stacked-rnn
    """

    def __init__(self, cells: Sequence[Cell]) -> None:
        super().__init__()
        if not cells:
            raise InputError("a stack needs at least one cell, got none")
        for level, (below, above) in enumerate(zip(cells, cells[1:], strict=False), start=1):
            if above.n != below.m:
                raise InputError(
                    f"cell {level + 1} expects {above.n} inputs, but cell {level} below it "
                    f"has {below.m} outputs"
                )
        self.cells = nn.ModuleList(cells)

    def forward(
        self, x: Float[Tensor, "B T n"], lengths: Int[Tensor, " B"] | None = None
    ) -> Float[Tensor, "B T m"]:
        """The states of the top layer."""
        return self.run(x, lengths)[0]

    def run(
        self,
        x: Float[Tensor, "B T n"],
        lengths: Int[Tensor, " B"] | None = None,
        *,
        states: Sequence[State] | None = None,
    ) -> tuple[Float[Tensor, "B T m"], list[State]]:
        """The states of the top layer, and the last state of every layer.

        Given back as ``states``, these continue the sequence: parts read one after the other give
        what the whole gives.
        """
        if states is not None and len(states) != len(self.cells):
            raise InputError(
                f"expected one state for each of {len(self.cells)} cells, got {len(states)}"
            )
        last = []
        before: Sequence[State | None] = states or [None] * len(self.cells)
        for cell, state in zip(self.cells, before, strict=True):
            assert isinstance(cell, Cell)  # as __init__ demands
            x, end = unroll(cell, x, lengths, state=state)
            last.append(end)
        return x, last


class DeepTransitionCell(Cell):
    """``z -> MLP([z, x])`` with tanh in every layer; without hidden layers an Elman cell.

    Args:
        n: Numbers of an input.
        m: Numbers of a state.
        hidden: Widths of the layers in between.

    Example:
        >>> cell = DeepTransitionCell(2, 3, [5, 5], rng=torch.Generator().manual_seed(0))
        >>> cell(torch.zeros(4, 3).double(), torch.ones(4, 2).double()).shape
        torch.Size([4, 3])
    """

    def __init__(
        self,
        n: int,
        m: int,
        hidden: Sequence[int] = (),
        *,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__(n, m)
        self.step = MLP([m + n, *hidden, m], "tanh", last="tanh", rng=rng, dtype=dtype)

    def forward(self, state: Float[Tensor, "B m"], x: Float[Tensor, "B n"]) -> Float[Tensor, "B m"]:
        """The next state."""
        after: Tensor = self.step(torch.cat([state, x], dim=1))
        return after
