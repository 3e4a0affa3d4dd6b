r"""Certified radius: margin over Lipschitz constant.

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
:uses: operator_norm
:covers: linear-flip-distance
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.core import Claim, Parity, Suppose, at_least, normal, option
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.lipschitz import lipschitz_certificate
from corollary.theory.robustness.flip import DeepFool


class Given(NamedTuple):
    net: nn.Module
    x: Float[Tensor, "n d"]
    y: Int[Tensor, " n"]  # classes
    factor: float = 1.0  # on the constants that are used


def _layer(weight: Tensor) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0], bias=False, dtype=torch.float64)
    layer.load_state_dict({"weight": weight})
    return layer.requires_grad_(False)


class LipschitzMargin(Claim[Given]):
    d: int = option(12, low=2, high=200)  # input dimension
    L: int = option(3, low=1, high=8)  # layers
    n: int = option(20, low=1, high=500)  # inputs
    gain: float = option(1.0, low=0.1, high=10.0)  # norm of every hidden layer

    relation = at_least(ulps=2**30)  # DeepFool stops just past the boundary; this is 2e-7
    supposes = Suppose(
        "the constants are at least the products of the layers' norms",
        lambda g: (g.factor >= 1, f"{g.factor:g} times"),
        "The constants are half as large, as an estimate from a few gradients may be.",
        factor=0.5,
    )
    symbols = "margin over Lipschitz constant r", "‖δ‖ that changes the class, by DeepFool"
    shows = Parity("Shortest adversarial perturbations and certified radii")

    def given(self, rng: Generator) -> Given:
        layers: list[nn.Module] = []
        for _ in range(self.L - 1):
            q = torch.linalg.qr(normal(rng, self.d, self.d)).Q
            layers += [_layer(self.gain * q), nn.LeakyReLU(0.3)]
        last, x = _layer(normal(rng, 4, self.d)), normal(rng, self.n, self.d)
        net = nn.Sequential(*layers, last)
        return Given(net, x, net(x).argmax(1))

    def predict(self, given: Given) -> Tensor:
        certificate = lipschitz_certificate(Certifier(given.net, given.x, norm="l2"))
        return certificate.radius(given.x, given.y) / given.factor

    def measure(self, given: Given) -> Tensor:
        found = DeepFool("l2", box=None)(given.net, given.x, given.y)
        return torch.where(found.fooled, found.size("l2"), torch.inf)

    def tight(self) -> Given:
        """A linear classifier: its margin falls at the same rate all the way."""
        net = nn.Sequential(_layer(torch.tensor([[3.0, 0.0], [0.0, 4.0]])))
        return Given(net, torch.tensor([[1.0, 0.0]], dtype=torch.float64), torch.tensor([0]))
