"""Generation with a memory against transformers: ``python benchmarks/generation.py``.

A GPT-2 of 10.9 million weights (6 layers, 384 wide, 6 heads, 512 tokens, float32), with the same
weights on both sides; both must write the same tokens before the race starts. ``afresh`` is our
model without a memory. The floor is the matrix products of one token, as often as tokens are
written. Without the transformers package we race against ``afresh`` alone.

    PYTHONPATH=<where transformers is> python benchmarks/generation.py [--json out/generation.json]
"""

from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

import torch
import torch.nn.functional as F
from race import Race, main, race
from torch import Tensor

from corollary.models.transformers.gpt import GPT
from corollary.theory.sequences.decoding.beam import beam_search
from corollary.theory.sequences.decoding.greedy import decode_greedy

TOKENS, WIDTH, HEADS, LAYERS, ROOM = 512, 384, 6, 6, 512


@cache
def ours() -> GPT:
    """Our model; weights of the size of GPT-2's at the start."""
    model = GPT(
        TOKENS,
        WIDTH,
        HEADS,
        LAYERS,
        max_len=ROOM,
        phi=partial(F.gelu, approximate="tanh"),
        rng=torch.Generator().manual_seed(0),
        dtype=torch.float32,
    ).eval()
    with torch.no_grad():
        for weight in (model.embed.E, model.embed.positions.P):
            weight.mul_(0.02)
        model.head.W.copy_(model.embed.E)  # tied, as theirs are
    return model


@cache
def theirs() -> Any:
    """The same weights in a GPT-2 of transformers."""
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(
        vocab_size=TOKENS,
        n_positions=ROOM,
        n_embd=WIDTH,
        n_layer=LAYERS,
        n_head=HEADS,
        bos_token_id=0,
        eos_token_id=None,
    )
    peer, model = GPT2LMHeadModel(config).eval(), ours()
    body = peer.transformer
    with torch.no_grad():
        body.wte.weight.copy_(model.embed.E)
        body.wpe.weight.copy_(model.embed.positions.P)
        for block, mine in zip(body.h, model.blocks, strict=True):
            a = mine.attention
            block.attn.c_attn.weight.copy_(torch.cat([a.W_q.W, a.W_k.W, a.W_v.W]).T)
            block.attn.c_proj.weight.copy_(a.W_o.W.T)
            block.mlp.c_fc.weight.copy_(mine.mlp.inner.W.T)
            block.mlp.c_proj.weight.copy_(mine.mlp.outer.W.T)
    return peer


def prompts(batch: int) -> Tensor:
    """Four tokens per row."""
    return torch.randint(0, TOKENS, (batch, 4), generator=torch.Generator().manual_seed(1))


def peer_generates(prompt: Tensor, n: int, **options: Any) -> Callable[[], list[list[int]]]:
    """Their generate, with its dynamic cache."""
    peer = theirs()

    def run() -> list[list[int]]:
        with torch.no_grad():
            found = peer.generate(
                prompt,
                attention_mask=torch.ones_like(prompt),
                max_new_tokens=n,
                do_sample=False,
                pad_token_id=0,
                **options,
            )
        return found[:, prompt.shape[1] :].tolist()

    return run


def products(batch: int, n: int) -> Callable[[], None]:
    """The floor: every weight matrix times a vector, once per token."""
    weights = [p for p in ours().parameters() if p.ndim == 2 and len(p) >= WIDTH][2:]
    rows = {m: torch.randn(batch, m) for m in {w.shape[1] for w in weights}}

    @torch.no_grad()
    def run() -> None:
        for _ in range(n):
            for w in weights:
                F.linear(rows[w.shape[1]], w)

    return run


def contest(
    title: str,
    batch: int,
    n: int,
    mine: Callable[[], list[list[int]]],
    afresh: Callable[[], list[list[int]]] | None = None,
    **options: Any,
) -> Race:
    """All contenders on the same prompts, once they agree on the tokens."""
    contenders: dict[str, Callable] = {"corollary": mine}
    if find_spec("transformers") is not None:
        contenders["transformers"] = peer_generates(prompts(batch), n, **options)
    if afresh is not None:
        contenders["afresh"] = afresh
    found = [run() for run in contenders.values()]
    assert all(rows == found[0] for rows in found), "they write different tokens"
    contenders["products"] = products(batch * options.get("num_beams", 1), n)
    rival = "transformers" if "transformers" in contenders else "products"
    facts = {"batch": batch, "new tokens": n}
    return race(title, contenders, reference=rival, floor="products", rounds=3, facts=facts)


def generated(batch: int, n: int) -> Callable[[], list[list[int]]]:
    """Ours, greedy."""
    return lambda: [list(found.tokens) for found in ours().generate(prompts(batch), n)]


def one() -> Race:
    """One sequence, with and without a memory."""

    def afresh() -> list[list[int]]:
        model = ours()
        return [
            list(found.tokens)
            for found in decode_greedy(lambda y: model.next_token(y), 128, start=prompts(1))
        ]

    return contest("Greedy, one sequence", 1, 128, generated(1, 128), afresh)


def sixteen() -> Race:
    """A batch."""
    return contest("Greedy, sixteen sequences", 16, 128, generated(16, 128))


def beam() -> Race:
    """A beam of four, whose memory is reordered at every step."""

    def mine() -> list[list[int]]:
        return [list(beam_search(ours().next_token, 4, 64, start=prompts(1)[0])[0].tokens)]

    return contest("Beam of four", 1, 64, mine, num_beams=4, length_penalty=0.0)


if __name__ == "__main__":
    main(one, sixteen, beam)
