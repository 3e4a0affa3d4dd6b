r"""Tanh and sigmoid networks are the same functions.

Because :math:`\tanh z=2\sigma(2z)-1`, each network of tanh units has a twin of sigmoid units that
computes the same function: with one hidden layer

.. math:: W\to 2W,\quad b\to 2b,\quad V\to 2V,\quad c\to c-V\mathbf{1},

and layer by layer for deeper ones. The layers that read hidden units need a bias; without it the
constant :math:`-V\mathbf{1}` has no place and the twin is off by it.

:source: Perez Jensen (2025), Deep Learning, Section 2.4; Lucchi (2025), Foundations of Deep
    Learning, Section 2.4.3.
:kind: identity
:covers: tanh-activation
"""

import copy
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.models.tanh_to_sigmoid import convert_mlp


class Given(NamedTuple):
    net: nn.Sequential  # tanh network
    x: Float[Tensor, "k d"]  # points


def readers(net: nn.Sequential) -> list[nn.Linear]:
    """The layers that read hidden units."""
    return [layer for layer in list(net)[1:] if isinstance(layer, nn.Linear)]


def no_biases(given: Given) -> Given:
    """Without biases, the sigmoid network differs from the tanh network by a constant."""
    net = copy.deepcopy(given.net)
    for layer in readers(net):
        layer.register_parameter("bias", None)
    return given._replace(net=net)


class TanhIsLogistic(Claim[Given]):
    d: int = 3  # input dimension
    m: int = 20  # hidden units in each layer
    L: int = option(2, low=1, high=10)  # hidden layers
    k: int = 50  # points

    relation = equals(ulps=8192, scale=1.0)  # sums of 4m terms through L layers that amplify
    supposes = Suppose(
        "every layer that reads hidden units has a bias",
        lambda g: all(layer.bias is not None for layer in readers(g.net)),
        without=no_biases,
    )
    symbols = "tanh network", "sigmoid twin"
    shows = Along("The same function with both activations", x="point along a line", y="f(x)")

    def given(self, rng: Generator) -> Given:
        widths, layers = [self.d, *[self.m] * self.L, 1], []
        for n, m in zip(widths, widths[1:], strict=False):
            layer = nn.Linear(n, m, dtype=torch.float64)
            layer.weight.data, layer.bias.data = normal(rng, m, n) / n**0.5, normal(rng, m) / 2
            layers += [layer, nn.Tanh()]
        start, way = normal(rng, self.d), normal(rng, self.d)
        t = torch.linspace(-3, 3, self.k, dtype=torch.float64)[:, None]
        return Given(nn.Sequential(*layers[:-1]), start + t * way)

    def predict(self, given: Given) -> Tensor:
        output: Tensor = given.net(given.x)
        return output.detach().flatten()

    def measure(self, given: Given) -> Tensor:
        output: Tensor = convert_mlp(given.net, "sigmoid", drop_shift=True)(given.x)
        return output.detach().flatten()
