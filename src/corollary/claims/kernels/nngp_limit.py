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
:uses: gaussian_affine, relu_expectations
:covers: nngp-recursion
:erratum: [missing hypothesis] Theorem 57 is stated without the limit of infinite width; for l >= 2
    the output is Gaussian only then (width 5, two ReLU layers without bias: kurtosis 6, not 3).
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, normal, option, slope
from corollary.theory.kernels.recursion import nngp_kernel

SIGMA_W, SIGMA_B, BATCH = 2**0.5, 0.3, 20


class Given(NamedTuple):
    x: Float[Tensor, "k d"]  # inputs
    fan: Callable[[int, int], int]  # by whose root a layer of n inputs and m units is divided


class NngpLimit(Claim[Given]):
    widths: tuple[int, ...] = (16, 32, 64, 128, 256)  # widths of the hidden layers
    depth: int = option(3, low=2, high=5)  # dense layers
    draws: int = option(600, low=20, high=4000)  # networks at each width

    relation = slope(gap=0.15)  # 600 networks leave 0.04 in the fitted slope
    supposes = Suppose(
        "layers are scaled by their fan-in",
        lambda g: g.fan(3, 5) == 3,
        "With fan-out scaling, as in the notes, the first layer shrinks as its width grows.",
        fan=lambda g: lambda n, m: m,
    )
    symbols = "n^(−1/2)", "|Σ̂ₙ − Σ|"
    predicts = -0.5
    shows = Over("Empirical covariance tends to the NNGP kernel", x="width n")

    def given(self, rng: Generator) -> Given:
        return Given(normal(rng, 3, 4), lambda n, m: n)

    def measure(self, given: Given, rng: Generator) -> Series:
        limit = nngp_kernel(given.x, self.depth, None, SIGMA_W, SIGMA_B)

        def distance(n: int) -> float:
            batches = range(self.draws // BATCH)
            k = torch.cat([self.conditional(given, n, rng) for _ in batches])
            return float((k - limit).square().mean().sqrt())

        return Series(self.widths, [distance(n) for n in self.widths])

    def conditional(self, given: Given, n: int, rng: Generator) -> Float[Tensor, "b k k"]:
        """The covariance of the output given all layers below, for a batch of networks."""
        a = given.x.expand(BATCH, *given.x.shape)
        for _ in range(self.depth - 1):
            w, b = normal(rng, BATCH, a.shape[2], n), normal(rng, BATCH, 1, n)
            a = (SIGMA_W / given.fan(a.shape[2], n) ** 0.5 * a @ w + SIGMA_B * b).relu()
        return SIGMA_W**2 / given.fan(n, 1) * a @ a.mT + SIGMA_B**2
