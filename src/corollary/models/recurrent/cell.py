r"""One step of a recurrent network, and the loop that runs it.

.. math:: z_t=F[\theta](z_{t-1},x_t),\qquad z_0=0 .

:source: Perez Jensen (2025), Deep Learning, Chapter 5.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.errors import InputError

State = Tensor | tuple[Tensor, ...]  # of a tuple the first part is what others see


class Cell(nn.Module):
    """A map from a state and an input to the next state, for every sequence of a batch.

    Args:
        n: Numbers of an input.
        m: Numbers of a state.
    """

    forward: Callable[..., State]  # (state, x) -> state; each cell says what its states are

    def __init__(self, n: int, m: int) -> None:
        super().__init__()
        if n < 1 or m < 1:
            raise InputError(f"a cell needs n >= 1 inputs and m >= 1 units, got n={n}, m={m}")
        self.n, self.m = n, m

    def start(self, x: Float[Tensor, "B n"]) -> State:
        """The state before the first input: zero, with dtype and device of the weights."""
        first = next(self.parameters())
        return first.new_zeros(len(x), self.m)


def visible(state: State) -> Tensor:
    """The part of a state that readouts and other layers see."""
    return state if isinstance(state, Tensor) else state[0]


def chosen(state: State, rows: Int[Tensor, " c"]) -> State:
    """The states of these sequences of the batch, in this order."""
    return state[rows] if isinstance(state, Tensor) else tuple(part[rows] for part in state)


def unroll(
    cell: Cell,
    x: Float[Tensor, "B T n"],
    lengths: Int[Tensor, " B"] | None = None,
    *,
    state: State | None = None,
    backwards: bool = False,
) -> tuple[Float[Tensor, "B T m"], State]:
    """All states, and the last one; O(T) steps one after the other.

    Args:
        cell: The step.
        x: A batch of sequences.
        lengths: How many elements of each count. Past its length a state stands still and is
            shown as zero, so padding changes nothing.
        state: The state to start from; zero if none is given.
        backwards: Read each sequence from its own end.

    Example:
        >>> from corollary.models.recurrent.elman import ElmanCell
        >>> cell = ElmanCell(2, 3, rng=torch.Generator().manual_seed(0))
        >>> z, last = unroll(cell, torch.randn(5, 7, 2).double())
        >>> z.shape, torch.equal(z[:, -1], last)
        (torch.Size([5, 7, 3]), True)
    """
    check_sequences(x, cell.n, lengths)
    zero = cell.start(x[:, 0])
    state = zero if state is None else _fitting(state, zero)
    steps = list(enumerate(x.unbind(1)))  # indexing by t would cost O(T^2) in the backward pass
    shown = []
    for t, element in reversed(steps) if backwards else steps:
        fresh = cell(state, element)
        if lengths is None:
            state = fresh
            shown.append(visible(state))
        else:
            alive = (t < lengths)[:, None]
            state = _kept(alive, fresh, state)
            shown.append(torch.where(alive, visible(state), 0.0))
    if backwards:
        shown.reverse()
    return torch.stack(shown, dim=1), state


def check_sequences(x: Tensor, n: int, lengths: Tensor | None) -> None:
    """Refuse what is no batch of sequences of n numbers, with lengths between 1 and T."""
    if x.dim() != 3 or x.shape[1] == 0 or x.shape[2] != n:
        raise InputError(
            f"expected sequences of shape (batch, time >= 1, {n}), got {tuple(x.shape)}"
        )
    if lengths is None:
        return
    if lengths.shape != (len(x),) or not bool(((lengths >= 1) & (lengths <= x.shape[1])).all()):
        raise InputError(
            f"lengths must be {len(x)} numbers between 1 and {x.shape[1]}, got {lengths.tolist()}"
        )


def weights(m: int, n: int, *, rng: Generator, dtype: torch.dtype = torch.float64) -> nn.Parameter:
    """An m x n matrix of normal numbers with variance 1/n."""
    normal = torch.randn(m, n, generator=rng, device=rng.device, dtype=dtype)
    return nn.Parameter(normal / n**0.5)


def offsets(m: int, bias: bool, W: Tensor, value: float = 0.0) -> nn.Parameter | None:
    """A vector of m equal numbers beside the weights W, or nothing."""
    return nn.Parameter(W.new_full((m,), value)) if bias else None


def _fitting(state: State, zero: State) -> State:
    """The state, if it has the parts and shapes of the cell's zero state."""
    got, needed = ([tuple(part.shape) for part in _parts(s)] for s in (state, zero))
    if got != needed:
        raise InputError(f"expected an initial state with shapes {needed}, got {got}")
    return state


def _parts(state: State) -> tuple[Tensor, ...]:
    return (state,) if isinstance(state, Tensor) else state


def _kept(alive: Tensor, fresh: State, old: State) -> State:
    if isinstance(fresh, Tensor) and isinstance(old, Tensor):
        return torch.where(alive, fresh, old)
    pairs = zip(_parts(fresh), _parts(old), strict=True)
    return tuple(torch.where(alive, f, o) for f, o in pairs)
