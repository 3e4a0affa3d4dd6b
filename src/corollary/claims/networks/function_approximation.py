r"""A network fitted to samples of a function.

From :math:`n` samples of :math:`\phi(x)=\sin2\pi x` alone, a network with one hidden layer of 50
tanh units, trained on the squared loss, is close to :math:`\phi` on new points too, on
average over runs:

.. math:: \Bigl(\frac1k\sum_i(\hat\phi(x_i)-\phi(x_i))^2\Bigr)^{1/2}\le0.05 .

The activation is a hyperparameter that decides what can be learned at all: with squares in place of
tanh one layer is a polynomial of degree two, and its error stays above that of the best one.

:source: Mathematical Foundations of Deep Learning (slides), Introduction.
:kind: experiment
:cost: seconds
:uses: cybenko, polynomial_activation
:covers: function-approximation-demo, nested-composition-network
:loose: The allowed error is just visible in a plot; the runs end far below it.
"""

from functools import partial
from math import pi
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Kept, Sample, Suppose, Trial, at_most, option, uniform
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.models.compose import Compose
from corollary.train import fit

NEW = torch.linspace(0, 1, 201, dtype=torch.float64)[:, None]  # points that are not shown


class Square(nn.Module):
    """The polynomial activation."""

    def forward(self, z: Tensor) -> Tensor:
        """Entry by entry."""
        return z.square()


class Affine(nn.Module):
    """An affine layer for each run, side by side."""

    def __init__(self, W: Float[Tensor, "runs a b"], bias: Tensor) -> None:
        super().__init__()
        self.W, self.bias = nn.Parameter(W), nn.Parameter(bias.double())

    def forward(self, x: Float[Tensor, "runs n a"]) -> Float[Tensor, "runs n b"]:
        """All points of all runs."""
        return x @ self.W + self.bias


class Given(NamedTuple):
    x: Float[Tensor, "runs n 1"]  # samples of each run
    phi: nn.Module  # activation


def target(x: Tensor) -> Tensor:
    """The unknown function."""
    return torch.sin(2 * pi * x)


def third(given: Given) -> Tensor:
    """The largest third difference of the activation: a parabola has none."""
    z = torch.linspace(-2, 2, 9, dtype=torch.float64)
    values: Tensor = given.phi(z)
    return values.diff(n=3).abs().max() - 1e-6


class FunctionApproximation(Claim[Given]):
    n: int = option(60, low=20)  # samples
    m: int = option(50, low=20, high=500)  # hidden units
    phi: Literal["tanh", "sigmoid"] = "tanh"  # activation, chosen in advance
    steps: int = option(800, low=800)  # steps of Adam
    runs: int = option(16, low=2, high=100)  # runs with other samples and weights

    relation = at_most()  # Student interval of the runs
    supposes = Suppose(
        "the activation is no polynomial of degree two",
        third,
        "If the activation is the square, the network is a parabola.",
        phi=lambda g: Square(),
    )
    symbols = "0.05", "root mean square error on new points"
    predicts = 0.05

    def given(self, rng: Generator) -> Given:
        phi = nn.Tanh() if self.phi == "tanh" else nn.Sigmoid()
        return Given(uniform(rng, self.runs, self.n, 1), phi)

    def measure(self, given: Given, rng: Generator) -> Kept:
        slope = 6 * (2 * uniform(rng, self.runs, 1, self.m) - 1)  # bends lie inside the interval
        out = (2 * uniform(rng, self.runs, self.m, 1) - 1) / self.m**0.5
        first = Affine(slope, -slope * uniform(rng, self.runs, 1, self.m))
        net = Compose([first, given.phi, Affine(out, torch.zeros(self.runs, 1, 1))])
        data, adam = (given.x, target(given.x)), partial(torch.optim.Adam, lr=0.02)
        late = lambda step: min(1.0, 3 * (1 - step / self.steps) + 0.01)  # noqa: E731
        fit(net, data, nn.functional.mse_loss, adam, steps=self.steps, schedule=late)
        values = net(NEW.expand(self.runs, -1, 1)).detach()
        errors = (values - target(NEW)).square().mean(dim=(1, 2)).sqrt()
        return Kept(Sample(errors), network=values[0, :, 0])

    @picture("A function from its samples", x="x", y="φ(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        x, t = trial.given.x[0, :, 0], NEW[:, 0]
        yield Curve(target(t), x=t, label="φ, unknown", role="predicted")
        yield Points(x, target(x), label="samples", role="other")
        yield Curve(trial.kept.network, x=t, label="network")
        for broken in trial.without:
            yield Curve(broken.kept.network, x=t, label=broken.words, role="other")
