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
:covers: logistic-regression
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, option
from corollary.data.separable import separable_cloud
from corollary.models.logistic_regression import LogisticRegression
from corollary.theory.connectionism.perceptron import margin


class Given(NamedTuple):
    x: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]  # labels, 0 or 1
    u: Float[Tensor, " d"]  # separating direction
    gamma: float  # margin


class LogisticNoMinimiser(Claim[Given]):
    n: int = option(40, low=2, high=10_000)  # points
    d: int = 5  # dimension
    gamma: float = option(0.1, low=0.01, high=1.0)  # margin to plant

    relation = at_most(ulps=4096)  # exponents up to 256 have some ten ulps of absolute error each
    supposes = Suppose(
        "u separates the points with margin γ > 0",
        lambda g: margin(g.x, 2 * g.y - 1, g.u) if g.gamma > 0 else -1.0,
        "One point has both labels, so the loss grows along every ray.",
        x=lambda g: torch.cat([g.x, g.x[:1]]),
        y=lambda g: torch.cat([g.y, 1 - g.y[:1]]),
    )
    symbols = "log(1 + e^(−cγ))", "ℓ[c u]"
    sizes = [2.0**i for i in range(9)]  # lengths of the weights
    shows = Along(
        "The loss vanishes along a ray: there is no minimiser", x="c", at="sizes", log="xy"
    )

    def given(self, rng: Generator) -> Given:
        x, y, u = separable_cloud(self.n, self.d, self.gamma, rng=rng)
        return Given(x, (1 + y) / 2, u, float(margin(x, y, u)))

    def predict(self, given: Given) -> Tensor:
        c = torch.tensor(self.sizes, dtype=torch.float64)
        return torch.nn.functional.softplus(-c * given.gamma)

    def measure(self, given: Given) -> list[float]:
        model, losses = LogisticRegression(len(given.u)), []
        for c in self.sizes:
            model.w.data = c * given.u
            losses.append(float(model.loss(given.x, given.y).detach()))
        return losses
