r"""Weight normalisation never shortens v.

With :math:`w=\gamma v/\|v\|` the gradient h of any loss in v is orthogonal to v. So a step of
gradient descent gives

.. math:: \|v-\eta h\|^2=\|v\|^2+\eta^2\|h\|^2 :

the length of v only grows, and with it the effective step :math:`\eta/\|v\|^2` of the direction
falls by itself. Weight decay, momentum and Adam break the identity.

:source: Perez Jensen (2025), Deep Learning, Section 8.6, Figure 8.2; Salimans and Kingma (2016),
    "Weight normalization: a simple reparameterization to accelerate training of deep neural
    networks", Section 2.1.
:kind: identity
:cost: instant
:covers: weight-normalization
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn.functional import mse_loss

from corollary.core import Along, Claim, Suppose, Sweep, equals, normal, option
from corollary.models.weight_norm import WeightNormLinear
from corollary.train import fit


class Given(NamedTuple):
    v: Float[Tensor, "t d"]  # weights before each step of a run
    h: Float[Tensor, "t d"]  # gradients of the steps


def along_the_gradient(self: "WeightNormGrowth", given: Given) -> tuple[bool, str]:
    """Whether each step is the gradient times the step size."""
    off = float((given.v[1:] - given.v[:-1] + self.eta * given.h[:-1]).norm(dim=1).max())
    return off < 1e-9, f"off by {off:.2g}"


def orthogonal(given: Given) -> tuple[bool, str]:
    """Whether each gradient is orthogonal to the weights."""
    cosine = float(torch.cosine_similarity(given.v, given.h).abs().max())
    return cosine < 1e-9, f"cosine {cosine:.2g}"


def momentum(self: "WeightNormGrowth", given: Given, rng: Generator) -> Given:
    """Momentum steps along old gradients, which are not orthogonal to the new v."""
    return self.run(rng, momentum=0.9)


class WeightNormGrowth(Claim[Given]):
    n: int = option(40, low=4, high=500)  # points
    d: int = option(6, low=2, high=50)  # inputs
    eta: float = option(0.1, low=0.001, high=1.0)  # learning rate
    steps: int = option(60, low=2, high=1000)  # of gradient descent

    relation = equals(ulps=2**10)  # sums over the steps
    supposes = (
        Suppose("each step goes along the gradient", along_the_gradient, without=momentum),
        Suppose(
            "the gradient is orthogonal to v",
            orthogonal,
            "Weight decay adds a part along v, which shortens it.",
            v=lambda g: 0.99 ** torch.arange(len(g.v))[:, None] * g.v,
            h=lambda g: g.h + 0.1 * g.v,
        ),
    )
    symbols = "‖v₀‖² + η²Σ‖h‖²", "‖v‖²"
    shows = (
        Along("The length of v only grows", x="step", first=1),
        Sweep("Larger steps grow v more", "eta", (0.01, 0.03, 0.1, 0.3), x="step size η", entry=-1),
    )

    def given(self, rng: Generator) -> Given:
        return self.run(rng)

    def run(self, rng: Generator, *, momentum: float = 0.0) -> Given:
        """Gradient descent on a noisy linear target."""
        x = normal(rng, self.n, self.d)
        y = 2 * x.sum(dim=1, keepdim=True) + normal(rng, self.n, 1)
        layer = WeightNormLinear(self.d, 1, bias=False, rng=rng)
        v, h = [layer.v.detach()[0].clone()], []

        def note(loop: object) -> None:
            v.append(layer.v.detach()[0].clone())
            assert layer.v.grad is not None
            h.append(layer.v.grad[0].clone())

        sgd = torch.optim.SGD(layer.parameters(), lr=self.eta, momentum=momentum)
        fit(layer, (x, y), mse_loss, sgd, steps=self.steps + 1, callbacks=[note])
        return Given(torch.stack(v[:-1]), torch.stack(h))

    def predict(self, given: Given) -> Tensor:
        squares = given.h[:-1].square().sum(dim=1)
        return given.v[0].square().sum() + self.eta**2 * squares.cumsum(0)

    def measure(self, given: Given) -> Tensor:
        return given.v[1:].square().sum(dim=1)
