"""An encoder-decoder that learns to say a sequence backwards; trained once for all who ask."""

from functools import lru_cache
from typing import cast

import torch
from torch import Generator, Tensor
from torch.nn.functional import cross_entropy

from corollary.data.toy_sequences import Tokens, reversal_pairs
from corollary.models.many import Many, summed
from corollary.models.recurrent.additive_attention import AdditiveAttention
from corollary.models.recurrent.gru import GRUCell
from corollary.models.recurrent.seq2seq import Seq2Seq
from corollary.theory.sequences.factorization import teacher_forced_loss
from corollary.train import fit

EMBEDDING, BATCH, RATE = 8, 64, 0.03
TOGETHER = 0.04  # the first step size of those that fall to zero


def untrained(K: int, m: int, attention: bool, rng: Generator) -> Seq2Seq:
    """A model with m units for sequences of K tokens."""
    look = AdditiveAttention(m, m, m, rng=rng) if attention else None
    encoder = GRUCell(EMBEDDING, m, rng=rng)
    decoder = GRUCell(EMBEDDING + (m if attention else 0), m, rng=rng)
    return Seq2Seq(encoder, decoder, K, K, attention=look, rng=rng)


@lru_cache(maxsize=32)
def trained(seed: int, T: int, K: int, m: int, steps: int, attention: bool) -> Seq2Seq:
    """A model with m units for sequences of T among K tokens, after some steps of Adam."""
    rng = torch.Generator().manual_seed(seed)
    net = untrained(K, m, attention, rng)
    x, y = reversal_pairs(BATCH * 32, T, K, rng=rng)
    if steps:
        adam = torch.optim.Adam(net.parameters(), lr=RATE)
        fit(net, (x, y, y), teacher_forced_loss, adam, steps=steps, batch_size=BATCH, rng=seed,
            clip=1.0)  # fmt: skip
    return net


@lru_cache(maxsize=32)
def accuracies(
    seed: int, runs: int, T: int, K: int, m: int, steps: int, attention: bool
) -> tuple[float, ...]:
    """Of models that differ in their start, trained on the same sequences with falling steps."""
    rng = torch.Generator().manual_seed(seed)
    nets = Many([untrained(K, m, attention, rng) for _ in range(runs)])
    x, y = reversal_pairs(BATCH * 32, T, K, rng=rng)

    def loss(logits: Tensor, target: Tensor) -> Tensor:
        return cross_entropy(logits.flatten(0, 1), target.flatten())

    adam = torch.optim.Adam(nets.parameters(), lr=TOGETHER)
    fit(nets, (x, y, y), summed(loss), adam, steps=steps, batch_size=BATCH, rng=seed,
        schedule=lambda step: 1 - step / steps)  # fmt: skip
    pairs = unseen(seed, T, K)
    return tuple(accuracy(cast(Seq2Seq, net), pairs) for net in nets.apart())


def unseen(seed: int, T: int, K: int, B: int = 256) -> Tokens:
    """Pairs that no model was trained on."""
    rng: Generator = torch.Generator().manual_seed(seed + 1)
    return reversal_pairs(B, T, K, rng=rng)


def accuracy(net: Seq2Seq, pairs: Tokens) -> float:
    """Part of the tokens that the model says right, on its own."""
    x, y = pairs
    return float((net.generate(x, y.shape[1]) == y).double().mean())
