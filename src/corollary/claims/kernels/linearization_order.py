r"""A network agrees with its linearisation to second order.

.. math:: f_{lin}(x, \theta) = f(x, \theta_0) + \nabla_\theta f(x, \theta_0)^\top(\theta-\theta_0),
          \qquad |f - f_{lin}| = O(\|\theta-\theta_0\|^2)

for a network that is twice differentiable. :math:`f_{lin}` is linear in :math:`\theta`, and its
tangent kernel :math:`\nabla f(x)^\top\nabla f(x')` is the same at all :math:`\theta`. At a kink the
agreement is of first order only.

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.3; Perez Jensen (2025), Deep
    Learning, Section 9.
:kind: rate
:uses: taylor_remainder, chain_rule
:covers: linearized-network
:erratum: [possible OCR artefact] In the notes' computation of the linearised kernel the second
    gradient is shown at x; it must be at x' (a lost prime). The feature map is typed R^d x R^p
    where R^d -> R^p is meant.
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, normal, option, slope
from corollary.models.mlp import MLP
from corollary.theory.kernels.empirical import push_forward
from corollary.theory.kernels.empirical.products import outputs_at, trainable


class Given(NamedTuple):
    model: MLP
    x: Float[Tensor, "n d"]
    direction: list[Float[Tensor, "..."]]  # in the space of parameters

    def moved(self, h: float) -> Tensor:
        pairs = zip(trainable(self.model).items(), self.direction, strict=True)
        return outputs_at(self.model, {k: p.detach() + h * v for (k, p), v in pairs}, self.x)


def unsettled(g: Given) -> float:
    """The relative change of the second difference when its step shrinks tenfold."""
    fine, coarse = ((g.moved(h) + g.moved(-h) - 2 * g.moved(0)).norm() / h**2 for h in (1e-4, 1e-3))
    return abs(float(fine / coarse) - 1)


def at_a_kink(given: Given, rng: Generator) -> Given:
    """For ReLU units that sit at their kink the error is of first order."""
    model = MLP([3, given.model.widths[1], 1], "relu", rng=rng)
    for p in list(model.parameters())[:2]:
        p.data.zero_()
    return given._replace(model=model)


class LinearizationOrder(Claim[Given]):
    width: int = option(20, low=1, high=1000)  # hidden units
    steps: tuple[float, ...] = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)  # distances h

    relation = slope(gap=0.1)  # third-order terms bend the curve by less
    supposes = Suppose(
        "the network is twice differentiable: second differences converge",
        lambda g: 0.1 - unsettled(g),
        without=at_a_kink,
    )
    symbols = "h²", "|f − f_lin|"
    predicts = 2.0
    shows = Over("Network against linearisation", x="h, distance from θ₀")

    def given(self, rng: Generator) -> Given:
        model = MLP([3, self.width, 1], "tanh", rng=rng)
        direction = [normal(rng, *p.shape) for p in model.parameters()]
        length = sum(float(v.square().sum()) for v in direction) ** 0.5
        return Given(model, normal(rng, 5, 3), [v / length for v in direction])

    def measure(self, given: Given) -> Series:
        f, change = push_forward(given.model, given.x, given.direction)
        gaps = [float((given.moved(h) - f - h * change).detach().norm()) for h in self.steps]
        return Series(self.steps, gaps)
