r"""Transformers read token by token: keys and values of all layers are remembered.

.. math:: \log p(\cdot\mid y_{\le t})\quad\text{from } y_t \text{ and }
   \{(K^\ell_{<t},V^\ell_{<t})\}_{\ell=1}^L,

for L layers, width d and a vocabulary of K tokens in :math:`O(L(d^2+td)+dK)` operations, in place
of :math:`O(L(td^2+t^2d)+tdK)` from the whole prefix. Of a memory that the layers also read (the
encoder's output) keys and values are computed once.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 10.4.3 and 10.4.4; Shazeer (2019),
    "Fast transformer decoding: one write-head is all you need", Section 2.4.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.models.attention.memory import KeyValues
from corollary.models.transformers.blocks import DecoderBlock
from corollary.models.transformers.embedding import TokenEmbedding
from corollary.models.transformers.one_position import PATIENCE, OnePosition, applies
from corollary.theory.networks.softmax import log_softmax


@dataclass(frozen=True)
class Continuation:
    """What decoders ask of a transformer: prefixes to log-probabilities.

    Called with whole prefixes it starts afresh; :meth:`reader` remembers, and decoders use it.
    """

    embed: TokenEmbedding
    blocks: nn.ModuleList  # decoder blocks
    head: Callable[[Tensor], Tensor]  # from the last position to logits
    start: int | None = None  # the token before the first one; without it a prompt is needed
    memories: Sequence[tuple[Tensor, Tensor]] | None = None  # keys and values that each block reads
    memory_mask: Tensor | None = None

    def __call__(self, prefix: Int[Tensor, "b t"]) -> Float[Tensor, "b K"]:
        """Log-probabilities of what follows each prefix."""
        return self.reader().read(prefix)

    def reader(self) -> "TransformerReader":
        """A memory that has read nothing."""
        return TransformerReader(self)


class TransformerReader:
    """Prefixes of a transformer, remembered as keys and values; works without gradients.

    A memory of one row serves any number of prefixes; otherwise row i of it belongs to prefix i.
    """

    def __init__(self, model: Continuation) -> None:
        self.model, self.length, self.taken = model, 0, 0
        self.past = [KeyValues() for _ in model.blocks]
        self.memories, self.mask = model.memories, model.memory_mask
        self.quick = all(applies(block) for block in model.blocks)
        self.steps: list[OnePosition] = []  # the blocks for one position, once one is read

    def read(self, tokens: Int[Tensor, "b s"]) -> Float[Tensor, "b K"]:
        """Append tokens; log-probabilities of what follows."""
        if self.length == 0 and self.model.start is not None:
            begin = tokens.new_full((len(tokens), 1), self.model.start)
            tokens = torch.cat([begin, tokens], dim=1)
        if tokens.shape[1] == 0:
            raise InputError("expected at least one new token, got none")
        # What leaves must be a usual tensor; inside, the cheaper mode serves if nobody looks on.
        with torch.inference_mode() if self.quick else torch.no_grad():
            x = self.model.embed(tokens, self.length)
            one = self.quick and self.length > 0 and tokens.shape[1] == 1
            x = self._one(x[:, 0]) if one else self._several(x)
        self.length += tokens.shape[1]
        with torch.no_grad():
            return log_softmax(self.model.head(x))

    def _one(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        """One position through all blocks; their weights are copied once that is worth it."""
        if not self.steps:
            blocks = (b for b in self.model.blocks if isinstance(b, DecoderBlock))
            self.steps = [OnePosition(block) for block in blocks]
        self.taken += 1
        for step, past in zip(self.steps, self.past, strict=True):
            if self.taken == PATIENCE:
                step.pack(len(x))
            x = step(x, past)
        return x

    def _several(self, x: Float[Tensor, "b s d"]) -> Float[Tensor, "b d"]:
        """Positions through all blocks; the last of them."""
        memories: Sequence[tuple[Tensor, Tensor] | None] = self.memories or [None] * len(self.past)
        for block, past, memory in zip(self.model.blocks, self.past, memories, strict=True):
            assert isinstance(block, DecoderBlock)  # as Continuation says
            x = block.step(x, past, memory, memory_mask=self.mask)
        return x[:, -1]

    def keep(self, rows: Int[Tensor, " c"]) -> None:
        """Go on with these prefixes."""
        for past in self.past:
            past.keep(rows)
        if self.memories and len(self.memories[0][0]) > 1:
            self.memories = [(K[rows], V[rows]) for K, V in self.memories]
            self.mask = None if self.mask is None else self.mask[rows]
