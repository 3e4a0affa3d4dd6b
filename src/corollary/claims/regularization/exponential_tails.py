r"""The logistic loss has a tight exponential tail.

For all :math:`u>0` the slope of :math:`\ell(u)=\log(1+e^{-u})` obeys

.. math:: (1-e^{-\mu u})\,e^{-u}\le-\ell'(u)\le(1+e^{-\mu u})\,e^{-u},\qquad\mu=1,

that is :math:`|-\ell'(u)\,e^u-1|\le e^{-u}`, with a = c = 1. Far out it cannot be told from the
exponential loss :math:`e^{-u}`, and that is what lets one theorem serve both. A slope
:math:`-\ell'=e^{-u^2}` falls below every :math:`ce^{-au}`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, Definition 30 and Assumption
    4; Soudry, Hoffer, Nacson, Gunasekar and Srebro (2018), "The implicit bias of gradient descent
    on separable data", Definition 2.
:kind: bound
:covers: tight-exponential-tail
:erratum: [typo] Definition 30 asks the lower inequality for u < u_-; it must be u > u_-. As printed
    it does not constrain the tail: -l' = exp(-u^2), the counterexample, would qualify. The
    exponential loss, said to satisfy Assumption 3, is not beta-smooth: its second derivative
    exp(-u) is unbounded.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, Trial, at_most, near, option, uniform
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.regularization.margin_losses import GAUSSIAN_TAIL, LOGISTIC, MarginLoss

FAR = torch.tensor([40.0, 41.0], dtype=torch.float64)


class Given(NamedTuple):
    u: Float[Tensor, " k"]  # margins
    loss: MarginLoss


class ExponentialTails(Claim[Given]):
    k: int = option(50, low=2, high=10_000)  # margins
    reach: float = option(20.0, low=1.0, high=30.0)  # largest margin

    relation = at_most(ulps=2**8, scale=1.0)  # a difference from 1, of exponentials of u <= 30
    supposes = (
        Suppose("all margins are positive", lambda g: g.u.min()),
        Suppose(
            "for large margins u the slope falls like e^(-u)",
            lambda g: near(g.loss.log_pull(FAR).diff(), -1.0),
            "A Gaussian tail falls below every exponential.",
            loss=GAUSSIAN_TAIL,
        ),
    )
    symbols = "e⁻ᵘ", "|−ℓ′(u) eᵘ − 1|"
    shows = Along("A tight tail stays between the bounds", x="u = y f(x)", at="u", log="y")

    def given(self, rng: Generator) -> Given:
        return Given((self.reach * uniform(rng, self.k)).sort().values, LOGISTIC)

    def predict(self, given: Given) -> Tensor:
        return torch.exp(-given.u)

    def measure(self, given: Given) -> Tensor:
        u = given.u.clone().requires_grad_()
        (slope,) = torch.autograd.grad(given.loss.value(u).sum(), u)
        return (-slope * torch.exp(given.u) - 1).abs()

    @picture("Losses of the margin", x="u = y f(x)", y="ℓ(u)")
    def losses(self, trial: Trial[Given]) -> Marks:
        u = torch.linspace(-2, 4, 121, dtype=torch.float64)
        for run in trial.all:
            yield Curve(run.given.loss.value(u), u, run.given.loss.name, run.role)
        yield Curve(torch.exp(-u), u, "e⁻ᵘ", "predicted")
