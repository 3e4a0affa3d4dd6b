r"""Wide networks are Gaussian processes.

With fan-in scaling and independent standard normal parameters the units of layer l become, as the
widths grow, independent copies of a Gaussian process with covariance

.. math:: \Sigma^1 = \sigma_w^2\frac{\langle x, x'\rangle}d + \sigma_b^2, \qquad
          \Sigma^l = \sigma_w^2E[\phi(z)\phi(z')] + \sigma_b^2, \quad (z, z')\sim N(0,\Sigma^{l-1}).

Given the layers below, the covariance of a unit is
:math:`\hat\Sigma_n = \frac{\sigma_w^2}n\sum_j\phi(h_j(x))\phi(h_j(x')) + \sigma_b^2`; it differs
from :math:`\Sigma^l` by :math:`O(n^{-1/2})`.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 57; Neal (1996), "Bayesian learning
    for neural networks"; Lee et al. (2018), "Deep neural networks as Gaussian processes".
:kind: rate
:cost: seconds
:covers: nngp-recursion
:erratum: [missing hypothesis] Theorem 57 is stated without the limit of infinite width; for l >= 2
    the output is Gaussian only then (width 5, two ReLU layers without bias: kurtosis 6, not 3).
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

import torch
from torch import Generator, Tensor

from corollary.claims.kernels._rate_figure import rate_figure
from corollary.core import Claim, Figure, Hypothesis, Series, generator, option, slope
from corollary.theory.kernels.recursion import nngp_kernel

SIGMA_W, SIGMA_B = 2**0.5, 0.3


class Given(NamedTuple):
    """Inputs as rows, a seed for the networks, and by which side layers are scaled."""

    x: tuple[tuple[float, ...], ...]
    seed: int
    scaling: Literal["fan_in", "fan_out"]


class NngpLimit(Claim[Given]):
    widths: tuple[int, ...] = (16, 32, 64, 128, 256)  # of the hidden layers
    depth: int = option(3, low=2, high=5)  # dense layers
    draws: int = option(320, low=4, high=400)  # networks at each width
    relation = slope(gap=0.15)  # 320 networks leave 0.05 in the fitted slope

    def given(self, rng: Generator) -> Given:
        """Three Gaussian inputs of dimension 4."""
        x = torch.randn(3, 4, generator=rng, dtype=torch.float64)
        seed = int(torch.randint(2**40, (), generator=rng))
        return Given(tuple(tuple(row) for row in x.tolist()), seed, "fan_in")

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The scaling."""
        yield Hypothesis("layers are scaled by their fan-in", given.scaling == "fan_in")

    def predict(self, given: Given) -> float:
        """The exponent of a mean of n terms."""
        return -0.5

    def measure(self, given: Given) -> Series:
        """Distances at each width."""
        return Series(self.widths, _distances(given, self.widths, self.depth, self.draws))

    def counterexample(self, rng: Generator) -> Given:
        """Fan-out scaling, as printed: the first layer forgets its input as it grows."""
        return self.given(rng)._replace(scaling="fan_out")

    def figure(self, given: Given) -> Figure:
        """The decay."""
        values = _distances(given, self.widths, self.depth, self.draws)
        return rate_figure(
            "Empirical covariance tends to the NNGP kernel", self.widths, values, -0.5,
            "width n", "|Σ̂ₙ - Σ|",
        )  # fmt: skip


@lru_cache(maxsize=4)
def _distances(given: Given, widths: tuple[int, ...], depth: int, draws: int) -> list[float]:
    x = torch.tensor(given.x, dtype=torch.float64)
    limit = nngp_kernel(x, depth, None, SIGMA_W, SIGMA_B)
    found = []
    for n in widths:
        rng = generator(given.seed, "networks", n)
        k = torch.cat([_conditional(x, n, depth, given.scaling, rng) for _ in range(draws)])
        found.append(float(((k - limit) ** 2).mean().sqrt()))
    return found


def _conditional(x: Tensor, n: int, depth: int, scaling: str, rng: Generator) -> Tensor:
    """The covariance of the output given one draw of all layers below, ``(1, points, points)``."""
    h = x
    for layer in range(depth - 1):
        fan = h.shape[1] if scaling == "fan_in" else n
        w = torch.randn(h.shape[1], n, generator=rng, dtype=x.dtype)
        b = torch.randn(n, generator=rng, dtype=x.dtype)
        h = SIGMA_W / fan**0.5 * ((h.relu() if layer else h) @ w) + SIGMA_B * b
    a = h.relu()
    fan = n if scaling == "fan_in" else 1
    return (SIGMA_W**2 / fan * a @ a.T + SIGMA_B**2)[None]
