r"""A network agrees with its linearisation to second order.

.. math:: f_{lin}(x, \theta) = f(x, \theta_0) + \nabla_\theta f(x, \theta_0)^\top(\theta-\theta_0),
          \qquad |f - f_{lin}| = O(\|\theta-\theta_0\|^2)

for a network that is twice differentiable. :math:`f_{lin}` is linear in :math:`\theta`, and its
tangent kernel :math:`\nabla f(x)^\top\nabla f(x')` is the same at all :math:`\theta`. At a kink the
agreement is of first order only.

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.3; Perez Jensen (2025), Deep
    Learning, Section 9.
:kind: rate
:cost: instant
:covers: linearized-network
:erratum: [possible OCR artefact] In the notes' computation of the linearised kernel the second
    gradient is shown at x; it must be at x' (a lost prime). The feature map is typed R^d x R^p
    where R^d -> R^p is meant.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.utils import skip_init

from corollary.claims.kernels._rate_figure import rate_figure
from corollary.core import Claim, Figure, Hypothesis, Series, option, slope
from corollary.theory.kernels.empirical import push_forward
from corollary.theory.kernels.empirical.products import outputs_at

STEPS = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)


class Given(NamedTuple):
    """Layers, inputs and a direction in the space of parameters."""

    smooth: bool
    weights: tuple[Float[Tensor, "..."], ...]
    x: Float[Tensor, "n d"]
    direction: tuple[Float[Tensor, "..."], ...]


class LinearizationOrder(Claim[Given]):
    width: int = option(20, low=1, high=1000)  # hidden units
    relation = slope(gap=0.1)  # third-order terms bend the curve by less

    def given(self, rng: Generator) -> Given:
        """A tanh network of two layers and a direction of length 1."""
        shapes = ((self.width, 3), (self.width,), (1, self.width), (1,))
        weights, direction = (
            tuple(torch.randn(*s, generator=rng, dtype=torch.float64) for s in shapes)
            for _ in range(2)
        )
        length = sum(float((v**2).sum()) for v in direction) ** 0.5
        x = torch.randn(5, 3, generator=rng, dtype=torch.float64)
        return Given(True, weights, x, tuple(v / length for v in direction))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Smoothness at the point of expansion."""
        w, b = given.weights[:2]
        kink = not given.smooth and bool((given.x @ w.T + b).abs().min() < 1e-6)
        yield Hypothesis("the network is twice differentiable at the point of expansion", not kink)

    def predict(self, given: Given) -> float:
        """The order."""
        return 2.0

    def measure(self, given: Given) -> Series:
        """Gaps along the direction."""
        model = _network(given)
        f, change = push_forward(model, given.x, given.direction)
        names = [name for name, _ in model.named_parameters()]
        gaps = []
        for h in STEPS:
            pairs = zip(names, given.weights, given.direction, strict=True)
            moved = outputs_at(model, {k: w + h * v for k, w, v in pairs}, given.x)
            gaps.append(float((moved - f - h * change).detach().norm()))
        return Series(STEPS, gaps)

    def counterexample(self, rng: Generator) -> Given:
        """ReLU units that sit at their kink."""
        given = self.given(rng)
        w, b, *rest = given.weights
        return given._replace(smooth=False, weights=(w * 0, b * 0, *rest))

    def figure(self, given: Given) -> Figure:
        """Gap over step."""
        found = self.measure(given)
        gap = "|f - f_lin|"
        return rate_figure("Network against linearisation", STEPS, found.values, 2.0, "h", gap)


def _network(given: Given) -> nn.Module:
    width = len(given.weights[1])
    inside = nn.Tanh() if given.smooth else nn.ReLU()
    layers = skip_init(nn.Linear, 3, width), inside, skip_init(nn.Linear, width, 1)
    model = nn.Sequential(*layers).double()
    with torch.no_grad():
        for p, w in zip(model.parameters(), given.weights, strict=True):
            p.copy_(w)
    return model
