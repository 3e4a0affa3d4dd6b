r"""Reading prefixes token by token, with a memory.

A decoder asks for :math:`p(\cdot\mid y_1,\dots,y_n)` at n = 0, 1, 2, ... Given whole prefixes, a
model starts afresh each time. A reader has kept what it needs of the tokens read so far, and is
given the new ones alone:

.. math:: (m_{n-1},y_n)\mapsto(m_n,\ \log p(\cdot\mid y_1,\dots,y_n)).

For a recurrent network the memory m is its state, for a transformer the keys and values of all
positions. A search that drops, copies or reorders its prefixes tells the reader to do the same.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.4; Shazeer (2019), "Fast
    transformer decoding: one write-head is all you need", Section 2.4.
"""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

NextToken = Callable[[Tensor], Tensor]  # (b, t) token numbers -> (b, K) log-probabilities


@runtime_checkable
class Reader(Protocol):
    """A batch of prefixes, remembered in whatever form the model likes."""

    def read(self, tokens: Int[Tensor, "b s"]) -> Float[Tensor, "b K"]:
        """Append tokens to the prefixes; log-probabilities of what follows."""
        ...

    def keep(self, rows: Int[Tensor, " c"]) -> None:
        """Go on with these prefixes, in this order; one may come several times."""
        ...


class Rereader:
    """The reader of a model without memory: it asks again with the whole prefixes.

    Example:
        >>> reader = Rereader(lambda prefix: prefix.cumsum(dim=1).double())
        >>> reader.read(torch.tensor([[1, 2], [3, 4]])).tolist()
        [[1.0, 3.0], [3.0, 7.0]]
        >>> reader.keep(torch.tensor([1]))
        >>> reader.read(torch.tensor([[5]])).tolist()
        [[3.0, 7.0, 12.0]]
    """

    def __init__(self, next_token: NextToken) -> None:
        self.next_token = next_token
        self.prefix: Tensor | None = None

    def read(self, tokens: Int[Tensor, "b s"]) -> Float[Tensor, "b K"]:
        """Log-probabilities after the prefixes with these tokens."""
        whole = tokens if self.prefix is None else torch.cat([self.prefix, tokens], dim=1)
        self.prefix = whole
        return self.next_token(whole)

    def keep(self, rows: Int[Tensor, " c"]) -> None:
        """Go on with these rows."""
        if self.prefix is not None:
            self.prefix = self.prefix[rows]


def fresh_reader(next_token: NextToken) -> Reader:
    """A reader that has read nothing: the model's own if it has a method ``reader``.

    Example:
        >>> type(fresh_reader(lambda prefix: prefix.double())).__name__
        'Rereader'
    """
    own = getattr(next_token, "reader", None)
    return Rereader(next_token) if own is None else own()
