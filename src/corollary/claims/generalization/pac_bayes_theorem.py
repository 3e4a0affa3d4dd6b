r"""The general PAC-Bayes theorem.

For a convex :math:`\Delta`, a prior P fixed before the N samples are seen, and the zero-one loss:
with probability at least :math:`1-\epsilon`, for all posteriors Q at once,

.. math:: \Delta(E_QR,E_QR_S)\le\frac1N\Bigl(\mathrm{KL}(Q\|P)+\ln\frac{J_\Delta(N)}\epsilon\Bigr),
    \qquad J_\Delta(N)=\sup_m\sum_k\mathrm{Bin}(k;N,m)\,e^{N\Delta(m,k/N)} .

Checked on a finite class, where the true risks are known, with the posterior that is hardest for
the theorem, :math:`Q\propto P\,e^{N\Delta(R,R_S)}`: the share of samples on which it fails is at
most :math:`\epsilon`.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 69; Begin, Germain, Laviolette and Roy
    (2014), "PAC-Bayesian theory for transductive learning".
:kind: bound
:cost: instant
:covers: begin-pac-bayes
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Count,
    Curve,
    Figure,
    Histogram,
    Hypothesis,
    Level,
    at_most,
    option,
)
from corollary.theory.generalization.change_of_measure import gibbs_tilt
from corollary.theory.generalization.divergence import kl_discrete
from corollary.theory.generalization.pac_bayes import (
    Delta,
    delta_kl,
    delta_square,
    log_j,
    log_j_kl,
    pac_bayes_general,
)

DELTAS: dict[str, Delta] = {"kl": delta_kl, "square": delta_square}


class Given(NamedTuple):
    """True risks of the hypotheses, their risks on many samples, and the prior used for each."""

    R: Float[Tensor, " k"]
    R_S: Float[Tensor, "runs k"]
    P: Float[Tensor, "runs k"]


@dataclass(frozen=True)
class PacBayesTheorem(Claim[Given]):
    """How often the inequality fails."""

    N: int = option(20, low=1, high=1000)  # samples
    k: int = option(5, low=1, high=1000)  # hypotheses
    eps: float = option(0.2, low=0.01, high=0.5)  # probability of failure
    runs: int = option(4000, low=100, high=100_000)  # samples S that are drawn
    distance: Literal["kl", "square"] = "kl"  # the convex function
    relation = at_most()  # a count: its exact binomial interval decides

    def given(self, rng: Generator) -> Given:
        """Risks between 0.2 and 0.8, a uniform prior."""
        R = 0.2 + 0.6 * torch.rand(self.k, generator=rng, device=rng.device, dtype=torch.float64)
        shape = self.runs, self.k
        trials = torch.full(shape, float(self.N), dtype=torch.float64, device=rng.device)
        wrong = torch.binomial(trials, R.expand(shape).contiguous(), generator=rng)
        return Given(R, wrong / self.N, torch.full_like(trials, 1 / self.k))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The prior."""
        fixed = bool((given.P == given.P[0]).all())
        yield Hypothesis("the prior does not depend on the sample", fixed)

    def predict(self, given: Given) -> float:
        """At most epsilon."""
        return self.eps

    def measure(self, given: Given) -> Count:
        """Samples on which the inequality fails."""
        return Count(int((self._excess(given) > 0).sum()), len(given.R_S))

    def counterexample(self, rng: Generator) -> Given:
        """A prior that sits on the hypothesis that did best on the sample: nothing to pay."""
        R = torch.full((5000,), 0.5, dtype=torch.float64, device=rng.device)
        trials = torch.full((200, 5000), float(self.N), dtype=torch.float64, device=rng.device)
        R_S = torch.binomial(trials, R.expand_as(trials).contiguous(), generator=rng) / self.N
        return Given(R, R_S, torch.nn.functional.one_hot(R_S.argmin(1), len(R)).to(R_S))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Where the samples fall, and J along N."""
        excess = self._excess(given)
        places = Figure(
            "Few samples break the inequality",
            x="Δ(E_Q R, E_Q R_S) minus the right side",
            y="density over samples",
            marks=(
                Histogram(excess.tolist(), label=f"{len(excess)} samples, worst posterior"),
                Level(0.0, label="fails to the right", axis="x"),
            ),
        )
        sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256]
        growth = (
            Curve([2 * n**0.5 for n in sizes], x=sizes, label="2√N", role="predicted"),
            Curve([n**0.5 for n in sizes], x=sizes, label="√N", role="other", dashed=True),
            Curve(_exp([log_j_kl(n) for n in sizes]), x=sizes, label="J for kl"),
            Curve(_exp([log_j(delta_square, n, grid=201) for n in sizes]), x=sizes,
                  label="J for 2(q − m)²", role="other"),
        )  # fmt: skip
        return places, Figure(
            "What the distance costs", x="N", y="J", log_x=True, log_y=True, marks=growth
        )

    @property
    def _delta(self) -> Delta:
        return DELTAS[self.distance]

    def _excess(self, given: Given) -> Tensor:
        R, R_S, P = given
        Q = gibbs_tilt(P, self.N * self._delta(R.expand_as(R_S), R_S))
        left = self._delta((Q * R).sum(1).clamp(0, 1), (Q * R_S).sum(1).clamp(0, 1))
        right = pac_bayes_general(self._delta, self.N, self.eps, 0.0)
        return left - right - kl_discrete(Q, P) / self.N


def _exp(values: list[float]) -> list[float]:
    return torch.tensor(values, dtype=torch.float64).exp().tolist()
