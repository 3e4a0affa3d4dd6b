r"""Top-k sampling renormalises.

Among the k most probable tokens, the set :math:`S_k`, token i is drawn with probability

.. math:: \frac{p_i}{\sum_{j\in S_k}p_j}\quad(i\in S_k),\qquad 0\quad(i\notin S_k),

the softmax of the kept logits. Another temperature :math:`\tau` draws in the proportion
:math:`p_i^{1/\tau}`, from the same set.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.4; Fan, Lewis and Dauphin (2018),
    "Hierarchical neural story generation".
:kind: algorithm
:cost: instant
:covers: top-k-sampling
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Count, Curve, Figure, Hypothesis, Points, option, within_interval
from corollary.theory.sequences.decoding.sampling import sample_top_k, top_k


class Given(NamedTuple):
    """Logits, how many tokens are kept, and how draws are made."""

    logits: Float[Tensor, " K"]
    k: int
    temperature: float
    seed: int


@dataclass(frozen=True)
class TopKFrequencies(Claim[Given]):
    """How often each token is drawn."""

    K: int = option(10, low=2, high=100)  # tokens
    k: int = option(4, high=100)  # tokens that are kept, at most K
    draws: int = option(20_000, low=1000, high=1_000_000)  # samples
    relation = within_interval(resolution=0.02)  # 20000 draws: half widths up to 0.012

    def given(self, rng: Generator) -> Given:
        """Normal logits."""
        logits = torch.randn(self.K, generator=rng, dtype=torch.float64)
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(logits, min(self.k, self.K), 1.0, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Logits as they are."""
        yield Hypothesis(
            "the temperature is 1", given.temperature == 1.0, f"it is {given.temperature:g}"
        )

    def predict(self, given: Given) -> list[float]:
        """Kept probabilities over their sum, zero for the others."""
        p = given.logits.softmax(dim=0)
        kept = p.where(top_k(given.logits, given.k), torch.zeros_like(p))
        return (kept / kept.sum()).tolist()

    def measure(self, given: Given) -> list[Count]:
        """Frequencies of the draws."""
        return [Count(hits, self.draws) for hits in _hits(given, self.draws)]

    def counterexample(self, rng: Generator) -> Given:
        """A temperature of three."""
        return self.given(rng)._replace(temperature=3.0)

    def figure(self, given: Given) -> Figure:
        """Tokens in the order of their probability."""
        order = given.logits.argsort(descending=True)
        rank = list(range(1, len(order) + 1))
        read = [Count(hits, self.draws).read(0.99) for hits in _hits(given, self.draws)]
        read = [read[i] for i in order.tolist()]
        marks = (
            Curve(torch.tensor(self.predict(given))[order], rank, label="renormalised top k",
                  role="predicted"),
            Points(rank, [r.value for r in read], label="drawn",
                   low=[r.low for r in read], high=[r.high for r in read]),
            Curve(given.logits.softmax(dim=0)[order], rank, label="before", role="other",
                  dashed=True),
        )  # fmt: skip
        return Figure("Only the head is drawn", x="rank of the token", y="probability", marks=marks)


def _hits(given: Given, draws: int) -> list[int]:
    rng = torch.Generator().manual_seed(given.seed)
    rows = given.logits.expand(draws, -1)
    tokens = sample_top_k(rows, given.k, temperature=given.temperature, rng=rng)
    return torch.bincount(tokens, minlength=len(given.logits)).tolist()
