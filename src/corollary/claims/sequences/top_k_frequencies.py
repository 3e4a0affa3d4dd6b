r"""Top-k sampling renormalises the probabilities of the k most probable tokens.

Among the k most probable tokens, the set :math:`S_k`, token i is drawn with probability

.. math:: \frac{p_i}{\sum_{j\in S_k}p_j}\quad(i\in S_k),\qquad 0\quad(i\notin S_k),

the softmax of the kept logits. Another temperature :math:`\tau` draws in the proportion
:math:`p_i^{1/\tau}`, from the same set.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.4; Fan, Lewis and Dauphin (2018),
    "Hierarchical neural story generation".
:kind: algorithm
:covers: top-k-sampling
:scale-free: what theory draws are tokens, no numbers.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Count, Suppose, normal, option, within_interval
from corollary.theory.sequences.decoding.sampling import sample_top_k


class Given(NamedTuple):
    """Logits, the largest first, and how draws are made."""

    logits: Float[Tensor, " K"]
    k: int  # tokens that the sampler keeps
    temperature: float = 1.0


class TopKFrequencies(Claim[Given]):
    K: int = option(10, low=2, high=100)  # tokens
    k: int = option(4, high=100)  # tokens that are kept, at most K
    draws: int = option(20_000, low=1000, high=1_000_000)  # samples

    relation = within_interval(resolution=0.02)  # 20000 draws: half widths up to 0.012
    supposes = (
        Suppose(
            "the temperature is 1",
            lambda g: (g.temperature == 1.0, f"temperature {g.temperature:g}"),
            "At temperature 3, the same tokens are drawn with other probabilities.",
            temperature=3.0,
        ),
        Suppose(
            "the sampler keeps k tokens",
            lambda self, g: (g.k == min(self.k, len(g.logits)), f"kept: {g.k}"),
            "All tokens are kept, so the probabilities are not renormalised.",
            k=lambda g: len(g.logits),
        ),
    )
    symbols = "renormalised top k", "drawn"
    shows = Along(
        "Only the most probable tokens are drawn", x="rank of the token", y="probability", first=1
    )

    def given(self, rng: Generator) -> Given:
        logits = normal(rng, self.K).sort(descending=True).values
        return Given(logits, min(self.k, self.K))

    def predict(self, given: Given) -> Tensor:
        p = given.logits.softmax(dim=0)
        kept = torch.where(torch.arange(len(p)) < self.k, p, 0.0)  # the largest come first
        return kept / kept.sum()

    def measure(self, given: Given, rng: Generator) -> list[Count]:
        rows = given.logits.expand(self.draws, -1)
        tokens = sample_top_k(rows, given.k, temperature=given.temperature, rng=rng)
        hits = torch.bincount(tokens, minlength=len(given.logits)).tolist()
        return [Count(n, self.draws) for n in hits]
