r"""The nucleus is the smallest set of its mass.

Taking tokens from the most probable on until their mass reaches p keeps

.. math:: m=\min\Bigl\{|S|:\sum_{i\in S}p_i\ge p\Bigr\}

of them, fewer than any other choice: here against all :math:`2^K` sets. The number adapts to the
distribution, small where it is peaked and large where it is flat, while top-k keeps k of either.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.4; Holtzman, Buys, Du, Forbes and
    Choi (2020), "The curious case of neural text degeneration".
:kind: theorem
:cost: instant
:covers: top-p-sampling
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.networks.softmax import softmax
from corollary.theory.sequences.decoding.sampling import nucleus


class Given(NamedTuple):
    """Distributions, one a row, the mass to reach and the tokens that were kept."""

    logits: Float[Tensor, "n K"]
    p: float
    kept: Bool[Tensor, "n K"]


@dataclass(frozen=True)
class NucleusSmallest(Claim[Given]):
    """The number of kept tokens against the least number among all sets."""

    n: int = option(24, low=2, high=200)  # distributions, from peaked to flat
    K: int = option(10, low=2, high=14)  # tokens
    p: float = option(0.9, low=0.01, high=0.999)  # mass to reach
    relation = equals()  # counts

    def given(self, rng: Generator) -> Given:
        """Normal logits, at temperatures that grow from row to row."""
        normal = torch.randn(self.n, self.K, generator=rng, dtype=torch.float64)
        logits = normal / torch.logspace(-1, 1, self.n, dtype=torch.float64)[:, None]
        return Given(logits, self.p, nucleus(logits, self.p))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The mass, and the order in which tokens were taken."""
        P = softmax(given.logits)
        mass = float((P * given.kept).sum(dim=1).min())
        least = P.masked_fill(~given.kept, torch.inf).amin(dim=1)
        left = P.masked_fill(given.kept, 0.0).amax(dim=1)
        yield Hypothesis("the kept mass reaches p", mass >= given.p - 1e-12, f"mass {mass:.3g}")
        yield Hypothesis(
            "no token left out is more probable than a kept one", bool((least >= left).all())
        )

    def predict(self, given: Given) -> list[float]:
        """The least size of a set with enough mass, among all sets."""
        K = given.logits.shape[1]
        sets = (torch.arange(2**K)[:, None] >> torch.arange(K)) & 1  # (2^K, K)
        enough = sets.double() @ softmax(given.logits).T >= given.p - 1e-12  # (2^K, n)
        size = sets.sum(dim=1, keepdim=True).double()
        return size.where(enough, torch.inf).amin(dim=0).tolist()

    def measure(self, given: Given) -> list[float]:
        """The number of kept tokens."""
        return given.kept.sum(dim=1).double().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Tokens taken in the order of the vocabulary until their mass reaches p."""
        given = self.given(rng)
        P = softmax(given.logits)
        return given._replace(kept=P.cumsum(dim=1) - P < given.p)

    def figure(self, given: Given) -> Figure:
        """Sizes against the entropy, with those of top-k."""
        entropy = torch.special.entr(softmax(given.logits)).sum(dim=1)
        order = entropy.argsort()
        sizes = torch.tensor(self.measure(given))[order]
        least = torch.tensor(self.predict(given))[order]
        H = entropy[order].tolist()
        marks = (
            Curve(least, H, label="smallest set of mass p", role="predicted"),
            Points(H, sizes, label="nucleus"),
            Curve([3.0] * len(H), H, label="top-k, k = 3", role="other", dashed=True),
        )
        return Figure("The nucleus follows the entropy", x="entropy (nats)", y="kept tokens",
                      marks=marks)  # fmt: skip
