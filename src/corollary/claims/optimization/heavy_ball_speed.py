r"""Step length of gradient descent with momentum (heavy ball).

From rest and under a constant gradient g, the steps
:math:`\theta^{t+1}=\theta^t-\eta g+\beta(\theta^t-\theta^{t-1})` grow to a final length:

.. math:: \theta^{t+1}-\theta^t=-\eta\Bigl(\sum_{\tau=0}^t\beta^\tau\Bigr)g
   =-\eta\,\frac{1-\beta^{t+1}}{1-\beta}\,g\;\longrightarrow\;-\frac\eta{1-\beta}\,g .

With :math:`\beta=0.9` momentum is a step ten times as long, reached after some twenty steps.

:source: Perez Jensen (2025), Deep Learning, Section 3.3; Polyak (1964), "Some methods of speeding
    up the convergence of iteration methods".
:kind: identity
:covers: heavy-ball-momentum
:erratum: [typo] The sum over beta^tau is printed from tau = 1 to t - 1, so that nothing would move
    in the first two steps; it runs from 0 to t. With beta = 0.9 and eta = 0.1 the steps are 0.1,
    0.19, 0.271, ...
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, normal, option
from corollary.theory.optimization.methods.heavy_ball import HeavyBall, effective_lr


class Given(NamedTuple):
    g: Float[Tensor, " d"]  # constant gradient
    x0: Float[Tensor, " d"]
    last: Float[Tensor, " d"]  # the step that led to x0


class HeavyBallSpeed(Claim[Given]):
    eta: float = option(0.1, low=1e-6, high=1e3)  # learning rate
    beta: float = option(0.9, low=0.0, high=0.999)  # share of the last step that is kept
    steps: int = option(40, low=1, high=10_000)  # steps
    d: int = 3  # dimension

    relation = equals(ulps=2**12)  # a geometric sum against its closed form
    supposes = Suppose(
        "the momentum starts at zero",
        lambda g: near(g.last, 0.0),
        "The initial momentum points uphill.",
        last=lambda g: 0.3 * g.g,
    )
    symbols = "η(1 − βᵗ⁺¹)/(1 − β)·‖g‖", "‖θᵗ⁺¹ − θᵗ‖"
    shows = Along("Step length under a constant gradient, with momentum β", x="t")

    def given(self, rng: Generator) -> Given:
        g = normal(rng, self.d)
        return Given(g, torch.zeros_like(g), torch.zeros_like(g))

    def predict(self, given: Given) -> list[float]:
        size = float(given.g.norm())
        return [effective_lr(self.eta, self.beta, t) * size for t in range(self.steps)]

    def measure(self, given: Given) -> list[float]:
        method = HeavyBall(float(self.eta), float(self.beta))
        x, last, lengths = given.x0, given.last, []
        for _ in range(self.steps):
            x, last = method.step(x, lambda x: given.g, last)
            lengths.append(float(last.norm()))
        return lengths
