r"""Change of measure.

For laws :math:`Q\ll P` and any :math:`\phi`

.. math:: E_Q\,\phi\ \le\ \mathrm{KL}(Q\|P)+\ln E_P\,e^\phi ,

with equality iff :math:`dQ/dP\propto e^\phi`. The right side knows Q only through its divergence:
what is proved for a P that is fixed before the data holds for every Q chosen after them.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 68; Donsker and Varadhan (1975),
    "Asymptotic evaluation of certain Markov process expectations for large time".
:kind: theorem
:covers: donsker-varadhan
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, Trial, at_most, below, normal, option, uniform
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.theory.generalization.change_of_measure import dv_gap, gibbs_tilt, log_mean_exp


class Given(NamedTuple):
    P: Float[Tensor, "n k"]  # laws on a finite space, row by row
    Q: Float[Tensor, "n k"]  # others
    phi: Float[Tensor, "n k"]  # functions


class ChangeOfMeasure(Claim[Given]):
    n: int = option(200, low=2, high=10_000)  # triples
    k: int = option(6, low=2, high=100)  # points of the space

    relation = at_most(ulps=64, scale=1.0)  # the first Q is the tilt: equality
    supposes = (
        Suppose(
            "Q is dominated by P",
            lambda g: below(g.Q[g.P == 0].sum(), 0.0),
            "Half of the mass of Q lies where P has none, and E_P does not depend on φ there.",
            lambda: Given(*torch.tensor([[[1.0, 0]], [[0.5, 0.5]], [[0, 10.0]]]).double()),
        ),
        Suppose(
            "Q has mass 1",
            lambda g: bool(((g.Q.sum(1) - 1).abs() < 1e-12).all()),
            "Q has mass 3, so a constant added to φ counts three times on the left side.",
            Q=lambda g: 3 * g.Q,
            phi=lambda g: g.phi + 10,
        ),
    )
    symbols = "KL(Q‖P) + ln E_P e^φ", "E_Q φ"
    shows = Parity("E_Q φ is at most the right side", without=False)

    def given(self, rng: Generator) -> Given:
        weights = -uniform(rng, 2, self.n, self.k).clamp(min=1e-300).log()
        P, Q = weights / weights.sum(-1, keepdim=True)
        phi = normal(rng, self.n, self.k)
        Q[0] = gibbs_tilt(P[0], phi[0])
        return Given(P, Q, phi)

    def predict(self, given: Given) -> Tensor:
        P, Q, phi = given
        return torch.where(P > 0, Q.xlogy(Q) - Q.xlogy(P), 0.0).sum(1) + log_mean_exp(P, phi)

    def measure(self, given: Given) -> Tensor:
        return (given.Q * given.phi).sum(1)

    @picture("Both sides are equal at the Gibbs tilt", x="β in Q ∝ P e^{βφ}", y="both sides")
    def marks(self, trial: Trial[Given]) -> Marks:
        P, phi = trial.given.P[0], trial.given.phi[0]
        beta = torch.linspace(-1, 3, 81, dtype=torch.float64)
        Q = gibbs_tilt(P.expand(81, -1), beta[:, None] * phi)
        left = (Q * phi).sum(1)
        gap = dv_gap(P.expand_as(Q), Q, phi.expand_as(Q))
        yield Curve(left + gap, beta, label=self.symbols[0], role="predicted")
        yield Curve(left, beta, label=self.symbols[1])
        yield Level(1.0, label="the Gibbs tilt", axis="x", role="other")
