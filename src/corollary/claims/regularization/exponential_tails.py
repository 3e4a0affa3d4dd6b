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
:cost: instant
:covers: tight-exponential-tail
:erratum: [typo] Definition 30 asks the lower inequality for u < u_-; it must be u > u_-. As printed
    it does not constrain the tail: -l' = exp(-u^2), the counterexample, would qualify. The
    exponential loss, said to satisfy Assumption 3, is not beta-smooth: its second derivative
    exp(-u) is unbounded.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option
from corollary.theory.regularization.margin_losses import (
    EXPONENTIAL,
    GAUSSIAN_TAIL,
    LOGISTIC,
    MarginLoss,
)


class Given(NamedTuple):
    """Margins and a loss."""

    u: Float[Tensor, " k"]
    loss: MarginLoss


class ExponentialTails(Claim[Given]):
    k: int = option(50, low=2, high=10_000)  # margins
    reach: float = option(20.0, low=1.0, high=30.0)  # the largest of them
    relation = at_most(ulps=2**8, scale=1.0)  # a difference from 1, of exponentials of u <= 30

    def given(self, rng: Generator) -> Given:
        """Positive margins."""
        u = self.reach * torch.rand(self.k, generator=rng, dtype=torch.float64)
        return Given(u.sort().values, LOGISTIC)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Positive margins, and the logarithm of the slope falls by one for each unit far out."""
        far = torch.tensor([40.0, 41.0], dtype=torch.float64)
        drop = float(-given.loss.log_pull(far).diff())
        yield Hypothesis("all margins are positive", bool((given.u > 0).all()))
        yield Hypothesis("far out the slope falls like e^(-u)", abs(drop - 1) < 1e-9, f"{drop:.3g}")

    def predict(self, given: Given) -> list[float]:
        """What is allowed."""
        return torch.exp(-given.u).tolist()

    def measure(self, given: Given) -> list[float]:
        """The distance of the slope from the exponential, by automatic differentiation."""
        u = given.u.clone().requires_grad_()
        (slope,) = torch.autograd.grad(given.loss.value(u).sum(), u)
        return (-slope * torch.exp(given.u) - 1).abs().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A Gaussian tail."""
        return self.given(rng)._replace(loss=GAUSSIAN_TAIL)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The losses, and their slopes times the exponential between the two bounds."""
        losses = {LOGISTIC: "measured", EXPONENTIAL: "predicted", GAUSSIAN_TAIL: "other"}
        u = torch.linspace(-2, 4, 121, dtype=torch.float64)
        shapes = Figure(
            "Losses of the margin",
            x="u = y f(x)",
            y="ℓ(u)",
            marks=tuple(Curve(o.value(u), x=u, label=o.name, role=r) for o, r in losses.items()),
        )
        v = torch.linspace(0.05, 6, 120, dtype=torch.float64)
        ratios = [
            Curve((o.log_pull(v) + v).exp(), x=v, label=o.name, role=r) for o, r in losses.items()
        ]
        bounds = [
            Curve(1 + sign * torch.exp(-v), x=v, label=name, role="predicted", dashed=True)
            for sign, name in ((-1, "1 − e^(−u)"), (1, "1 + e^(−u)"))
        ]
        tails = Figure(
            "A tight tail stays between the bounds", x="u", y="−ℓ′(u) eᵘ", marks=(*bounds, *ratios)
        )
        return shapes, tails
