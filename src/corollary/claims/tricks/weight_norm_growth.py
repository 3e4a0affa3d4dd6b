r"""Weight normalisation: gradient steps never decrease the norm of v.

With :math:`w=\gamma v/\|v\|` the gradient h of any loss in v is orthogonal to v. So a step of
gradient descent gives

.. math:: \|v-\eta h\|^2=\|v\|^2+\eta^2\|h\|^2 :

the length of v only grows, and with it the effective step :math:`\eta/\|v\|^2` of the direction
falls by itself. Predicted with gradients by the formula
:math:`h=\frac\gamma{\|v\|}(I-vv^\top/\|v\|^2)\nabla_w\ell`, measured while the layer is trained.
Momentum breaks the identity, and so does a layer that sees the length of v.

:source: Perez Jensen (2025), Deep Learning, Section 8.6, Figure 8.2; Salimans and Kingma (2016),
    "Weight normalization: a simple reparameterization to accelerate training of deep neural
    networks", Section 2.1.
:kind: identity
:uses: homogeneous_euler
:covers: weight-normalization
"""

from copy import deepcopy
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn.functional import mse_loss
from torch.optim import SGD

from corollary.core import Along, Claim, Suppose, Sweep, equals, near, normal, option
from corollary.models.weight_norm import WeightNormLinear
from corollary.theory.tricks.weight_normalisation import weight_norm, weight_norm_gradient
from corollary.train import fit


class Plain(WeightNormLinear):
    """The layer without its division."""

    @property
    def weight(self) -> Float[Tensor, "m n"]:
        """The weights themselves."""
        return self.v


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # points
    y: Float[Tensor, "n 1"]  # targets
    layer: WeightNormLinear  # one unit, after training
    v: Float[Tensor, "t d"]  # before each step
    gamma: Float[Tensor, " t"]
    slopes: Float[Tensor, "t d"]  # by automatic differentiation, before each step


def along_the_gradient(self: "WeightNormGrowth", given: Given) -> tuple[bool, str]:
    """Whether each step is the gradient times the learning rate."""
    return near(given.v[1:], given.v[:-1] - self.eta * given.slopes[:-1])


def sees_directions(given: Given) -> tuple[bool, str]:
    """Whether the outputs stay when v is made twice as long."""
    longer = deepcopy(given.layer)
    longer.v.data *= 2
    return near(longer(given.x), given.layer(given.x))


def momentum(self: "WeightNormGrowth", rng: Generator) -> Given:
    """With momentum, steps follow old gradients, which are not orthogonal to the current v."""
    return self.run(rng, momentum=0.9)


class WeightNormGrowth(Claim[Given]):
    n: int = option(40, low=4, high=500)  # points
    d: int = option(6, low=2, high=50)  # inputs
    eta: float = option(0.1, low=0.001, high=1.0)  # learning rate
    steps: int = option(60, low=2, high=1000)  # steps of gradient descent

    relation = equals(ulps=2**14)  # sums over the steps
    supposes = (
        Suppose("each step goes along the gradient", along_the_gradient, without=momentum),
        Suppose(
            "the outputs depend only on the direction of v",
            sees_directions,
            "If the layer does not divide by the length of v, the gradients are different.",
            lambda self, rng: self.run(rng, Plain),
        ),
    )
    symbols = "‖v₀‖² + η²Σ‖h‖²", "‖v‖²"
    shows = (
        Along("The length of v only grows", x="step", first=1),
        Sweep(
            "With larger steps, v grows more",
            "eta",
            (0.01, 0.03, 0.1, 0.3),
            x="step size η",
            entry=-1,
        ),
    )

    def given(self, rng: Generator) -> Given:
        return self.run(rng)

    def run(
        self, rng: Generator, kind: type[WeightNormLinear] = WeightNormLinear, momentum: float = 0.0
    ) -> Given:
        """Gradient descent on a noisy linear target."""
        x = normal(rng, self.n, self.d)
        y = 2 * x.sum(dim=1, keepdim=True) + normal(rng, self.n, 1)
        layer = kind(self.d, 1, bias=False, rng=rng)
        before, slopes = [deepcopy(layer)], list[Tensor]()

        def note(_: object) -> None:
            before.append(deepcopy(layer))
            assert layer.v.grad is not None
            slopes.append(layer.v.grad[0].clone())

        sgd = SGD(layer.parameters(), lr=self.eta, momentum=momentum)
        fit(layer, (x, y), mse_loss, sgd, steps=self.steps + 1, callbacks=[note])
        v, gamma = (
            torch.cat([getattr(b, k).detach() for b in before[:-1]]) for k in ("v", "gamma")
        )
        return Given(x, y, layer, v, gamma, torch.stack(slopes))

    def predict(self, given: Given) -> Tensor:
        x, y, _, v, gamma, _ = given
        in_w = 2 * (x @ weight_norm(v, gamma).T - y).T @ x / len(x)  # a row for each step
        squares = weight_norm_gradient(v, gamma, in_w).v.square().sum(dim=1)
        return v[0].square().sum() + self.eta**2 * squares[:-1].cumsum(0)

    def measure(self, given: Given) -> Tensor:
        return given.v[1:].square().sum(dim=1)
