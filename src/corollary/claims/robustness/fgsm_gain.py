r"""FGSM: the increase of the loss by one sign step.

The step :math:`\delta=\epsilon\operatorname{sign}\nabla_x\ell` maximises the linearised loss over
:math:`\|\delta\|_\infty\le\epsilon`, with gain :math:`\epsilon\|\nabla_x\ell\|_1`; for a loss with
a Lipschitz gradient

.. math:: \ell(x+\delta)-\ell(x)=\epsilon\,\|\nabla_x\ell\|_1+O(\epsilon^2).

Measured: the order of the remainder as :math:`\epsilon` grows. At a kink, where the gradient jumps,
the remainder is of order :math:`\epsilon` itself.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.1, Equation 12.4; Goodfellow,
    Shlens and Szegedy (2015), "Explaining and harnessing adversarial examples", Section 4.
:kind: rate
:uses: linear_worst_case, second_order_remainder
:covers: fgsm-attack
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, normal, option, slope
from corollary.models.mlp import MLP
from corollary.theory.prerequisites.lipschitz import batch_gradient
from corollary.theory.robustness.gradient_attacks import FGSM
from corollary.theory.robustness.scores import losses


class Given(NamedTuple):
    model: MLP  # one score
    x: Float[Tensor, "1 d"]

    def loss(self, x: Tensor) -> Tensor:
        """With the label +1."""
        return losses(self.model(x), x.new_ones(len(x)))


def _continuous_gradient(given: Given) -> Tensor:
    """Gradients a millionth to both sides agree."""
    step = 1e-6 * torch.ones_like(given.x)
    ahead, behind = (batch_gradient(given.loss, given.x + s) for s in (step, -step))
    return 1e-3 - (ahead - behind).abs().max()


def at_every_kink(self: "FgsmGain", rng: Generator) -> Given:
    """If every leaky ReLU unit is at its kink, the remainder is of first order."""
    model = MLP([self.d, self.m, 1], "leaky_relu", rng=rng)
    return Given(model, torch.zeros(1, self.d, dtype=torch.float64))


class FgsmGain(Claim[Given]):
    d: int = option(40, low=2, high=200)  # dimension
    m: int = option(30, low=2, high=200)  # hidden units

    relation = slope(gap=0.15)  # third-order terms bend the line a little
    supposes = Suppose(
        "the gradient is continuous at x", _continuous_gradient, without=at_every_kink
    )
    symbols = "ε²", "|ℓ(x+δ) − ℓ(x) − ε‖∇ℓ‖₁|"
    predicts = 2.0
    shows = Over("The remainder of a sign step is of second order", x="ε")

    def given(self, rng: Generator) -> Given:
        return Given(MLP([self.d, self.m, 1], "tanh", rng=rng), normal(rng, 1, self.d))

    def measure(self, given: Given) -> Series:
        x, radii = given.x, [1e-4 * 2**i / self.d**0.5 for i in range(7)]
        first = float(batch_gradient(given.loss, x).abs().sum())
        moved = [FGSM(e, box=None).inputs(given.model, x, x.new_ones(1)) for e in radii]
        gains = (given.loss(torch.cat(moved)) - given.loss(x)).tolist()
        return Series(radii, [abs(g - e * first) for g, e in zip(gains, radii, strict=True)])
