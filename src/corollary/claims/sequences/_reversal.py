"""An encoder-decoder that learns to say a sequence backwards; trained once for all who ask."""

from functools import lru_cache

import torch
from torch import Generator

from corollary.data.toy_sequences import Tokens, reversal_pairs
from corollary.models.recurrent.additive_attention import AdditiveAttention
from corollary.models.recurrent.gru import GRUCell
from corollary.models.recurrent.seq2seq import Seq2Seq
from corollary.theory.sequences.factorization import teacher_forced_loss
from corollary.train import fit

EMBEDDING, BATCH, RATE = 8, 64, 0.03


@lru_cache(maxsize=32)
def trained(seed: int, T: int, K: int, m: int, steps: int, attention: bool) -> Seq2Seq:
    """A model with m units for sequences of T among K tokens, after some steps of Adam."""
    rng = torch.Generator().manual_seed(seed)
    look = AdditiveAttention(m, m, m, rng=rng) if attention else None
    encoder = GRUCell(EMBEDDING, m, rng=rng)
    decoder = GRUCell(EMBEDDING + (m if attention else 0), m, rng=rng)
    net = Seq2Seq(encoder, decoder, K, K, attention=look, rng=rng)
    x, y = reversal_pairs(BATCH * 32, T, K, rng=rng)
    if steps:
        adam = torch.optim.Adam(net.parameters(), lr=RATE)
        fit(net, (x, y, y), teacher_forced_loss, adam, steps=steps, batch_size=BATCH, rng=seed,
            clip=1.0)  # fmt: skip
    return net


def unseen(seed: int, T: int, K: int, B: int = 256) -> Tokens:
    """Pairs that no model was trained on."""
    rng: Generator = torch.Generator().manual_seed(seed + 1)
    return reversal_pairs(B, T, K, rng=rng)


def accuracy(net: Seq2Seq, pairs: Tokens) -> float:
    """Part of the tokens that the model says right, on its own."""
    x, y = pairs
    return float((net.generate(x, y.shape[1]) == y).double().mean())
