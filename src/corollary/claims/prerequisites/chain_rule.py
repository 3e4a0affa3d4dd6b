r"""Chain rule.

For :math:`g:\mathbb{R}^k\to\mathbb{R}^m` differentiable at x and f at g(x),

.. math:: J_{f\circ g}(x)=J_f(g(x))\,J_g(x),

so the Jacobian of a network is the product of those of its layers, each at the point it receives.
Where a layer has a kink the product can be wrong though the composition is smooth:
:math:`\operatorname{relu}(x)-\operatorname{relu}(-x)=x` has slope 1 at 0, and the rule, with
:math:`\operatorname{relu}'(0)=0`, says 0.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.2, (1.19).
:kind: identity
:cost: instant
:covers: chain-rule-jacobian, jacobian-linear-map
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals
from corollary.theory.prerequisites.jacobians import chain_jacobian

STEP = 1e-5


class Given(NamedTuple):
    """Layers, the first to act first, and a point."""

    maps: tuple[Callable[[Tensor], Tensor], ...]
    x: Float[Tensor, " d"]


class ChainRule(Claim[Given]):
    d: int = 3  # input dimension
    m: int = 5  # width of the layers
    L: int = 3  # number of layers
    relation = equals(ulps=2**23, scale=1.0)  # central quotients of step 1e-5 are good to 1e-9

    def given(self, rng: Generator) -> Given:
        """Layers of tanh, then a linear map."""
        sizes = [self.d] + [self.m] * self.L
        layers = [
            _tanh_layer(torch.randn(n, k, generator=rng, dtype=torch.float64) / k**0.5)
            for k, n in zip(sizes, sizes[1:], strict=False)
        ]
        A = torch.randn(2, self.m, generator=rng, dtype=torch.float64)
        x = torch.randn(self.d, generator=rng, dtype=torch.float64)
        return Given((*layers, lambda z: A @ z), x)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Left and right slopes of each layer agree."""
        z, kinks = given.x, 0
        for f in given.maps:
            here, h = f(z), 1e-6
            kinks += bool((f(z + h) + f(z - h) - 2 * here).abs().max() > 1e-3 * h)
            z = here
        detail = f"{kinks} of {len(given.maps)} have a kink there"
        yield Hypothesis("each map is differentiable where it is used", kinks == 0, detail)

    def predict(self, given: Given) -> list[float]:
        """The product."""
        return chain_jacobian(given.maps, given.x).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """Central difference quotients, which know nothing of layers."""
        moves = STEP * torch.eye(len(given.x), dtype=torch.float64)
        columns = [_apply(given, given.x + e) - _apply(given, given.x - e) for e in moves]
        return (torch.stack(columns, dim=1) / (2 * STEP)).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The identity as a difference of two kinks, at the kink."""
        split = torch.tensor([[1.0], [-1.0]], dtype=torch.float64)
        maps = (lambda x: split @ x, torch.relu, lambda z: split.T @ z)
        return Given(maps, torch.zeros(1, dtype=torch.float64))

    def figure(self, given: Given) -> Figure:
        """Entry against entry."""
        p, m = self.predict(given), self.measure(given)
        ends = [min(p), max(p)]
        return Figure(
            "Layer by layer, or all at once",
            x="entry of J_f(g(x)) J_g(x)",
            y="difference quotient of f ∘ g",
            marks=(
                Curve(ends, ends, label="equal", role="predicted"),
                Points(p, m, label="entries of the Jacobian"),
            ),
        )


def _tanh_layer(w: Tensor) -> Callable[[Tensor], Tensor]:
    return lambda z: torch.tanh(w @ z)


def _apply(given: Given, x: Tensor) -> Tensor:
    for f in given.maps:
        x = f(x)
    return x
