r"""The tangent kernel of a wide network is deterministic.

In the NTK parametrisation, as the width n grows,

.. math:: \Theta_n(x, x') = \langle\nabla_\theta f(x), \nabla_\theta f(x')\rangle
          \longrightarrow \Theta(x, x'),

the kernel of the recursion, with fluctuations of order :math:`n^{-1/2}` over the draw of the
parameters.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 58; Perez Jensen (2025), Deep
    Learning, Section 9; Jacot, Gabriel and Hongler (2018), "Neural tangent kernel: convergence and
    generalization in neural networks", Theorem 1.
:kind: rate
:cost: instant
:covers: ntk-convergence-theorem, ntk-recursion
:erratum: [wrong] Perez Jensen draws weights of size sigma_w/sqrt(m) with no factor in the network
    and says that the initial kernel converges. It grows linearly with the width (two-layer ReLU,
    one input: 53, 442, 4957 at m = 100, 1e3, 1e4); the factor must stand in the network.
    [notation] Whether variance or standard deviation is meant is left open. [typo] "theta_t
    converges uniformly to k_inf" should be k[theta_t].
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.kernels._rate_figure import rate_figure
from corollary.core import Claim, Figure, Hypothesis, Series, generator, option, slope
from corollary.theory.kernels.recursion import ntk_kernel


class Given(NamedTuple):
    """Inputs, a seed for the networks, and where the factor 1/sqrt(fan-in) stands."""

    x: Float[Tensor, "k d"]
    seed: int
    factor: Literal["network", "weights"]


class NtkConvergence(Claim[Given]):
    widths: tuple[int, ...] = (64, 128, 256, 512, 1024)  # of the hidden layer
    d: int = option(5, low=1, high=50)  # input dimension
    draws: int = option(100, low=10, high=1000)  # networks at each width
    relation = slope(gap=0.15)  # 100 networks leave 0.04 in the fitted slope

    def given(self, rng: Generator) -> Given:
        """Three Gaussian inputs."""
        x = torch.randn(3, self.d, generator=rng, dtype=torch.float64)
        return Given(x, int(torch.randint(2**40, (), generator=rng)), "network")

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The parametrisation."""
        yield Hypothesis(
            "the factor 1/sqrt(fan-in) stands in the network", given.factor == "network"
        )

    def predict(self, given: Given) -> float:
        """The exponent of a mean of n terms."""
        return -0.5

    def measure(self, given: Given) -> Series:
        """Distances at each width."""
        return Series(self.widths, _distances(given, self.widths, self.draws))

    def counterexample(self, rng: Generator) -> Given:
        """Small weights and no factor: the kernel grows with the width."""
        return self.given(rng)._replace(factor="weights")

    def figure(self, given: Given) -> Figure:
        """The decay."""
        return rate_figure(
            "Empirical tangent kernel tends to its limit", self.widths,
            _distances(given, self.widths, self.draws), -0.5, "width n", "|Θₙ - Θ|",
        )  # fmt: skip


def _distances(given: Given, widths: tuple[int, ...], draws: int) -> list[float]:
    limit = ntk_kernel(given.x, 2).ntk
    found = []
    for n in widths:
        rng = generator(given.seed, "networks", n)
        k = _tangent_kernels(given.x, n, draws, given.factor, rng)
        found.append(float(((k - limit) ** 2).mean().sqrt()))
    return found


def _tangent_kernels(x: Tensor, n: int, draws: int, factor: str, rng: Generator) -> Tensor:
    r"""Of ``draws`` networks :math:`\sqrt{2/n}\,v^\top(\sqrt{2/d}\,Wx)_+`, by the chain rule."""
    d = x.shape[1]
    w = torch.randn(draws, n, d, generator=rng, dtype=x.dtype)
    v = torch.randn(draws, n, generator=rng, dtype=x.dtype)
    h = (2 / d) ** 0.5 * x @ w.mT  # (draws, points, n)
    outer, inner = h.relu(), (h > 0) * v[:, None]
    if factor == "network":
        return 2 / n * (outer @ outer.mT + 2 / d * (x @ x.T) * (inner @ inner.mT))
    small = (2 / n) ** 0.5 * inner  # the same function with the factors moved into the weights
    return outer @ outer.mT + (x @ x.T) * (small @ small.mT)
