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

from collections.abc import Callable
from typing import NamedTuple

from torch import Generator

from corollary.core import Along, Claim, Sample, Suppose, normal, option, within_interval


class Given(NamedTuple):
    fan: Callable[[int, int], int]  # by whose root a layer of n inputs and m units is divided


class NtkParametrization(Claim[Given]):
    widths: tuple[int, ...] = (50, 200, 800)  # of the hidden layer
    sigma_w: float = option(1.0, low=0.1, high=3.0)  # standard deviation of weights
    sigma_b: float = option(1.0, low=0.0, high=3.0)  # standard deviation of biases
    draws: int = option(1500, low=100, high=50_000)  # networks at each width

    relation = within_interval(level=0.999, resolution=0.4)  # squares of spread 3, 1500 draws
    supposes = Suppose(
        "layers are scaled by their fan-in",
        lambda g: g.fan(3, 5) == 3,
        "Fan-out scaling, as printed: the variance grows like n/2.",
        fan=lambda g: lambda n, m: m,
    )
    symbols = "σ_w²(σ_w² + σ_b²)/2 + σ_b²", "E[f²] over networks"
    rows = "n = {widths}"
    shows = Along("Output variance in the NTK parametrisation", x="width n", at="widths", log="xy")

    def given(self, rng: Generator) -> Given:
        return Given(lambda n, m: n)

    def predict(self, given: Given) -> list[float]:
        w2, b2 = self.sigma_w**2, self.sigma_b**2
        return [w2 * (w2 + b2) / 2 + b2] * len(self.widths)

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        def squares(n: int) -> Sample:
            """Of outputs at x = (1, 1, 1)."""
            w, (b, v) = normal(rng, self.draws, n, 3).sum(2), normal(rng, 2, self.draws, n)
            h = self.sigma_w * w / given.fan(3, n) ** 0.5 + self.sigma_b * b
            out = self.sigma_w * (h.relu() * v).sum(1) / given.fan(n, 1) ** 0.5
            return Sample((out + self.sigma_b * normal(rng, self.draws)).square())

        return [squares(n) for n in self.widths]
