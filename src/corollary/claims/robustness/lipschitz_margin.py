r"""Margin over Lipschitz constant.

If each margin :math:`f_y-f_j` is :math:`L_j`-Lipschitz in the Euclidean norm, no perturbation
shorter than

.. math:: r=\min_{j\ne y}\frac{f_y(x)-f_j(x)}{L_j}

changes the class of x. For layers :math:`W_1,\dots,W_L` with 1-Lipschitz functions between them
:math:`L_j\le\|w_y-w_j\|\prod_{l<L}\|W_l\|_2`, w being the rows of the last one. Measured: the
shortest perturbations that DeepFool finds; predicted: r.

:source: Szegedy et al. (2014), "Intriguing properties of neural networks", Section 4.3; Tsuzuku,
    Sato and Sugiyama (2018), "Lipschitz-margin training: scalable certification of perturbation
    invariance for deep neural networks", Proposition 1; Lucchi (2025), Foundations of Deep
    Learning, Section 12.3, for the distance to a flip.
:kind: bound
:cost: seconds
:covers: linear-flip-distance
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_least, option
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.lipschitz import lipschitz_certificate
from corollary.theory.robustness.flip import DeepFool


class Given(NamedTuple):
    """A network, inputs with their classes, and the factor on the constants that are used."""

    net: nn.Module
    x: Float[Tensor, "n d"]
    y: Int[Tensor, " n"]
    factor: float


class LipschitzMargin(Claim[Given]):
    d: int = option(12, low=2, high=200)  # input dimension
    L: int = option(3, low=1, high=8)  # layers
    n: int = option(20, low=1, high=500)  # inputs
    gain: float = option(1.0, low=0.1, high=10.0)  # norm of every hidden layer
    relation = at_least(ulps=2**30)  # DeepFool stops just past the boundary; this is 2e-7

    def given(self, rng: Generator) -> Given:
        """Orthogonal hidden layers times the gain, a normal last one, normal inputs."""
        layers: list[nn.Module] = []
        for _ in range(self.L - 1):
            q, _r = torch.linalg.qr(self._normal(self.d, self.d, rng=rng))
            layers += [self._layer(self.gain * q), nn.LeakyReLU(0.3)]
        last = self._layer(self._normal(4, self.d, rng=rng))
        net = nn.Sequential(*layers, last).requires_grad_(False)
        x = self._normal(self.n, self.d, rng=rng)
        return Given(net, x, net(x).argmax(1), 1.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The constants."""
        yield Hypothesis(
            "the constants are at least the products of the layers' norms",
            given.factor >= 1,
            f"{given.factor:g} times",
        )

    def predict(self, given: Given) -> list[float]:
        """Margin over constant, the least over the other classes."""
        certificate = lipschitz_certificate(Certifier(given.net, given.x, norm="l2"))
        return (certificate.radius(given.x, given.y) / given.factor).tolist()

    def measure(self, given: Given) -> list[float]:
        """Lengths of perturbations that change the class."""
        found = DeepFool("l2", box=None)(given.net, given.x, given.y)
        sizes = torch.where(found.fooled, found.size("l2"), torch.inf)
        return sizes.tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Constants a hundred times too small, as an estimate from a few gradients may be."""
        return self.given(rng)._replace(factor=0.01)

    def figure(self, given: Given) -> Figure:
        """Found against certified, input by input."""
        certified, found = self.predict(given), self.measure(given)
        top = max(certified)
        return Figure(
            "No perturbation is shorter than margin over constant",
            x="r (margin over Lipschitz constant)",
            y="‖δ‖ that changes the class",
            marks=(
                Curve([0.0, top], [0.0, top], label="‖δ‖ = r", role="predicted"),
                Points(certified, found, label="found by DeepFool"),
            ),
        )

    def _normal(self, *shape: int, rng: Generator) -> Tensor:
        return torch.randn(*shape, generator=rng, dtype=torch.float64)

    def _layer(self, weight: Tensor) -> nn.Linear:
        layer = nn.utils.skip_init(
            nn.Linear, weight.shape[1], weight.shape[0], bias=False, dtype=torch.float64
        )
        with torch.no_grad():
            layer.weight.copy_(weight)
        return layer
