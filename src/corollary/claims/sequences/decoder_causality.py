r"""A decoder block does not look ahead.

.. math:: x\leftarrow\operatorname{LN}(x+\operatorname{MHA}_{\text{causal}}(x)),\quad
   x\leftarrow\operatorname{LN}(x+\operatorname{MHA}(x,\text{memory})),\quad
   x\leftarrow\operatorname{LN}(x+\operatorname{MLP}(x)):

if the last token is exchanged, every earlier output stays, and so it does if the memory comes in
another order. Without the mask the block is an encoder block, and everything changes.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.3 and Listing 10.3; Perez Jensen
    (2025), Deep Learning, Section 6.4.
:kind: theorem
:cost: instant
:covers: transformer-decoder-block
:erratum: [code bug] Listing 10.3, called a simple decoder block, has neither the causal mask nor
    the cross-attention of the text: it is an encoder block with one head. It is the counterexample
    here: changing the last token changes the first output.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.transformers.blocks import DecoderBlock


class Given(NamedTuple):
    """A sequence, another last token, a memory and a block."""

    x: Float[Tensor, "T d"]
    last: Float[Tensor, " d"]
    memory: Float[Tensor, "s d"] | None
    block: DecoderBlock


@dataclass(frozen=True)
class DecoderCausality(Claim[Given]):
    """All outputs but the last, before and after the last token is exchanged."""

    T: int = option(6, low=2, high=100)  # tokens
    s: int = option(5, low=2, high=100)  # positions of the memory
    heads: int = option(2, high=8)  # of each attention; four numbers a head
    relation = equals(ulps=4096, scale=1.0)  # the memory is summed in another order

    def given(self, rng: Generator) -> Given:
        """Gaussian tokens and memory, a random block."""
        d = 4 * self.heads
        x = torch.randn(self.T, d, generator=rng, dtype=torch.float64)
        last, memory = (
            torch.randn(*shape, generator=rng, dtype=torch.float64) for shape in ((d,), (self.s, d))
        )
        return Given(x, last, memory, DecoderBlock(d, self.heads, rng=rng).requires_grad_(False))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The mask of the text."""
        yield Hypothesis("self-attention has a causal mask", given.block.causal)

    def predict(self, given: Given) -> list[float]:
        """The outputs before the last one."""
        return given.block(given.x, given.memory)[:-1].flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """The same outputs with another last token and the memory backwards."""
        return _changed(given)[:-1].flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The listing of the notes: no mask, no memory, one head."""
        x, last, _, _ = self.given(rng)
        listing = DecoderBlock(x.shape[1], 1, cross_attention=False, causal=False, rng=rng)
        return Given(x, last, None, listing.requires_grad_(False))

    def figure(self, given: Given) -> Figure:
        """How far each output moves, for the block and for the listing."""
        t = list(range(1, len(given.x) + 1))
        listing = DecoderBlock(
            given.x.shape[1], 1, cross_attention=False, causal=False,
            rng=torch.Generator().manual_seed(0),
        ).requires_grad_(False)  # fmt: skip
        ours = _moves(given)
        theirs = _moves(given._replace(memory=None, block=listing))
        marks = (
            Curve([0.0] * (len(t) - 1), t[:-1], label="no earlier output moves", role="predicted"),
            Points(t, ours, label="decoder block"),
            Points(t, theirs, label="Listing 10.3", role="other"),
        )
        return Figure("Another last token", x="position", y="change of the output", marks=marks)


def _changed(given: Given) -> Tensor:
    x = torch.cat([given.x[:-1], given.last[None]])
    return given.block(x, None if given.memory is None else given.memory.flip(0))


def _moves(given: Given) -> list[float]:
    return (_changed(given) - given.block(given.x, given.memory)).norm(dim=1).tolist()
