r"""The autoregressive factorisation is a distribution.

If every factor is a distribution over K tokens, the probabilities

.. math:: p(y_{1:n}\mid x)=\prod_{i=1}^np(y_i\mid x,y_{<i})

of all :math:`K^n` sequences sum to one, and so do those of all continuations of a prefix, to the
probability of the prefix. Any model that gives one softmax a step is therefore normalised over
sequences, with no sum over them ever formed.

:source: Perez Jensen (2025), Deep Learning, Section 5.3; Lucchi (2025), Foundations of Deep
    Learning, Section 10.4.4.
:kind: identity
:cost: instant
:covers: sequence-probability-factorization
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.recurrent.gru import GRUCell
from corollary.models.recurrent.seq2seq import Seq2Seq
from corollary.theory.networks.softmax import softmax
from corollary.theory.sequences.factorization import all_sequences


class Given(NamedTuple):
    """A model, a source, and whether its factors are softmaxes."""

    net: Seq2Seq
    x: Int[Tensor, "1 T"]
    normalised: bool


@dataclass(frozen=True)
class SequenceProbabilities(Claim[Given]):
    """Sums over all sequences of an encoder-decoder."""

    K: int = option(4, low=2, high=8)  # tokens
    n: int = option(4, low=1, high=5)  # places
    relation = equals(ulps=2**14)  # a sum of Kⁿ products

    def given(self, rng: Generator) -> Given:
        """A model with random weights."""
        cells = (GRUCell(3, 6, rng=rng) for _ in range(2))
        net = Seq2Seq(*cells, self.K, self.K, rng=rng)
        with torch.no_grad():
            net.readout.W.mul_(3)  # further from uniform
        return Given(net, torch.randint(self.K, (1, 5), generator=rng), True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The factors, at every place after every prefix."""
        total = self._factors(given).sum(dim=-1)
        off = float((total - 1).abs().max())
        yield Hypothesis("each factor sums to one over the tokens", off < 1e-12, f"off {off:.2g}")

    def predict(self, given: Given) -> list[float]:
        """One, and the probability of each first token."""
        first = torch.arange(self.K)[:, None]
        x = given.x.expand(self.K, -1)
        with torch.no_grad():
            heads = given.net.log_prob(x, first).exp()
        return [1.0, *heads.tolist()]

    def measure(self, given: Given) -> list[float]:
        """Sums over all sequences, and over those with each first token."""
        p = self._probabilities(given)
        return [float(p.sum()), *p.reshape(self.K, -1).sum(dim=1).tolist()]

    def counterexample(self, rng: Generator) -> Given:
        """Each token judged on its own, by a logistic function of its logit."""
        return self.given(rng)._replace(normalised=False)

    def figure(self, given: Given) -> Figure:
        """All probabilities, the largest first, and how they add up."""
        p = self._probabilities(given).sort(descending=True).values
        rank = list(range(1, len(p) + 1))
        marks = (
            Curve(p.cumsum(0), x=rank, label="sum so far"),
            Points(rank, p, label="p(y₁…yₙ | x)", role="other"),
            Curve([1.0, 1.0], x=[1, len(p)], label="1", role="predicted"),
        )
        return Figure("All sequences of a small model", x="rank of the sequence", y="probability",
                      log_x=True, marks=marks)  # fmt: skip

    @torch.no_grad()
    def _factors(self, given: Given) -> Tensor:
        """The factor of each token at each place of every sequence, (K^n, n, K)."""
        y = all_sequences(self.K, self.n)
        logits = given.net(given.x.expand(len(y), -1), y)
        return softmax(logits) if given.normalised else torch.sigmoid(logits)

    def _probabilities(self, given: Given) -> Tensor:
        y = all_sequences(self.K, self.n)
        return self._factors(given).gather(-1, y[..., None])[..., 0].prod(dim=1)
