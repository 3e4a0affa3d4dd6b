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
:cost: instant
:covers: backprop-correctness
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.networks.activations import RELU, activation
from corollary.theory.networks.backprop import Layer, backprop, forward_pass


class Given(NamedTuple):
    """A network, points with targets, and directions in which to move its parameters."""

    layers: list[Layer]
    x: Float[Tensor, "n d"]
    y: Float[Tensor, "n 1"]
    directions: list[list[Layer]]  # W and b of a direction are like those of the network

    def loss(self, direction: list[Layer], t: float) -> float:
        """Half the squared error after a walk of length t."""
        moved = [
            Layer(f.W + t * u.W, f.b + t * u.b, f.phi)
            for f, u in zip(self.layers, direction, strict=True)
        ]
        return float(0.5 * ((forward_pass(moved, self.x)[0][-1] - self.y) ** 2).sum())


class BackpropCorrectness(Claim[Given]):
    n: int = 5  # points
    d: int = 3  # input dimension
    m: int = 8  # width of the hidden layers
    L: int = option(4, low=1, high=30)  # layers
    k: int = option(20, low=2, high=200)  # directions
    phi: Literal["tanh", "sigmoid"] = "tanh"  # activation of the hidden layers
    relation = equals(ulps=2**22, scale=1.0)  # the quotient's own error, about 1e-10

    def given(self, rng: Generator) -> Given:
        """Weights of variance 1/width, Gaussian biases, points and targets."""
        return self._drawn(rng, self.phi)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No kinks where the network works."""
        _, z = forward_pass(given.layers, given.x)
        near = min(
            (float(pre.abs().min()) for f, pre in zip(given.layers, z, strict=True)
             if not f.phi.smooth),
            default=1.0,
        )  # fmt: skip
        yield Hypothesis(
            "each activation is differentiable where the network uses it", near > 0.01,
            f"nearest kink at distance {near:.2g}",
        )  # fmt: skip

    def predict(self, given: Given) -> list[float]:
        """The gradient of backpropagation along each direction."""
        g = backprop(given.layers, given.x, given.y)
        return [
            sum(
                float((u.W * w).sum() + (u.b * b).sum())
                for u, w, b in zip(direction, g.W, g.b, strict=True)
            )
            for direction in given.directions
        ]

    def measure(self, given: Given) -> list[float]:
        """Difference quotients of fourth order."""
        return [slope(given, direction) for direction in given.directions]

    def counterexample(self, rng: Generator) -> Given:
        """ReLU units that sit exactly on their kinks."""
        given = self._drawn(rng, self.phi)
        layers = [Layer(f.W, 0 * f.b, RELU) for f in given.layers[:-1]]
        return given._replace(layers=[*layers, given.layers[-1]], x=0 * given.x)

    def figure(self, given: Given) -> Figure:
        """Loss along the first direction with the tangent of backpropagation."""
        t = torch.linspace(-0.5, 0.5, 81, dtype=torch.float64).tolist()
        u, here = given.directions[0], given.loss(given.directions[0], 0.0)
        tangent = self.predict(given)[0]
        marks = (
            Curve([here + tangent * s for s in t], x=t, label="tangent by δ", role="predicted"),
            Curve([given.loss(u, s) for s in t], x=t, label="loss"),
            Points([0.0], [here], label="the network"),
        )
        return Figure("The slope of the loss", x="t, along u", y="ℓ(θ + t u)", marks=marks)

    def _drawn(self, rng: Generator, phi: str) -> Given:
        widths = [self.d, *[self.m] * (self.L - 1), 1]
        pairs = list(zip(widths, widths[1:], strict=False))
        names = [phi] * (self.L - 1) + ["linear"]

        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, dtype=torch.float64, device=rng.device)

        def layers() -> list[Layer]:
            return [
                Layer(normal(m, n) / n**0.5, 0.5 * normal(m), activation(name))
                for (n, m), name in zip(pairs, names, strict=True)
            ]

        net, x, y = layers(), normal(self.n, self.d), normal(self.n, 1)
        return Given(net, x, y, [layers() for _ in range(self.k)])


def slope(given: Given, direction: list[Layer], h: float = 2e-4) -> float:
    """A quotient whose error is of the fourth order in h."""
    f = [given.loss(direction, s * h) for s in (-2, -1, 1, 2)]
    return (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h)
