r"""Weight normalisation never shortens v.

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
:cost: instant
:covers: weight-normalization
"""

from copy import deepcopy
from typing import NamedTuple

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
    layer: WeightNormLinear  # one unit, at the start
    momentum: float = 0.0  # of the steps


def sees_directions(given: Given) -> tuple[bool, str]:
    """Whether the outputs stay when v is made twice as long."""
    longer = deepcopy(given.layer)
    longer.v.data *= 2
    return near(longer(given.x), given.layer(given.x))


def plain(given: Given, rng: Generator) -> Given:
    """A layer that does not divide by the length of v grows and shrinks as it learns."""
    return given._replace(layer=Plain(given.x.shape[1], 1, bias=False, rng=rng))


class WeightNormGrowth(Claim[Given]):
    n: int = option(40, low=4, high=500)  # points
    d: int = option(6, low=2, high=50)  # inputs
    eta: float = option(0.1, low=0.001, high=1.0)  # learning rate
    steps: int = option(60, low=2, high=1000)  # of gradient descent

    relation = equals(ulps=2**14)  # two runs of sixty steps
    supposes = (
        Suppose(
            "each step goes along the gradient",
            lambda g: g.momentum == 0,
            "Momentum steps along old gradients, which are not orthogonal to the new v.",
            momentum=0.9,
        ),
        Suppose("the outputs see the direction of v alone", sees_directions, without=plain),
    )
    symbols = "‖v₀‖² + η²Σ‖h‖²", "‖v‖²"
    shows = (
        Along("The length of v only grows", x="step", first=1),
        Sweep("Larger steps grow v more", "eta", (0.01, 0.03, 0.1, 0.3), x="step size η", entry=-1),
    )

    def given(self, rng: Generator) -> Given:
        """A noisy linear target."""
        x = normal(rng, self.n, self.d)
        y = 2 * x.sum(dim=1, keepdim=True) + normal(rng, self.n, 1)
        return Given(x, y, WeightNormLinear(self.d, 1, bias=False, rng=rng))

    def predict(self, given: Given) -> list[float]:
        x, y, layer, _ = given
        v, gamma = layer.v.detach(), layer.gamma.detach()
        squares = [float(v.square().sum())]
        for _ in range(self.steps):
            in_w = 2 * (x @ weight_norm(v, gamma).T - y).T @ x / len(x)
            h = weight_norm_gradient(v, gamma, in_w)
            squares.append(squares[-1] + self.eta**2 * float(h.v.square().sum()))
            v, gamma = v - self.eta * h.v, gamma - self.eta * h.gamma
        return squares[1:]

    def measure(self, given: Given) -> list[float]:
        layer, squares = deepcopy(given.layer), list[float]()
        sgd = SGD(layer.parameters(), lr=self.eta, momentum=given.momentum)
        note = lambda _: squares.append(float(layer.v.detach().square().sum()))  # noqa: E731
        fit(layer, (given.x, given.y), mse_loss, sgd, steps=self.steps, callbacks=[note])
        return squares
