r"""Decoder causality: outputs do not depend on later tokens.

.. math:: x\leftarrow\operatorname{LN}(x+\operatorname{MHA}_{\text{causal}}(x)),\quad
   x\leftarrow\operatorname{LN}(x+\operatorname{MHA}(x,\text{memory})),\quad
   x\leftarrow\operatorname{LN}(x+\operatorname{MLP}(x)):

if the last token is exchanged, every earlier output stays, and so it does if the memory comes in
another order. Without the mask the block is an encoder block, and everything changes.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.3 and Listing 10.3; Perez Jensen
    (2025), Deep Learning, Section 6.4.
:kind: theorem
:uses: causal_mask, cross_attention_set
:covers: transformer-decoder-block
:erratum: [code bug] Listing 10.3, called a simple decoder block, has neither the causal mask nor
    the cross-attention of the text: it is an encoder block with one head. It is the counterexample
    here: changing the last token changes the first output.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, normal, option
from corollary.core.picture import Level, Marks, Points, Role, picture
from corollary.models.transformers.blocks import DecoderBlock


class Given(NamedTuple):
    """A sequence and a memory, the same after a change, and a block."""

    x: Float[Tensor, "T d"]
    changed: Float[Tensor, "T d"]
    memory: Float[Tensor, "s d"] | None
    reordered: Float[Tensor, "s d"] | None
    block: DecoderBlock


def masked(given: Given) -> bool:
    """Whether the mask that reaches the self-attention hides all later positions."""
    seen: list[Tensor | None] = []
    note = lambda _, args, named: seen.append(named["mask"])  # noqa: E731
    hook = given.block.attention.register_forward_pre_hook(note, with_kwargs=True)
    given.block(given.x, given.memory)
    hook.remove()
    return all(mask is not None and not bool(mask.triu(1).any()) for mask in seen)


def listing(given: Given, rng: Generator) -> Given:
    """Listing 10.3: no mask, no memory, one head."""
    d = given.x.shape[1]
    block = DecoderBlock(d, 1, cross_attention=False, causal=False, rng=rng)
    return Given(given.x, given.changed, None, None, block.requires_grad_(False))


def same_rows(given: Given) -> bool:
    """Whether both memories have the same rows, in any order."""
    if given.memory is None or given.reordered is None:
        return given.memory is given.reordered
    return sorted(given.memory.tolist()) == sorted(given.reordered.tolist())


class DecoderCausality(Claim[Given]):
    T: int = option(6, low=2, high=100)  # tokens
    s: int = option(5, low=2, high=100)  # positions of the memory
    heads: int = option(2, high=8)  # heads of each attention; four numbers per head

    relation = equals(ulps=4096, scale=1.0)  # the memory is summed in another order
    supposes = (
        Suppose("self-attention does not read later tokens", masked, listing),
        Suppose(
            "only the last token is changed",
            lambda g: torch.equal(g.x[:-1], g.changed[:-1]),
            "If the first token changes, every output changes.",
            changed=lambda g: g.changed.roll(1, dims=0),
        ),
        Suppose(
            "the memory has the same rows",
            same_rows,
            "If the memory changes, every output changes.",
            reordered=lambda g: -g.memory,
        ),
    )
    symbols = "outputs before the last", "after another last token"

    def given(self, rng: Generator) -> Given:
        """Another last token, and the memory backwards."""
        d = 4 * self.heads
        x, memory = normal(rng, self.T, d), normal(rng, self.s, d)
        changed = torch.cat([x[:-1], normal(rng, 1, d)])
        block = DecoderBlock(d, self.heads, rng=rng).requires_grad_(False)
        return Given(x, changed, memory, memory.flip(0), block)

    def predict(self, given: Given) -> Tensor:
        out: Tensor = given.block(given.x, given.memory)
        return out[:-1].flatten()

    def measure(self, given: Given) -> Kept:
        after = given.block(given.changed, given.reordered)
        return Kept(after[:-1].flatten(), after=after)

    @picture(
        "Change of the outputs when the last token changes", x="position", y="change of the output"
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        t = list(range(1, len(trial.given.x) + 1))

        def moves(trial: Trial[Given], label: str, role: Role) -> Points:
            before = trial.given.block(trial.given.x, trial.given.memory)
            return Points(t, (trial.kept.after - before).norm(dim=1), label=label, role=role)

        yield Level(0.0, label="no earlier output changes")
        yield moves(trial, "decoder block", "measured")
        for broken in trial.without[:1]:
            yield moves(broken, "Listing 10.3", "other")
