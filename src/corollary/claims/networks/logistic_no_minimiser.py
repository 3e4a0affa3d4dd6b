r"""Logistic loss has no minimiser on separable data.

If a unit vector :math:`u` separates the points with margin
:math:`\gamma=\min_i(2y_i-1)\,u\cdot x_i>0`, then along it

.. math:: 0<\ell[cu]\le\log(1+e^{-c\gamma})\to0\qquad(c\to\infty) :

the infimum 0 is approached and never attained, so the weights of any method that drives the loss
to 0 grow without bound. The claim follows the ray; a single point with both labels stops it.

:source: Perez Jensen (2025), Deep Learning, Section 2.1; Lucchi (2025), Foundations of Deep
    Learning, Section 11.1.2; Albert and Anderson (1984), "On the existence of maximum likelihood
    estimates in logistic regression models".
:kind: bound
:cost: instant
:covers: logistic-regression
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option
from corollary.data.separable import separable_cloud
from corollary.theory.connectionism.perceptron import margin
from corollary.theory.networks.logistic import logistic_loss

SIZES = tuple(2.0**i for i in range(9))  # lengths of the weights, 1 to 256


class Given(NamedTuple):
    """Labelled points and a direction that separates them."""

    x: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]  # labels, 0 or 1
    u: Float[Tensor, " d"]
    gamma: float  # margin


class LogisticNoMinimiser(Claim[Given]):
    n: int = option(40, low=2, high=10_000)  # points
    d: int = 5  # dimension
    gamma: float = option(0.1, low=0.01, high=1.0)  # margin to plant
    relation = at_most(ulps=4096)  # exponents up to 256 have some ten ulps of absolute error each

    def given(self, rng: Generator) -> Given:
        """A separable cloud."""
        x, y, u = separable_cloud(self.n, self.d, self.gamma, rng=rng)
        return Given(x, (1 + y) / 2, u, float(margin(x, y, u)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A margin."""
        found = float(margin(given.x, 2 * given.y - 1, given.u))
        yield Hypothesis(
            "u separates the points with margin γ > 0",
            found >= given.gamma > 0,
            f"margin {found:.3g}",
        )

    def predict(self, given: Given) -> list[float]:
        """The bound at each length."""
        c = torch.tensor(SIZES, dtype=torch.float64)
        return torch.nn.functional.softplus(-c * given.gamma).tolist()

    def measure(self, given: Given) -> list[float]:
        """The loss at each length."""
        return [float(logistic_loss(given.x @ (c * given.u), given.y)) for c in SIZES]

    def counterexample(self, rng: Generator) -> Given:
        """One point has both labels: the loss grows along every ray that leaves it."""
        x, y, u, gamma = self.given(rng)
        return Given(torch.cat([x, x[:1]]), torch.cat([y, 1 - y[:1]]), u, gamma)

    def figure(self, given: Given) -> Figure:
        """The loss along the ray, and with one point labelled both ways."""
        x, y, u, gamma = given
        both = Given(torch.cat([x, x[:1]]), torch.cat([y, 1 - y[:1]]), u, gamma)
        return Figure(
            "The loss vanishes along a ray, so there is no minimiser",
            x="c",
            y="ℓ[c u]",
            log_x=True,
            log_y=True,
            marks=(
                Curve(self.predict(given), x=SIZES, label="log(1 + e^(−cγ))", role="predicted"),
                Curve(self.measure(given), x=SIZES, label="separable points"),
                Curve(
                    self.measure(both), x=SIZES, label="one point with both labels", role="other"
                ),
            ),
        )
