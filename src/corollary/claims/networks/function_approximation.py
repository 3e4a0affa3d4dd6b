r"""A network fitted to samples of a function.

From :math:`n` samples of :math:`\phi(x)=\sin2\pi x` alone, a network with one hidden layer of 50
tanh units, trained on the squared loss, is close to :math:`\phi` on new points too:

.. math:: \Bigl(\frac1k\sum_i(\hat\phi(x_i)-\phi(x_i))^2\Bigr)^{1/2}\le0.05 .

The activation is a hyperparameter that decides what can be learned at all: with squares in place of
tanh one layer is a polynomial of degree two, and its error stays above that of the best one.

:source: Mathematical Foundations of Deep Learning (slides), Introduction.
:kind: experiment
:cost: seconds
:covers: function-approximation-demo, nested-composition-network
"""

import math
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.models.compose import Compose
from corollary.train import History, fit


class Given(NamedTuple):
    """Samples, new points, and the start of the network."""

    x: Float[Tensor, "n 1"]
    new: Float[Tensor, "k 1"]
    w: Float[Tensor, "m 3"]  # weight, bias and output weight of each hidden unit
    phi: str  # activation

    def activation(self) -> nn.Module:
        """The activation as a layer."""
        return {"tanh": nn.Tanh(), "sigmoid": nn.Sigmoid(), "square": Square()}[self.phi]


class Square(nn.Module):
    """The polynomial activation."""

    def forward(self, z: Tensor) -> Tensor:
        """Entry by entry."""
        return z**2


def target(x: Tensor) -> Tensor:
    """The unknown function."""
    return torch.sin(2 * math.pi * x)


def trained(given: Given, steps: int) -> tuple[Compose, History]:
    """The network after Adam on all samples."""
    m = len(given.w)
    first, last = (nn.Linear(*shape, dtype=torch.float64) for shape in ((1, m), (m, 1)))
    with torch.no_grad():
        first.weight.copy_(given.w[:, :1])
        first.bias.copy_(given.w[:, 1])
        last.weight.copy_(given.w[:, 2:].T / m**0.5)
        last.bias.zero_()
    net = Compose([first, given.activation(), last])
    adam = lambda parameters: torch.optim.Adam(parameters, lr=0.02)  # noqa: E731 - one line
    data = (given.x, target(given.x))
    return net, fit(net, data, nn.functional.mse_loss, adam, steps=steps, schedule=_late(steps))


class FunctionApproximation(Claim[Given]):
    n: int = option(60, low=20)  # samples
    m: int = option(50, low=20, high=500)  # hidden units
    phi: Literal["tanh", "sigmoid"] = "tanh"  # activation, chosen in advance
    steps: int = option(1200, low=800)  # steps of Adam
    relation = at_most()  # an experiment: the bound is the statement's own

    def given(self, rng: Generator) -> Given:
        """Random samples in the unit interval and random units whose bends lie in it."""
        return self._drawn(rng, self.phi)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """More than a parabola: a third difference that does not vanish."""
        z = torch.linspace(-2, 2, 9, dtype=torch.float64)
        third = float(given.activation()(z).diff(n=3).abs().max())
        yield Hypothesis(
            "the activation is no polynomial of degree two", third > 1e-6,
            f"third differences up to {third:.1e}",
        )  # fmt: skip

    def predict(self, given: Given) -> float:
        """The error that is promised."""
        return 0.05

    def measure(self, given: Given) -> float:
        """Root mean square on points that were not shown."""
        net, _ = trained(given, self.steps)
        with torch.no_grad():
            return float(((net(given.new) - target(given.new)) ** 2).mean().sqrt())

    def counterexample(self, rng: Generator) -> Given:
        """Squares as activation."""
        return self._drawn(rng, "square")

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The functions, and the loss."""
        net, history = trained(given, self.steps)
        t = torch.linspace(0, 1, 161, dtype=torch.float64)[:, None]
        with torch.no_grad():
            shown = net(t)[:, 0]
        marks = (
            Curve(target(t)[:, 0], x=t[:, 0], label="φ, unknown", role="predicted"),
            Points(given.x[:, 0], target(given.x)[:, 0], label="samples", role="other"),
            Curve(shown, x=t[:, 0], label="network"),
        )
        functions = Figure("A function from its samples", x="x", y="φ(x)", marks=marks)
        return functions, history.figure("The cost J on the samples")

    def _drawn(self, rng: Generator, phi: str) -> Given:
        def uniform(*shape: int) -> Tensor:
            return torch.rand(*shape, generator=rng, dtype=torch.float64, device=rng.device)

        slope, bend = 6 * (2 * uniform(self.m) - 1), uniform(self.m)
        w = torch.stack([slope, -slope * bend, 2 * uniform(self.m) - 1], 1)
        if phi == "square":
            w = w / 6  # squares of large slopes would start far away
        return Given(uniform(self.n, 1), uniform(200, 1), w, phi)


def _late(steps: int) -> Callable[[int], float]:
    """Full steps for two thirds of the run, then down to a hundredth in a straight line."""
    return lambda step: min(1.0, 3 * (1 - step / steps) + 0.01)
