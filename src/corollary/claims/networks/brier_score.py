r"""The Brier score is a proper scoring rule.

If labels follow the law :math:`q`, predicting :math:`p` costs on average

.. math:: \mathbb{E}_{c\sim q}\|e_c-p\|_2^2-\mathbb{E}_{c\sim q}\|e_c-q\|_2^2=\|p-q\|_2^2

more than predicting :math:`q`: honest probabilities are the only best answer.

:source: Mathematical Foundations of Deep Learning (slides), Objective, Table 1; Brier (1950),
    "Verification of forecasts expressed in terms of probability".
:kind: identity
:uses: median_and_mean
:covers: regularised-expectation-loss
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, near, normal, option
from corollary.train.losses import brier


class Given(NamedTuple):
    q: Float[Tensor, "n k"]  # laws of the labels
    p: Float[Tensor, "n k"]  # predictions


def expected_score(q: Tensor, p: Tensor) -> Tensor:
    """The mean of the loss over labels that follow q, for predictions p."""
    n, k = p.shape
    classes = torch.arange(k).repeat(n)
    scores = brier(p.log().repeat_interleave(k, 0), classes, reduction="none").reshape(n, k)
    return (q * scores).sum(1)


class BrierScore(Claim[Given]):
    n: int = 60  # pairs of laws
    k: int = option(4, low=2)  # classes

    relation = equals(ulps=4096, scale=1.0)  # a difference of scores of size 1
    supposes = Suppose(
        "q is a probability vector",
        lambda g: near(g.q.sum(1), 1.0, 1e-12),
        "If q sums to one half, only half of the cost is counted.",
        q=lambda g: g.q / 2,
    )
    symbols = "‖p − q‖²", "E‖e − p‖² − E‖e − q‖²"
    shows = Parity("The excess cost of a wrong probability is its squared distance")

    def given(self, rng: Generator) -> Given:
        return Given(*torch.softmax(1.5 * normal(rng, 2, self.n, self.k), -1))

    def predict(self, given: Given) -> Tensor:
        return (given.p - given.q).square().sum(1)

    def measure(self, given: Given) -> Tensor:
        return expected_score(given.q, given.p) - expected_score(given.q, given.q)
