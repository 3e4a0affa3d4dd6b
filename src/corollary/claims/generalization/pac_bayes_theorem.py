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
:uses: change_of_measure
:loose: The proof uses Markov's inequality for the mean of exp(NΔ), which is far from an equality;
    the worst posterior found here fails with probability ε/10.
:covers: begin-pac-bayes
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Count, Kept, Suppose, Trial, at_most, option, uniform
from corollary.core.picture import Histogram, Level, Marks, picture
from corollary.theory.generalization.change_of_measure import gibbs_tilt
from corollary.theory.generalization.divergence import kl_discrete
from corollary.theory.generalization.pac_bayes import (
    Delta,
    delta_kl,
    delta_square,
    pac_bayes_general,
)

DELTAS: dict[str, Delta] = {"kl": delta_kl, "square": delta_square}


class Given(NamedTuple):
    R: Float[Tensor, " k"]  # true risks of the hypotheses
    R_S: Float[Tensor, "runs k"]  # their risks on many samples
    P: Float[Tensor, "runs k"]  # the prior used for each


def after_the_sample(self: "PacBayesTheorem", rng: Generator) -> Given:
    """The prior is the hypothesis that is best on the sample, so the divergence is zero."""
    R = torch.full((5000,), 0.5, dtype=torch.float64)
    trials = torch.full((200, 5000), float(self.N), dtype=torch.float64)
    R_S = torch.binomial(trials, R.expand_as(trials).contiguous(), generator=rng) / self.N
    return Given(R, R_S, torch.nn.functional.one_hot(R_S.argmin(1), len(R)).to(R_S))


def has_independent_samples(self: "PacBayesTheorem", given: Given) -> tuple[bool, str]:
    """How the empirical risks vary, in units of R(1 − R)/N."""
    ratio = float((self.N * (given.R_S - given.R).square() / (given.R * (1 - given.R))).mean())
    return ratio < 2, f"variance {ratio:.3g} times R(1 − R)/N"


class PacBayesTheorem(Claim[Given]):
    N: int = option(20, low=1, high=1000)  # samples
    k: int = option(5, low=1, high=1000)  # hypotheses
    eps: float = option(0.2, low=0.01, high=0.5)  # probability of failure
    runs: int = option(4000, low=100, high=100_000)  # samples S that are drawn
    distance: Literal["kl", "square"] = "kl"  # the convex function

    relation = at_most()  # a count: its exact binomial interval decides
    supposes = (
        Suppose(
            "the prior does not depend on the sample",
            lambda g: bool((g.P == g.P[0]).all()),
            without=after_the_sample,
        ),
        Suppose(
            "the samples are independent",
            has_independent_samples,
            "The sample is one example, copied N times, so every empirical risk is 0 or 1.",
            R_S=lambda g, rng: (uniform(rng, *g.R_S.shape) < g.R).double(),
        ),
    )
    symbols = "ε", "share of samples on which the inequality fails"

    def given(self, rng: Generator) -> Given:
        R = 0.2 + 0.6 * uniform(rng, self.k)
        trials = torch.full((self.runs, self.k), float(self.N), dtype=torch.float64)
        wrong = torch.binomial(trials, R.expand_as(trials).contiguous(), generator=rng)
        return Given(R, wrong / self.N, torch.full_like(trials, 1 / self.k))

    def predict(self, given: Given) -> float:
        return self.eps

    def measure(self, given: Given) -> Kept:
        (R, R_S, P), Delta = given, DELTAS[self.distance]
        Q = gibbs_tilt(P, self.N * Delta(R.expand_as(R_S), R_S))
        left = Delta((Q * R).sum(1).clamp(0, 1), (Q * R_S).sum(1).clamp(0, 1))
        right = pac_bayes_general(Delta, self.N, self.eps, 0.0) + kl_discrete(Q, P) / self.N
        excess = left - right
        return Kept(Count(int((excess > 0).sum()), len(R_S)), excess=excess)

    @picture(
        "The inequality fails on few samples",
        x="Δ(E_Q R, E_Q R_S) minus the right side",
        y="density over samples",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        excess = trial.kept.excess
        yield Histogram(excess, label=f"{len(excess)} samples, worst posterior")
        yield Level(0.0, label="fails to the right", axis="x")
