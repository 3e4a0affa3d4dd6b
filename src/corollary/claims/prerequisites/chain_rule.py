r"""Chain rule.

For :math:`g:\mathbb{R}^k\to\mathbb{R}^m` differentiable at x and f at g(x),

.. math:: J_{f\circ g}(x)=J_f(g(x))\,J_g(x),

so the Jacobian of a network is the product of those of its layers, each at the point it receives.
Where a layer has a kink the product can be wrong though the composition is smooth:
:math:`\operatorname{relu}(x)-\operatorname{relu}(-x)=x` has slope 1 at 0, and the rule, with
:math:`\operatorname{relu}'(0)=0`, says 0.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.2, (1.19).
:kind: identity
:covers: chain-rule-jacobian, jacobian-linear-map
"""

from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, normal
from corollary.theory.prerequisites.jacobians import chain_jacobian


class Given(NamedTuple):
    maps: tuple[Callable[[Tensor], Tensor], ...]  # layers, the first to act first
    x: Float[Tensor, " d"]


def smooth(given: Given) -> tuple[bool, str]:
    """Left and right slopes of each layer agree."""
    z, kinks, h = given.x, 0, 1e-6
    for f in given.maps:
        kinks += bool((f(z + h) + f(z - h) - 2 * f(z)).abs().max() > 1e-3 * h)
        z = f(z)
    return kinks == 0, f"{kinks} of {len(given.maps)} have a kink there"


def identity_of_two_kinks(given: Given) -> Given:
    """At 0, relu(x) - relu(-x) has slope 1, but the product of the slopes is 0."""
    split = torch.tensor([[1.0], [-1.0]], dtype=torch.float64)
    maps = (lambda x: split @ x, torch.relu, lambda z: split.T @ z)
    return Given(maps, torch.zeros(1, dtype=torch.float64))


class ChainRule(Claim[Given]):
    d: int = 3  # input dimension
    m: int = 5  # width of the layers
    L: int = 3  # number of layers

    relation = equals(ulps=2**23, scale=1.0)  # central quotients of step 1e-5 are good to 1e-9
    supposes = Suppose(
        "each map is differentiable where it is used", smooth, without=identity_of_two_kinks
    )
    symbols = "entry of J_f(g(x)) J_g(x)", "difference quotient of f ∘ g"
    shows = Parity("Jacobian by the chain rule and by difference quotients")

    def given(self, rng: Generator) -> Given:
        sizes = [self.d] + [self.m] * self.L
        weights = [normal(rng, n, k) / k**0.5 for k, n in pairwise(sizes)]
        A, x = normal(rng, 2, self.m), normal(rng, self.d)
        layers = [lambda z, w=w: torch.tanh(w @ z) for w in weights]
        return Given((*layers, lambda z: A @ z), x)

    def predict(self, given: Given) -> Tensor:
        return chain_jacobian(given.maps, given.x)

    def measure(self, given: Given) -> Tensor:
        def net(x: Tensor) -> Tensor:
            return reduce(lambda z, f: f(z), given.maps, x)

        h = 1e-5
        moves = h * torch.eye(len(given.x), dtype=torch.float64)
        return torch.stack([net(given.x + e) - net(given.x - e) for e in moves], dim=1) / (2 * h)
