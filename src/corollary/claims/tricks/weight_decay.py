r"""Weight decay is a squared penalty.

.. math:: \theta\leftarrow\theta-\eta(\nabla\ell(\theta)+\mu\theta)=(1-\eta\mu)\theta-\eta\nabla\ell

is gradient descent on :math:`\ell(\theta)+\frac\mu2\|\theta\|^2`, step by step: multiplying
the weights by :math:`1-\eta\mu` beside each step (decoupled decay) gives the trajectory of the
penalised loss. Under Adam it does not, since Adam rescales the gradient of the penalty with all the
rest.

:source: Perez Jensen (2025), Deep Learning, Section 8.2; Loshchilov and Hutter (2019), "Decoupled
    weight decay regularization", Proposition 1.
:kind: algorithm
:cost: instant
:covers: weight-decay
:erratum: [wrong] The notes print theta - eta (grad - mu theta), which lets the weights grow (the
    figure has it), and (1 - eta mu) theta - grad, without eta.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, equals, option
from corollary.train import L2Penalty, fit


class Given(NamedTuple):
    """A regression problem and the method."""

    x: Float[Tensor, "n d"]
    y: Float[Tensor, "n 1"]
    start: Float[Tensor, "1 d"]
    adam: bool


@dataclass(frozen=True)
class WeightDecay(Claim[Given]):
    """Weights along two runs: a penalised loss, and decay beside the steps."""

    n: int = option(30, low=2, high=500)  # points
    d: int = option(4, low=1, high=50)  # weights
    mu: float = option(0.5, low=0.0, high=5.0)  # decay
    eta: float = option(0.05, low=0.001, high=0.2)  # step size
    steps: int = option(40, low=2, high=1000)  # of the method
    relation = equals(ulps=2**12, scale=1.0)  # rounding of 40 steps

    def given(self, rng: Generator) -> Given:
        """A noisy linear target, and plain gradient descent."""
        x = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        noise = torch.randn(self.n, 1, generator=rng, dtype=torch.float64)
        start = torch.randn(1, self.d, generator=rng, dtype=torch.float64)
        return Given(x, x.sum(dim=1, keepdim=True) + noise, start, adam=False)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The method."""
        yield Hypothesis("the method is plain gradient descent", not given.adam)

    def predict(self, given: Given) -> list[float]:
        """The run on the penalised loss."""
        return self._path(given, self.mu).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """The run with decay beside the steps."""
        return self._path(given, 0.0, factor=1 - self.eta * self.mu).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Adam: coupled and decoupled decay (AdamW) differ."""
        return self.given(rng)._replace(adam=True)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Lengths of the weights for gradient descent and for Adam."""
        return self._lengths(given, "Gradient descent"), self._lengths(
            given._replace(adam=True), "Adam"
        )

    def _lengths(self, given: Given, name: str) -> Figure:
        grows = self._path(given, 0.0, factor=1 + self.eta * self.mu)
        return Figure(
            f"Weight decay with {name}" if given.adam else "Weight decay",
            x="step",
            y="‖θ‖",
            marks=(
                Curve(
                    self._path(given, self.mu).norm(dim=1), label="penalty μ/2 ‖θ‖²",
                    role="predicted",
                ),
                Curve(
                    self._path(given, 0.0, factor=1 - self.eta * self.mu).norm(dim=1),
                    label="(1 − ημ)θ beside the step", dashed=True,
                ),
                Curve(self._path(given, 0.0).norm(dim=1), label="no decay", role="other"),
                Curve(grows.norm(dim=1), label="sign as printed", role="other", dashed=True),
            ),
        )  # fmt: skip

    def _path(self, given: Given, mu: float, factor: float = 1.0) -> Tensor:
        """The weights after each step; ``factor`` multiplies them before the step is taken."""
        model = nn.Linear(self.d, 1, bias=False).double()
        with torch.no_grad():
            model.weight.copy_(given.start)
        path = [given.start[0]]

        def half(out: Tensor, y: Tensor) -> Tensor:
            return (out - y).square().mean() / 2

        def make(parameters: object) -> torch.optim.Optimizer:
            if given.adam:
                return torch.optim.Adam(parameters, lr=self.eta)
            return torch.optim.SGD(parameters, lr=self.eta)

        def shrink(loop: object) -> None:
            with torch.no_grad():
                # What the step added stays; what was there before it is multiplied.
                model.weight.add_((factor - 1) * path[-1])
            path.append(model.weight.detach()[0].clone())

        data = (given.x, given.y)
        fit(model, data, half, make, steps=self.steps, call=L2Penalty(mu), callbacks=[shrink])
        return torch.stack(path)
