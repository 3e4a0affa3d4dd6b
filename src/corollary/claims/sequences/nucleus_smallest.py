r"""Nucleus (top-p) sampling: the nucleus is the smallest set of tokens with mass p.

Taking tokens from the most probable on until their mass reaches p keeps

.. math:: m=\min\Bigl\{|S|:\sum_{i\in S}p_i\ge p\Bigr\}

of them, fewer than any other choice: here against all :math:`2^K` sets. The number adapts to the
distribution, small where it is peaked and large where it is flat, while top-k keeps k of either.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.4; Holtzman, Buys, Du, Forbes and
    Choi (2020), "The curious case of neural text degeneration".
:kind: theorem
:covers: top-p-sampling
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, below, equals, normal, option
from corollary.core.picture import Curve, Level, Marks, Points, picture
from corollary.theory.networks.softmax import softmax
from corollary.theory.sequences.decoding.sampling import nucleus


class Given(NamedTuple):
    logits: Float[Tensor, "n K"]  # distributions, one per row
    p: float  # mass to reach
    kept: Bool[Tensor, "n K"]  # tokens that were kept


def likely_first(given: Given) -> bool:
    """Whether the least probable token kept is no less probable than the best left out."""
    P = softmax(given.logits)
    least = P.masked_fill(~given.kept, torch.inf).amin(dim=1)
    return bool((least >= P.masked_fill(given.kept, 0.0).amax(dim=1)).all())


def in_order(given: Given) -> Given:
    """Tokens taken in the order of the vocabulary until their mass reaches p are more."""
    P = softmax(given.logits)
    return given._replace(kept=P.cumsum(dim=1) - P < given.p)


class NucleusSmallest(Claim[Given]):
    n: int = option(24, low=2, high=200)  # distributions, from peaked to flat
    K: int = option(10, low=2, high=14)  # tokens
    p: float = option(0.9, low=0.01, high=0.999)  # mass to reach

    relation = equals()  # counts
    supposes = (
        Suppose(
            "the kept mass reaches p",
            lambda g: below(g.p - (softmax(g.logits) * g.kept).sum(dim=1), 1e-12),
            "For a flat distribution, the mass of the most probable token is below p.",
            kept=lambda g: nucleus(g.logits, 1e-9),
        ),
        Suppose("no token left out is more probable than a kept one", likely_first, in_order),
    )
    symbols = "smallest set of mass p", "nucleus"

    def given(self, rng: Generator) -> Given:
        """Normal logits, at temperatures that grow from row to row."""
        temperature = torch.logspace(-1, 1, self.n, dtype=torch.float64)[:, None]
        logits = normal(rng, self.n, self.K) / temperature
        return Given(logits, self.p, nucleus(logits, self.p))

    def predict(self, given: Given) -> Tensor:
        """By looking at all sets."""
        K = given.logits.shape[1]
        sets = (torch.arange(2**K)[:, None] >> torch.arange(K)) & 1  # (2^K, K)
        fit = sets.double() @ softmax(given.logits).T >= given.p - 1e-12  # (2^K, n)
        size = sets.sum(dim=1, keepdim=True).double()
        return size.where(fit, torch.inf).amin(dim=0)

    def measure(self, given: Given) -> Tensor:
        return given.kept.sum(dim=1).double()

    @picture("Size of the nucleus against the entropy", x="entropy (nats)", y="kept tokens")
    def marks(self, trial: Trial[Given]) -> Marks:
        entropy = torch.special.entr(softmax(trial.given.logits)).sum(dim=1)
        H, order = entropy.sort()
        yield Curve(trial.predicted[order], H, label=self.symbols[0], role="predicted")
        yield Points(H, trial.measured[order], label=self.symbols[1])
        yield Level(3.0, label="top-k, k = 3", role="other")
