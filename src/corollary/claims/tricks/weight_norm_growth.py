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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn.functional import mse_loss

from corollary.core import Claim, Curve, Figure, Hypothesis, equals, option
from corollary.models.weight_norm import WeightNormLinear
from corollary.train import fit


class Given(NamedTuple):
    """A regression problem, a seed for the layer, and the momentum."""

    x: Float[Tensor, "n d"]
    y: Float[Tensor, "n 1"]
    momentum: float
    seed: int


@dataclass(frozen=True)
class WeightNormGrowth(Claim[Given]):
    """Squared lengths of v along a run."""

    n: int = option(40, low=4, high=500)  # points
    d: int = option(6, low=2, high=50)  # inputs
    eta: float = option(0.1, low=0.001, high=1.0)  # step size
    steps: int = option(60, low=2, high=1000)  # of gradient descent
    relation = equals(ulps=2**10)  # sums over the steps

    def given(self, rng: Generator) -> Given:
        """A noisy linear target, and no momentum."""
        x = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        noise = torch.randn(self.n, 1, generator=rng, dtype=torch.float64)
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(x, 2 * x.sum(dim=1, keepdim=True) + noise, 0.0, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The method."""
        yield Hypothesis("each step goes along the gradient", given.momentum == 0)

    def predict(self, given: Given) -> list[float]:
        """The first length, plus the squares of all steps so far."""
        lengths, gradients = self._run(given, self.eta)
        start = lengths[0]
        return (
            start + self.eta**2 * torch.tensor(gradients, dtype=torch.float64).cumsum(0)
        ).tolist()

    def measure(self, given: Given) -> list[float]:
        """The lengths."""
        return self._run(given, self.eta)[0][1:]

    def counterexample(self, rng: Generator) -> Given:
        """Momentum: steps along old gradients, which are not orthogonal to the new v."""
        return self.given(rng)._replace(momentum=0.9)

    def figure(self, given: Given) -> Figure:
        """Lengths for three step sizes."""
        steps = range(self.steps + 1)
        return Figure(
            "The length of v only grows",
            x="step",
            y="‖v‖²",
            marks=(
                Curve(self.predict(given), steps[1:], "‖v₀‖² + η²Σ‖h‖²", "predicted"),
                Curve(self._run(given, self.eta)[0], steps, f"η = {self.eta:g}", dashed=True),
                Curve(self._run(given, self.eta / 3)[0], steps, f"η = {self.eta / 3:.2g}", "other"),
            ),
        )

    def _run(self, given: Given, eta: float) -> tuple[list[float], list[float]]:
        """Squared lengths from the start on, and squared gradients of the steps."""
        rng = torch.Generator().manual_seed(given.seed)
        layer = WeightNormLinear(self.d, 1, bias=False, rng=rng)
        lengths, gradients = [float(layer.v.detach().square().sum())], []

        def note(loop: object) -> None:
            lengths.append(float(layer.v.detach().square().sum()))
            gradients.append(float(layer.v.grad.square().sum()))

        def sgd(parameters: object) -> torch.optim.Optimizer:
            return torch.optim.SGD(parameters, lr=eta, momentum=given.momentum)

        fit(layer, (given.x, given.y), mse_loss, sgd, steps=self.steps, callbacks=[note])
        return lengths, gradients
