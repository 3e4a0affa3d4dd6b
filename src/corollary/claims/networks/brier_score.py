r"""The Brier score is proper.

If labels follow the law :math:`q`, predicting :math:`p` costs on average

.. math:: \mathbb{E}_{c\sim q}\|e_c-p\|_2^2-\mathbb{E}_{c\sim q}\|e_c-q\|_2^2=\|p-q\|_2^2

more than predicting :math:`q`: honest probabilities are the only best answer.

:source: Mathematical Foundations of Deep Learning (slides), Objective, Table 1; Brier (1950),
    "Verification of forecasts expressed in terms of probability".
:kind: identity
:cost: instant
:covers: regularised-expectation-loss
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.train.losses import brier


class Given(NamedTuple):
    """Laws of the labels and predictions."""

    q: Float[Tensor, "n k"]
    p: Float[Tensor, "n k"]


def expected_score(q: Tensor, p: Tensor) -> Tensor:
    """The mean of the loss over labels that follow q, for predictions p."""
    n, k = p.shape
    classes = torch.arange(k, device=p.device).repeat(n)
    scores = brier(p.log().repeat_interleave(k, 0), classes, reduction="none").reshape(n, k)
    return (q * scores).sum(1)


class BrierScore(Claim[Given]):
    n: int = 60  # pairs of laws
    k: int = option(4, low=2)  # classes
    relation = equals(ulps=4096, scale=1.0)  # a difference of scores of size 1

    def given(self, rng: Generator) -> Given:
        """Random laws."""
        shape = (2, self.n, self.k)
        o = torch.randn(shape, generator=rng, dtype=torch.float64, device=rng.device)
        return Given(*torch.softmax(1.5 * o, -1))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Labels have a law."""
        off = float((given.q.sum(1) - 1).abs().max())
        yield Hypothesis("q is a probability vector", off < 1e-12, f"sums off by {off:.1e}")

    def predict(self, given: Given) -> list[float]:
        """Squared distances."""
        return ((given.p - given.q) ** 2).sum(1).tolist()

    def measure(self, given: Given) -> list[float]:
        """Differences of mean scores."""
        return (expected_score(given.q, given.p) - expected_score(given.q, given.q)).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Weights that sum to one half."""
        given = self.given(rng)
        return given._replace(q=given.q / 2)

    def figure(self, given: Given) -> Figure:
        """Mean score of two classes over the prediction, for three laws."""
        t = torch.linspace(0.001, 0.999, 120, dtype=torch.float64)
        p = torch.stack([t, 1 - t], 1)
        marks = []
        for q1 in (0.2, 0.5, 0.9):
            q = torch.tensor([[q1, 1 - q1]], dtype=torch.float64)
            least = expected_score(q, q)
            parabola = least + 2 * (t - q1) ** 2
            marks.append(Curve(parabola, x=t, label=f"parabola at {q1}", role="predicted"))
            score = expected_score(q.expand(120, 2), p)
            marks.append(Points(t[::8], score[::8], label=f"mean score, q₁ = {q1}"))
        return Figure("Honesty is the minimum", x="p₁", y="E‖e − p‖²", marks=tuple(marks))
