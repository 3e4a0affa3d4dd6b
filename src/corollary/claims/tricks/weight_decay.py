r"""Weight decay is an L2 penalty for gradient descent.

.. math:: \theta\leftarrow\theta-\eta(\nabla\ell(\theta)+\mu\theta)=(1-\eta\mu)\theta-\eta\nabla\ell

is gradient descent on :math:`\ell(\theta)+\frac\mu2\|\theta\|^2`, step by step: multiplying
the weights by :math:`1-\eta\mu` beside each step (decoupled decay) gives the trajectory of the
penalised loss. Under Adam it does not, since Adam rescales the gradient of the penalty with all the
rest.

:source: Perez Jensen (2025), Deep Learning, Section 8.2; Loshchilov and Hutter (2019), "Decoupled
    weight decay regularization", Proposition 1.
:kind: algorithm
:covers: weight-decay
:erratum: [wrong] The notes print theta - eta (grad - mu theta), which lets the weights grow (the
    figure has it), and (1 - eta mu) theta - grad, without eta.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.train import L2Penalty, fit


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # points
    y: Float[Tensor, "n 1"]  # targets
    start: Float[Tensor, "1 d"]  # weights
    method: Callable[..., torch.optim.Optimizer]  # optimizer
    factor: float  # of the weights, beside each step


def linear_step(given: Given) -> tuple[bool, str]:
    """Whether twice the gradient makes twice the step, tried on one step."""
    steps = []
    for size in (1.0, 2.0):
        w = nn.Parameter(torch.zeros(3, dtype=torch.float64))
        w.grad = size * torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64)
        given.method([w], lr=0.1).step()
        steps.append(w.detach())
    off = float((steps[1] - 2 * steps[0]).abs().max() / steps[1].abs().max())
    return off < 1e-9, f"difference {100 * off:.2g} %"


class WeightDecay(Claim[Given]):
    n: int = option(30, low=2, high=500)  # points
    d: int = option(4, low=1, high=50)  # weights
    mu: float = option(0.5, low=0.0, high=5.0)  # decay
    eta: float = option(0.05, low=0.001, high=0.2)  # learning rate
    steps: int = option(40, low=2, high=1000)  # steps of the method

    relation = equals(ulps=2**12, scale=1.0)  # rounding of 40 steps
    supposes = (
        Suppose(
            "each step is proportional to the gradient",
            linear_step,
            "With Adam, a penalty in the loss and decoupled decay (AdamW) differ.",
            method=lambda g: torch.optim.Adam,
        ),
        Suppose(
            "the weights are multiplied by 1 − ημ",
            lambda self, g: (abs(g.factor - 1 + self.eta * self.mu) < 1e-12, f"{g.factor:g}"),
            "With the printed sign, the weights grow.",
            factor=lambda g: 2 - g.factor,
        ),
    )
    symbols = "penalty μ/2 ‖θ‖²", "decay factor 1 − ημ"
    shows = Along("Weight decay of a regression", x="step", y="θ₁", at="times")

    @property
    def times(self) -> range:
        """Numbers of steps."""
        return range(self.steps + 1)

    def given(self, rng: Generator) -> Given:
        x = normal(rng, self.n, self.d)
        y = x.sum(dim=1, keepdim=True) + normal(rng, self.n, 1)
        return Given(x, y, normal(rng, 1, self.d), torch.optim.SGD, 1 - self.eta * self.mu)

    def predict(self, given: Given) -> Tensor:
        return self._path(given, self.mu).T.flatten()

    def measure(self, given: Given) -> Tensor:
        return self._path(given, 0.0, given.factor).T.flatten()

    def _path(self, given: Given, mu: float, factor: float = 1.0) -> Tensor:
        """The weights after each step; ``factor`` multiplies them before the step is taken."""
        model = nn.Linear(self.d, 1, bias=False).double()
        with torch.no_grad():
            model.weight.copy_(given.start)
        path = [given.start[0]]

        def half(out: Tensor, y: Tensor) -> Tensor:
            return (out - y).square().mean() / 2

        def shrink(loop: object) -> None:
            with torch.no_grad():
                # What the step added stays; what was there before it is multiplied.
                model.weight.add_((factor - 1) * path[-1])
            path.append(model.weight.detach()[0].clone())

        method = given.method(model.parameters(), lr=self.eta)
        data, penalty = (given.x, given.y), L2Penalty(mu)
        fit(model, data, half, method, steps=self.steps, call=penalty, callbacks=[shrink])
        return torch.stack(path)
