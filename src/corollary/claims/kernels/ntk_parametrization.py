r"""Fan-in scaling keeps the variance of a wide network.

In the NTK parametrisation, :math:`f^l = \sigma_wW^l\phi(f^{l-1})/\sqrt{n_{l-1}} + \sigma_bb^l` with
standard normal parameters, the variance of the output does not depend on the width. For two ReLU
layers at an input of length :math:`\sqrt d`,

.. math:: E[f^2] = \tfrac12\sigma_w^2(\sigma_w^2 + \sigma_b^2) + \sigma_b^2 .

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.3; Jacot, Gabriel and Hongler
    (2018), "Neural tangent kernel: convergence and generalization in neural networks", Section 2.
:kind: identity
:uses: nngp_limit
:covers: ntk-parametrization-mlp
:erratum: [wrong] The notes divide layer l, of size n_l x n_{l-1}, by sqrt(n_l), the fan-out. Then,
    with sigma_w = sigma_b = 1 and one output, the variance grows like n/2 (13, 33, 93 at n = 20,
    60, 180) where the fan-in gives 2; the counterexample measures it.
"""

from copy import deepcopy
from typing import Any, Literal, NamedTuple

import torch
from torch import Generator
from torch.func import functional_call, vmap

from corollary.core import Along, Claim, Sample, Suppose, near, normal, option, within_interval
from corollary.models.ntk_mlp import NTKMLP

X = torch.ones(1, 3, dtype=torch.float64)


class Given(NamedTuple):
    nets: list[NTKMLP]  # one for each width; their parameters are drawn anew


def by_fan_in(self: "NtkParametrization", given: Given) -> tuple[bool, str]:
    """Whether outputs without biases are those of W/√n for all layers."""
    (V, W), sigma_w = given.nets[0].weights, self.sigma_w
    net = deepcopy(given.nets[0])
    net.sigma_b = 0.0
    return near(net(X), sigma_w**2 * (X @ V.T / 3**0.5).relu() @ W.T / len(V) ** 0.5)


class NtkParametrization(Claim[Given]):
    widths: tuple[int, ...] = (20, 60, 180)  # widths of the hidden layer
    sigma_w: float = option(1.0, low=0.1, high=3.0)  # standard deviation of weights
    sigma_b: float = option(1.0, low=0.0, high=3.0)  # standard deviation of biases
    draws: int = option(1500, low=100, high=50_000)  # networks at each width

    relation = within_interval(level=0.999, resolution=0.4)  # squares of spread 3, 1500 draws
    supposes = Suppose(
        "layers are scaled by their fan-in",
        by_fan_in,
        "With fan-out scaling, as printed in the notes, the variance grows like n/2.",
        lambda self: self.networks("fan_out"),
    )
    symbols = "σ_w²(σ_w² + σ_b²)/2 + σ_b²", "E[f²] over networks"
    rows = "n = {widths}"
    shows = Along("Output variance in the NTK parametrisation", x="width n", at="widths", log="xy")

    def given(self, rng: Generator) -> Given:
        return self.networks("fan_in")

    def networks(self, scaling: Literal["fan_in", "fan_out"]) -> Given:
        """Of all widths."""
        sigmas: dict[str, Any] = {"sigma_w": self.sigma_w, "sigma_b": self.sigma_b}
        return Given([NTKMLP([3, n, 1], **sigmas, scaling=scaling) for n in self.widths])

    def predict(self, given: Given) -> list[float]:
        w2, b2 = self.sigma_w**2, self.sigma_b**2
        return [w2 * (w2 + b2) / 2 + b2] * len(self.widths)

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        def squares(net: NTKMLP) -> Sample:
            """Of outputs at x = (1, 1, 1), with parameters drawn for all networks at once."""
            many = {k: normal(rng, self.draws, *p.shape) for k, p in net.named_parameters()}
            out = vmap(lambda theta: functional_call(net, theta, (X,)))(many)
            return Sample(out.flatten().square())

        return [squares(net) for net in given.nets]
