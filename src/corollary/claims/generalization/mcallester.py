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
:cost: instant
:covers: mcallester-pac-bayes
:erratum: [loose] Theorem 70 has the factor 2/N under the root where 1/(2N) is available: valid, but
    the slack is twice as large. Its indicated proof, Theorem 69 with the square, gives more than is
    printed: sqrt((KL + ln(J/eps))/N) with J at most sqrt(2) (1.386 at N = 10, 1.411 at N = 100).
    The term ln(2 sqrt(N)) belongs to kl and, by Pinsker, to 2(q - p)^2.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option
from corollary.theory.generalization.change_of_measure import gibbs_tilt
from corollary.theory.generalization.divergence import kl_discrete
from corollary.theory.generalization.pac_bayes import kl_bound, mcallester_bound

BETAS = (0.0, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0)


class Given(NamedTuple):
    """Samples with their shares of epsilon, and a prior for each."""

    R: Float[Tensor, " k"]
    R_S: Float[Tensor, "runs k"]
    P: Float[Tensor, "runs k"]


@dataclass(frozen=True)
class Mcallester(Claim[Given]):
    """Risks of Gibbs posteriors against the bound."""

    N: int = option(50, low=1, high=100_000)  # samples
    k: int = option(100, low=2, high=10_000)  # hypotheses
    runs: int = option(20, low=1, high=1000)  # samples S that are drawn
    eps: float = option(0.05, low=1e-6, high=0.5)  # probability that any of them fails
    relation = at_most(ulps=64)  # sums over a hundred hypotheses

    def given(self, rng: Generator) -> Given:
        """Risks between 0.3 and 0.7, a uniform prior."""
        R = 0.3 + 0.4 * torch.rand(self.k, generator=rng, device=rng.device, dtype=torch.float64)
        R_S = _samples(R, self.N, self.runs, rng)
        return Given(R, R_S, torch.full_like(R_S, 1 / self.k))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The prior."""
        fixed = bool((given.P == given.P[0]).all())
        yield Hypothesis("the prior does not depend on the sample", fixed)

    def predict(self, given: Given) -> list[float]:
        """The bounds, with the union bound over samples."""
        rows = _posteriors(given, self.N)
        return [mcallester_bound(q, kl, self.N, self.eps / len(given.R_S)) for _, q, kl in rows]

    def measure(self, given: Given) -> list[float]:
        """True risks of the posteriors."""
        return [risk for risk, _, _ in _posteriors(given, self.N)]

    def counterexample(self, rng: Generator) -> Given:
        """A prior that sits on the hypothesis that did best on the sample: nothing to pay."""
        R = torch.full((50_000,), 0.5, dtype=torch.float64, device=rng.device)
        R_S = _samples(R, self.N, 2, rng)
        best = torch.nn.functional.one_hot(R_S.argmin(1), len(R)).to(R_S)
        return Given(R, R_S, best)

    def figure(self, given: Given) -> Figure:
        """One sample: from the prior to a single hypothesis."""
        one = Given(given.R, given.R_S[:1], given.P[:1])
        rows = _posteriors(one, self.N, torch.linspace(0, 2, 81, dtype=torch.float64).tolist())
        kl, eps = [row[2] for row in rows], self.eps

        def line(bound: object) -> list[float]:
            return [bound(q, d, self.N, eps) for _, q, d in rows]  # type: ignore[operator]

        def printed(q: float, d: float, N: int, eps: float) -> float:
            return mcallester_bound(q, d, N, eps, printed=True)

        return Figure(
            "What the choice of a posterior costs",
            x="KL(Q‖P)",
            y="error",
            marks=(
                Curve([q for _, q, _ in rows], x=kl, label="E_Q R_S", role="other"),
                Curve([r for r, _, _ in rows], x=kl, label="E_Q R"),
                Curve(line(kl_bound), x=kl, label="kl inversion", role="other"),
                Curve(line(mcallester_bound), x=kl, label="McAllester", role="predicted"),
                Curve(line(printed), x=kl, label="with 2/N, as printed", role="other", dashed=True),
            ),
        )


def _samples(R: Tensor, N: int, runs: int, rng: Generator) -> Tensor:
    shape = runs, len(R)
    trials = torch.full(shape, float(N), dtype=torch.float64, device=rng.device)
    return torch.binomial(trials, R.expand(shape).contiguous(), generator=rng) / N


def _posteriors(
    given: Given, N: int, betas: tuple[float, ...] | list[float] = BETAS
) -> list[tuple[float, float, float]]:
    """True risk, risk on the sample and divergence, for each beta and sample."""
    out = []
    for beta in betas:
        Q = gibbs_tilt(given.P, -beta * N * given.R_S)
        columns = (Q @ given.R, (Q * given.R_S).sum(1).clamp(0, 1), kl_discrete(Q, given.P))
        out += list(zip(*(c.clamp(min=0).tolist() for c in columns), strict=True))
    return out
