r"""Fan-in scaling keeps the variance of a wide network.

In the NTK parametrisation, :math:`f^l = \sigma_wW^l\phi(f^{l-1})/\sqrt{n_{l-1}} + \sigma_bb^l` with
standard normal parameters, the variance of the output does not depend on the width. For two ReLU
layers at an input of length :math:`\sqrt d`,

.. math:: E[f^2] = \tfrac12\sigma_w^2(\sigma_w^2 + \sigma_b^2) + \sigma_b^2 .

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.3; Jacot, Gabriel and Hongler
    (2018), "Neural tangent kernel: convergence and generalization in neural networks", Section 2.
:kind: identity
:cost: instant
:covers: ntk-parametrization-mlp
:erratum: [wrong] The notes divide layer l, of size n_l x n_{l-1}, by sqrt(n_l), the fan-out. Then,
    with sigma_w = sigma_b = 1 and one output, the variance grows like n/2 (30, 110, 404 at n = 50,
    200, 800) where the fan-in gives 2; the counterexample measures it.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

import torch
from torch import Generator

from corollary.core import (
    Claim,
    Figure,
    Hypothesis,
    Level,
    Points,
    Sample,
    generator,
    option,
    within_interval,
)


class Given(NamedTuple):
    """A seed for the networks and the side by which layers are scaled."""

    seed: int
    scaling: Literal["fan_in", "fan_out"]


class NtkParametrization(Claim[Given]):
    widths: tuple[int, ...] = (50, 200, 800)  # of the hidden layer
    sigma_w: float = option(1.0, low=0.1, high=3.0)  # standard deviation of weights
    sigma_b: float = option(1.0, low=0.0, high=3.0)  # standard deviation of biases
    draws: int = option(1500, low=100, high=50_000)  # networks at each width
    relation = within_interval(level=0.999, resolution=0.4)  # squares of spread 3, 1500 draws

    def given(self, rng: Generator) -> Given:
        """A seed."""
        return Given(int(torch.randint(2**40, (), generator=rng)), "fan_in")

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The scaling."""
        yield Hypothesis("layers are scaled by their fan-in", given.scaling == "fan_in")

    def predict(self, given: Given) -> list[float]:
        """The same at every width."""
        w2, b2 = self.sigma_w**2, self.sigma_b**2
        return [w2 * (w2 + b2) / 2 + b2] * len(self.widths)

    def measure(self, given: Given) -> list[Sample]:
        """Squares of outputs, given all but the last layer in mean."""
        return [
            Sample(_squares(given, n, self.sigma_w, self.sigma_b, self.draws)) for n in self.widths
        ]

    def counterexample(self, rng: Generator) -> Given:
        """Fan-out scaling, as printed."""
        return self.given(rng)._replace(scaling="fan_out")

    def figure(self, given: Given) -> Figure:
        """The variance over the width."""
        found = [m.read(0.99) for m in self.measure(given)]
        return Figure(
            "Output variance in the NTK parametrisation",
            x="width n",
            y="E[f²]",
            log_x=True,
            marks=(
                Level(self.predict(given)[0], label="σ_w²(σ_w² + σ_b²)/2 + σ_b²"),
                Points(
                    self.widths,
                    [r.value for r in found],
                    low=[r.low for r in found],
                    high=[r.high for r in found],
                    label="over networks",
                ),
            ),
        )


@lru_cache(maxsize=16)
def _squares(given: Given, n: int, sigma_w: float, sigma_b: float, draws: int) -> list[float]:
    """Outputs of two-layer networks at an input of length sqrt(3) in dimension 3, squared."""
    rng = generator(given.seed, "networks", n)
    w = torch.randn(draws, n, 3, generator=rng, dtype=torch.float64).sum(2)  # W x for x = (1, 1, 1)
    b, v = torch.randn(2, draws, n, generator=rng, dtype=torch.float64)
    last = torch.randn(draws, generator=rng, dtype=torch.float64)
    first, second = (3, n) if given.scaling == "fan_in" else (n, 1)
    h = sigma_w * w / first**0.5 + sigma_b * b
    f = sigma_w * (h.relu() * v).sum(1) / second**0.5 + sigma_b * last
    return (f**2).tolist()
