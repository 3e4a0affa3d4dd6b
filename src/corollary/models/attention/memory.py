r"""Keys and values that attention has computed once and reads again.

Under a causal mask the keys and values of a position do not depend on later positions, so a
position that is appended needs its own query, key and value only: with t positions before it,
:math:`O(d^2)` work for the projections and :math:`O(td)` to read, where starting afresh costs
:math:`O(td^2+t^2d)`. The memory takes :math:`2td` numbers per layer and sequence.

:source: Shazeer (2019), "Fast transformer decoding: one write-head is all you need", Section 2.4.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from corollary.errors import InputError

ROOM = 64  # positions that a first buffer holds at least


class KeyValues:
    """Keys and values of a growing sequence, in buffers with room for more.

    A full buffer is replaced by one of twice the size, so that appending costs O(1) copies a
    position. Meant for use without gradients: what was handed out is a view of the buffer.

    Example:
        >>> past = KeyValues()
        >>> one = torch.ones(1, 2, 1, 4)  # (batch, heads, positions, numbers)
        >>> _ = past.append(one, one)
        >>> K, V = past.append(2 * one, one)
        >>> K[0, 0, :, 0].tolist(), len(past)
        ([1.0, 2.0], 2)
    """

    def __init__(self) -> None:
        self._buffers: tuple[Tensor, Tensor] | None = None
        self._used = 0

    def __len__(self) -> int:
        """Positions that are remembered."""
        return self._used

    def append(
        self, K: Float[Tensor, "*b h s d_k"], V: Float[Tensor, "*b h s d_v"]
    ) -> tuple[Float[Tensor, "*b h t d_k"], Float[Tensor, "*b h t d_v"]]:
        """Remember s more positions; keys and values of all of them."""
        t = self._used + K.shape[-2]
        if self._buffers is None:
            room = max(2 * t, ROOM)
            self._buffers = _buffer(K, K.shape[:-2], room), _buffer(V, V.shape[:-2], room)
        keys, values = self._buffers
        if keys.shape[:-2] != K.shape[:-2]:
            raise InputError(
                f"the memory holds sequences of shape {tuple(keys.shape[:-2])}, got "
                f"{tuple(K.shape[:-2])}; after the batch has changed, name the rows to keep"
            )
        if t > keys.shape[-2]:
            keys, values = self._buffers = self._grown(keys, 2 * t), self._grown(values, 2 * t)
        keys.narrow(-2, self._used, K.shape[-2]).copy_(K)
        values.narrow(-2, self._used, K.shape[-2]).copy_(V)
        self._used = t
        return self._seen(keys), self._seen(values)

    def keep(self, rows: Int[Tensor, " c"]) -> None:
        """Go on with these sequences of the batch, in this order."""
        if self._buffers is None or _all_in_place(rows, len(self._buffers[0])):
            return
        keys, values = self._buffers
        self._buffers = self._chosen(keys, rows), self._chosen(values, rows)

    def _seen(self, buffer: Tensor) -> Tensor:
        return buffer.narrow(-2, 0, self._used)

    def _chosen(self, old: Tensor, rows: Tensor) -> Tensor:
        new = _buffer(old, (len(rows), *old.shape[1:-2]), old.shape[-2])
        torch.index_select(self._seen(old), 0, rows, out=self._seen(new))
        return new

    def _grown(self, old: Tensor, room: int) -> Tensor:
        new = _buffer(old, old.shape[:-2], room)
        self._seen(new).copy_(self._seen(old))
        return new


def _buffer(like: Tensor, batch: tuple[int, ...], room: int) -> Tensor:
    return torch.empty(*batch, room, like.shape[-1], dtype=like.dtype, device=like.device)


def _all_in_place(rows: Tensor, n: int) -> bool:
    return len(rows) == n and bool((rows == torch.arange(n, device=rows.device)).all())
