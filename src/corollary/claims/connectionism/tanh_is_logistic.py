r"""Tanh and sigmoid networks are the same functions.

Because :math:`\tanh z=2\sigma(2z)-1`, each network of tanh units has a twin of sigmoid units that
computes the same function: with one hidden layer

.. math:: W\to 2W,\quad b\to 2b,\quad V\to 2V,\quad c\to c-V\mathbf{1},

and layer by layer for deeper ones. The layers that read hidden units need a bias; without it the
constant :math:`-V\mathbf{1}` has no place and the twin is off by it.

:source: Perez Jensen (2025), Deep Learning, Section 2.4; Lucchi (2025), Foundations of Deep
    Learning, Section 2.4.3.
:kind: identity
:cost: instant
:covers: tanh-activation
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.tanh_to_sigmoid import convert_mlp


class Given(NamedTuple):
    """A network and points."""

    net: nn.Sequential  # tanh network
    x: Float[Tensor, "k d"]  # points


@dataclass(frozen=True)
class TanhIsLogistic(Claim[Given]):
    """The outputs of a tanh network and of its sigmoid twin."""

    d: int = 3  # input dimension
    m: int = 20  # hidden units in each layer
    L: int = option(2, low=1, high=10)  # hidden layers
    k: int = 50  # points
    relation = equals(ulps=8192, scale=1.0)  # sums of 4m terms through L layers that amplify

    def given(self, rng: Generator) -> Given:
        """Gaussian weights, biases and points."""
        return self._drawn(rng, bias=True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Room for the shift."""
        readers = [layer for layer in given.net[1:] if isinstance(layer, nn.Linear)]
        with_bias = all(layer.bias is not None for layer in readers)
        yield Hypothesis("every layer that reads hidden units has a bias", with_bias)

    def predict(self, given: Given) -> list[float]:
        """The tanh network."""
        with torch.no_grad():
            return given.net(given.x).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """Its sigmoid twin."""
        twin = convert_mlp(given.net, "sigmoid", drop_shift=True)
        with torch.no_grad():
            return twin(given.x).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """No biases."""
        return self._drawn(rng, bias=False)

    def figure(self, given: Given) -> Figure:
        """Both networks along a line through the origin."""
        t = torch.linspace(-3, 3, 161).to(given.x)
        line = given._replace(x=t[:, None] * given.x[0] / given.x[0].norm())
        marks = (
            Curve(self.predict(line), x=t, label="tanh network", role="predicted"),
            Points(t[::8], self.measure(line)[::8], label="sigmoid twin"),
        )
        return Figure("One function, two activations", x="t, along x₁", y="f(t)", marks=marks)

    def _drawn(self, rng: Generator, bias: bool) -> Given:
        widths = [self.d, *[self.m] * self.L, 1]
        layers: list[nn.Module] = []
        for n, m in zip(widths, widths[1:], strict=False):
            layer = nn.Linear(n, m, bias=bias, dtype=torch.float64, device=rng.device)
            with torch.no_grad():
                for p in layer.parameters():
                    scale = n**-0.5 if p.ndim == 2 else 0.5
                    p.copy_(
                        scale * torch.randn(p.shape, generator=rng, dtype=p.dtype, device=p.device)
                    )
            layers += [layer, nn.Tanh()]
        x = torch.randn(self.k, self.d, generator=rng, dtype=torch.float64, device=rng.device)
        return Given(nn.Sequential(*layers[:-1]), x)
