r"""Pinsker's inequality.

The divergence :math:`\mathrm{KL}(P\|Q)=\sum_iP_i\ln(P_i/Q_i)` of probability vectors is zero iff
:math:`P=Q`, not symmetric, infinite unless :math:`P\ll Q`, and

.. math:: \mathrm{KL}(P\|Q)\ \ge\ \tfrac12\|P-Q\|_1^2,\qquad\text{for coins}\quad
    \mathrm{kl}(q\|p)\ge2(q-p)^2 .

Read backwards, :math:`\mathrm{kl}(q\|p)\le c` leaves :math:`p\le q+\sqrt{c/2}`; inverting the
divergence itself leaves less, and for small q much less.

:source: Lucchi (2025), Foundations of Deep Learning, Section 9.1, (9.1)-(9.2); Pinsker (1964),
    Information and Information Stability of Random Variables and Processes.
:kind: bound
:covers: kl-divergence
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, Trial, at_least, option, uniform
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.theory.generalization.divergence import kl_bernoulli, kl_discrete, kl_inverse


class Given(NamedTuple):
    P: Float[Tensor, "n k"]  # laws, row by row
    Q: Float[Tensor, "n k"]  # others


def is_law(p: Tensor) -> bool:
    """Whether all rows are probability vectors."""
    return bool((p >= 0).all()) and bool(((p.sum(1) - 1).abs() < 1e-12).all())


class Pinsker(Claim[Given]):
    n: int = option(200, low=2, high=10_000)  # pairs
    k: int = option(3, low=2, high=100)  # outcomes

    relation = at_least(ulps=64, scale=1.0)  # the first pair is equal: a sum that cancels to 0
    supposes = (
        Suppose(
            "P is a probability vector",
            lambda g: is_law(g.P),
            "P has mass 1/2: the sum of P ln(P/Q) is negative.",
            P=lambda g: g.P / 2,
        ),
        Suppose(
            "Q is a probability vector",
            lambda g: is_law(g.Q),
            "Q has mass 2: the sum of P ln(P/Q) is negative.",
            Q=lambda g: 2 * g.Q,
        ),
    )
    symbols = "½‖P − Q‖₁²", "KL(P‖Q)"
    shows = Parity("KL(Q‖P) is at least the bound", without=False)

    def given(self, rng: Generator) -> Given:
        weights = -uniform(rng, 2, self.n, self.k).clamp(min=1e-300).log()
        P, Q = weights / weights.sum(-1, keepdim=True)
        Q[0] = P[0]
        return Given(P, Q)

    def predict(self, given: Given) -> Tensor:
        P, Q = given
        coins = 2 * (P[:, 0] - Q[:, 0]).square()
        return torch.cat([(P - Q).abs().sum(1).square() / 2, coins])

    def measure(self, given: Given) -> Tensor:
        P, Q = given
        coins = kl_bernoulli(P[:, 0].clamp(0, 1), Q[:, 0].clamp(0, 1))
        p, q = P.sum(1), Q.sum(1)  # 1 for laws; otherwise Σ P ln(P/Q) is that of shares, and more
        of_shares = kl_discrete(P / p[:, None], Q / q[:, None])
        return torch.cat([p * (of_shares + (p / q).log()), coins])

    def tight(self) -> Given:
        """Coins that are almost the same."""
        P, Q = torch.tensor([[[0.5, 0.5]], [[0.501, 0.499]]], dtype=torch.float64)
        return Given(P, Q)

    @picture("Bounds on p from q = 0.05: inverse of kl and Pinsker", x="p", y="kl(q‖p)")
    def marks(self, trial: Trial[Given]) -> Marks:
        q, c = 0.05, 0.1
        p = torch.linspace(0.001, 0.6, 200, dtype=torch.float64)
        yield Curve(kl_bernoulli(torch.full_like(p, q), p), p, label="kl(q‖p)")
        yield Curve(2 * (p - q).square(), p, label="2(q − p)²", role="predicted")
        yield Level(c, label="c", role="other")
        yield Level(kl_inverse(q, c), label="kl⁻¹(q, c)", axis="x")
        yield Level(q + (c / 2) ** 0.5, label="q + √(c/2)", axis="x", role="other")
