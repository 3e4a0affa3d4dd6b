r"""The autoregressive factorisation is a probability distribution.

If every factor is a distribution over K tokens, the probabilities

.. math:: p(y_{1:n}\mid x)=\prod_{i=1}^np(y_i\mid x,y_{<i})

of all :math:`K^n` sequences sum to one, and so do those of all continuations of a prefix, to the
probability of the prefix. Any model that gives one softmax per step is therefore normalised over
sequences, with no sum over them ever formed.

:source: Perez Jensen (2025), Deep Learning, Section 5.3; Lucchi (2025), Foundations of Deep
    Learning, Section 10.4.4.
:kind: identity
:covers: sequence-probability-factorization
:scale-free: factors that are off do not sum to one, and then nothing is claimed.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, near, option
from corollary.core.picture import Curve, Level, Marks, Points, picture
from corollary.models.recurrent.gru import GRUCell
from corollary.models.recurrent.seq2seq import Seq2Seq
from corollary.theory.networks.softmax import softmax
from corollary.theory.sequences.factorization import all_sequences


class Given(NamedTuple):
    net: Seq2Seq  # the model
    x: Int[Tensor, "1 T"]  # a source
    factor: Callable[[Tensor], Tensor]  # what makes factors of logits


@torch.no_grad()
def factors(self: "SequenceProbabilities", given: Given) -> Tensor:
    """The factor of each token at each place of every sequence, (K^n, n, K)."""
    y = all_sequences(self.K, self.n)
    return given.factor(given.net(given.x.expand(len(y), -1), y))


class SequenceProbabilities(Claim[Given]):
    K: int = option(4, low=2, high=8)  # tokens
    n: int = option(4, low=1, high=5)  # places

    relation = equals(ulps=2**14)  # a sum of Kⁿ products
    supposes = Suppose(
        "each factor sums to one over the tokens",
        lambda self, g: near(factors(self, g).sum(dim=-1), 1.0, to=1e-12),
        "The probability of each token is a logistic function of its own logit.",
        factor=lambda g: torch.sigmoid,
    )
    symbols = "probability of the prefix", "sum over its continuations"
    rows = "all sequences", "first token 1", "first token 2", "first token 3", "first token 4"

    def given(self, rng: Generator) -> Given:
        encoder, decoder = (GRUCell(3, 6, rng=rng) for _ in range(2))
        net = Seq2Seq(encoder, decoder, self.K, self.K, rng=rng)
        net.readout.W.data.mul_(3)  # further from uniform
        return Given(net, torch.randint(self.K, (1, 5), generator=rng), softmax)

    @torch.no_grad()
    def predict(self, given: Given) -> list[float]:
        """One, and the probability of each first token."""
        first = torch.arange(self.K)[:, None]
        heads = given.net.log_prob(given.x.expand(self.K, -1), first).exp()
        return [1.0, *heads.tolist()]

    def measure(self, given: Given) -> Kept:
        y = all_sequences(self.K, self.n)
        p = factors(self, given).gather(-1, y[..., None])[..., 0].prod(dim=1)
        return Kept([float(p.sum()), *p.reshape(self.K, -1).sum(dim=1).tolist()], p=p)

    @picture("All sequences of a small model", x="rank of the sequence", y="probability", log="x")
    def marks(self, trial: Trial[Given]) -> Marks:
        p = trial.kept.p.sort(descending=True).values
        rank = list(range(1, len(p) + 1))
        yield Curve(p.cumsum(0), x=rank, label="sum so far")
        yield Points(rank, p, label="p(y₁…yₙ | x)", role="other")
        yield Level(1.0, label="1")
