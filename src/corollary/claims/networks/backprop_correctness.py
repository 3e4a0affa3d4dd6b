r"""Backpropagation computes the exact gradient.

For a network :math:`z^l=W^la^{l-1}+b^l`, :math:`a^l=\varphi_l(z^l)` and a loss :math:`\ell(a^L)`,
the numbers computed from the output backwards,

.. math:: \delta^L=\frac{\partial\ell}{\partial a^L}\odot\varphi_L'(z^L),\qquad
   \delta^l=(W^{l+1\top}\delta^{l+1})\odot\varphi_l'(z^l),

give all derivatives: :math:`\partial\ell/\partial W^l=\delta^la^{l-1\top}` and
:math:`\partial\ell/\partial b^l=\delta^l`. Measured is the definition of a derivative, difference
quotients of the loss along random directions in the space of all parameters. At a kink there is no
derivative, and the rule's answer is only a convention.

:source: Mathematical Foundations of Deep Learning (slides), Backpropagation; Lucchi (2025),
    Foundations of Deep Learning, Section 2.6; Rumelhart, Hinton and Williams (1986), "Learning
    representations by back-propagating errors".
:kind: theorem
:uses: backpropagation_recursion
:covers: backprop-correctness
"""

from typing import Literal, NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, normal, option
from corollary.theory.networks.activations import RELU, activation
from corollary.theory.networks.backprop import Layer, backprop, forward_pass


class Given(NamedTuple):
    layers: list[Layer]
    x: Float[Tensor, "n d"]
    y: Float[Tensor, "n 1"]
    directions: list[list[Layer]]  # W and b of a direction are like those of the network


def nearest_kink(given: Given) -> float:
    """The smallest distance of an input of an activation to its kink."""
    kinks = [
        float(z.abs().min())
        for f, z in zip(given.layers, forward_pass(given.layers, given.x)[1], strict=True)
        if not f.phi.smooth
    ]
    return min(kinks, default=1.0)


class BackpropCorrectness(Claim[Given]):
    n: int = 5  # points
    d: int = 3  # input dimension
    m: int = 8  # width of the hidden layers
    L: int = option(4, low=1, high=30)  # layers
    k: int = option(20, low=2, high=200)  # directions
    phi: Literal["tanh", "sigmoid"] = "tanh"  # activation of the hidden layers

    relation = equals(ulps=2**22, scale=1.0)  # the quotient's own error, about 1e-10
    supposes = Suppose(
        "each activation is differentiable where the network uses it",
        lambda g: nearest_kink(g) - 0.01,
        "ReLU units that are exactly at their kink have no derivative.",
        layers=lambda g: [*(Layer(f.W, 0 * f.b, RELU) for f in g.layers[:-1]), g.layers[-1]],
        x=lambda g: 0 * g.x,
    )
    symbols = "slope by backpropagation", "difference quotient of the loss"
    shows = Parity("The slope of the loss along random directions")

    def given(self, rng: Generator) -> Given:
        widths = [self.d, *[self.m] * (self.L - 1), 1]
        names = [self.phi] * (self.L - 1) + ["linear"]

        def layers() -> list[Layer]:
            return [
                Layer(normal(rng, m, n) / n**0.5, 0.5 * normal(rng, m), activation(name))
                for n, m, name in zip(widths, widths[1:], names, strict=False)
            ]

        x, y = normal(rng, self.n, self.d), normal(rng, self.n, 1)
        return Given(layers(), x, y, [layers() for _ in range(self.k)])

    def predict(self, given: Given) -> list[float]:
        g = backprop(given.layers, given.x, given.y)
        return [
            sum(
                float((u.W * w).sum() + (u.b * b).sum())
                for u, w, b in zip(direction, g.W, g.b, strict=True)
            )
            for direction in given.directions
        ]

    def measure(self, given: Given) -> list[float]:
        def loss(direction: list[Layer], t: float) -> float:
            pairs = zip(given.layers, direction, strict=True)
            moved = [Layer(f.W + t * u.W, f.b + t * u.b, f.phi) for f, u in pairs]
            return float(0.5 * (forward_pass(moved, given.x)[0][-1] - given.y).square().sum())

        def slope(u: list[Layer], h: float = 2e-4) -> float:  # its error is of the fourth order
            return (loss(u, -2 * h) - 8 * loss(u, -h) + 8 * loss(u, h) - loss(u, 2 * h)) / (12 * h)

        return [slope(direction) for direction in given.directions]
