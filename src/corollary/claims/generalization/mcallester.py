r"""McAllester's PAC-Bayes bound.

For a prior P fixed before the N samples are seen, with probability at least :math:`1-\epsilon` for
all posteriors Q at once

.. math:: E_QR\ \le\ E_QR_S+\sqrt{\frac{\mathrm{KL}(Q\|P)+\ln(2\sqrt N/\epsilon)}{2N}} .

By Pinsker it is a weakening of the kl inversion, which is never larger. Checked on several samples
at once, each with its share of :math:`\epsilon`, and Gibbs posteriors
:math:`Q\propto P\,e^{-\beta NR_S}` from :math:`\beta=0` (the prior) to almost one hypothesis.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 70; McAllester (2003), "Simplified
    PAC-Bayesian margin bounds"; Maurer (2004), "A note on the PAC-Bayesian theorem".
:kind: bound
:uses: pac_bayes_theorem, pinsker
:covers: mcallester-pac-bayes
:erratum: [loose] Theorem 70 has the factor 2/N under the root where 1/(2N) is available: valid, but
    the slack is twice as large. Its indicated proof, Theorem 69 with the square, gives more than is
    printed: sqrt((KL + ln(J/eps))/N) with J at most sqrt(2) (1.386 at N = 10, 1.411 at N = 100).
    The term ln(2 sqrt(N)) belongs to kl and, by Pinsker, to 2(q - p)^2.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, Trial, at_most, option, uniform
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.generalization.change_of_measure import gibbs_tilt
from corollary.theory.generalization.divergence import kl_discrete
from corollary.theory.generalization.pac_bayes import kl_bound, mcallester_bound

BETAS = (0.0, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0)


class Given(NamedTuple):
    """True risks, risks on samples of N that share epsilon, and a prior for each."""

    R: Float[Tensor, " k"]
    R_S: Float[Tensor, "runs k"]
    P: Float[Tensor, "runs k"]
    N: int


def has_independent_samples(given: Given) -> tuple[bool, str]:
    """How the empirical risks vary, in units of R(1 − R)/N."""
    R, N = given.R, given.N
    ratio = float((N * (given.R_S - R).square() / (R * (1 - R))).mean())
    return ratio < 2, f"variance {ratio:.3g} times R(1 − R)/N"


def after_the_sample(given: Given, rng: Generator) -> Given:
    """The prior is the hypothesis that is best on the sample, so the divergence is zero."""
    R = torch.full((50_000,), 0.5, dtype=torch.float64)
    R_S = samples(R, given.N, 2, rng)
    return Given(R, R_S, torch.nn.functional.one_hot(R_S.argmin(1), len(R)).to(R_S), given.N)


class Mcallester(Claim[Given]):
    N: int = option(50, low=1, high=100_000)  # samples
    k: int = option(100, low=2, high=10_000)  # hypotheses
    runs: int = option(20, low=1, high=1000)  # samples S that are drawn
    eps: float = option(0.05, low=1e-6, high=0.5)  # probability that any of them fails

    relation = at_most(ulps=64)  # sums over a hundred hypotheses
    supposes = (
        Suppose(
            "the prior does not depend on the sample",
            lambda g: bool((g.P == g.P[0]).all()),
            without=after_the_sample,
        ),
        Suppose(
            "the samples are independent",
            has_independent_samples,
            "The sample is one example, copied N times: half of the hypotheses make no error on "
            "it.",
            R_S=lambda g, rng: (uniform(rng, *g.R_S.shape) < g.R).double(),
        ),
    )
    symbols = "E_Q R_S + √((KL + ln(2√N/ε))/2N)", "E_Q R"
    shows = Parity("Risks and McAllester's bound", without=False)

    def given(self, rng: Generator) -> Given:
        R = 0.3 + 0.4 * uniform(rng, self.k)
        R_S = samples(R, self.N, self.runs, rng)
        return Given(R, R_S, torch.full_like(R_S, 1 / self.k), self.N)

    def predict(self, given: Given) -> list[float]:
        share, rows = self.eps / len(given.R_S), posteriors(given)
        return [mcallester_bound(q, kl, given.N, share) for _, q, kl in rows]

    def measure(self, given: Given) -> list[float]:
        return [risk for risk, _, _ in posteriors(given)]

    @picture("The bound for different posteriors", x="KL(Q‖P)", y="error")
    def marks(self, trial: Trial[Given]) -> Marks:
        R, R_S, P, N = trial.given
        one = Given(R, R_S[:1], P[:1], N)
        rows = posteriors(one, torch.linspace(0, 2, 41, dtype=torch.float64).tolist())
        risk, train, kl = zip(*rows, strict=True)

        def line(bound: Callable[..., float], **how: bool) -> list[float]:
            return [bound(q, d, N, self.eps, **how) for _, q, d in rows]

        printed = line(mcallester_bound, printed=True)
        yield Curve(train, kl, label="E_Q R_S", role="other")
        yield Curve(risk, kl, label="E_Q R")
        yield Curve(line(kl_bound), kl, label="kl inversion", role="other")
        yield Curve(line(mcallester_bound), kl, label="McAllester", role="predicted")
        yield Curve(printed, kl, label="with 2/N, as printed", role="other", dashed=True)


def samples(R: Tensor, N: int, runs: int, rng: Generator) -> Tensor:
    """Shares of errors on N examples, independent of each other."""
    trials = torch.full((runs, len(R)), float(N), dtype=torch.float64)
    return torch.binomial(trials, R.expand_as(trials).contiguous(), generator=rng) / N


def posteriors(given: Given, betas: Sequence[float] = BETAS) -> list[tuple[float, float, float]]:
    """True risk, risk on the sample and divergence, for each beta and sample."""
    out = []
    for beta in betas:
        Q = gibbs_tilt(given.P, -beta * given.N * given.R_S)
        columns = (Q @ given.R, (Q * given.R_S).sum(1).clamp(0, 1), kl_discrete(Q, given.P))
        out += list(zip(*(c.clamp(min=0).tolist() for c in columns), strict=True))
    return out
