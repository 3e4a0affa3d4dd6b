r"""Training an infinitely wide network is kernel regression.

Under gradient flow on the squared loss a network in the NTK parametrisation tends, as its width n
grows, to

.. math:: f_t(x) = f_0(x) + \Theta(x, X)\Theta^{-1}(I - e^{-\Theta t})(y - f_0(X)),

:math:`\Theta` the tangent kernel of infinite width, and with t to
:math:`f_0(x) + \Theta(x, X)\Theta^{-1}(y - f_0(X))`. The distance shrinks like :math:`n^{-1/2}`,
as the kernel's fluctuations do.

:source: Perez Jensen (2025), Deep Learning, Section 9; Lucchi (2025), Foundations of Deep Learning,
    Section 7.3; Lee et al. (2019), "Wide neural networks of any depth evolve as linear models
    under gradient descent".
:kind: limit
:cost: seconds
:covers: ntk-kernel-regression-solution
:erratum: [wrong] The notes print the limit as k(x)ᵀK⁻¹(y - f) without the initial value f_0(x),
    although the residual y - f is taken against it: as printed it interpolates only networks with
    f_0 = 0. The counterexample measures it: the distance stays near 1 at every width.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator

from corollary.claims.kernels._rate_figure import rate_figure
from corollary.claims.kernels._two_layers import Networks
from corollary.core import Claim, Figure, Hypothesis, Series, generator, option, slope
from corollary.theory.kernels.learning import KernelFlow
from corollary.theory.kernels.two_layer import ntk_relu_two_layer

STEP, STEPS = 0.1, 100
AT = torch.tensor([[0.3, 0.9], [-0.8, 0.6], [0.5, -0.5]], dtype=torch.float64)


class Given(NamedTuple):
    """Data as tuples, a seed, and whether the prediction starts where the network does."""

    x: tuple[tuple[float, ...], ...]
    y: tuple[float, ...]
    seed: int
    offset: bool


class NtkRegression(Claim[Given]):
    widths: tuple[int, ...] = (32, 64, 128, 256, 512)  # of the hidden layer
    draws: int = option(96, low=2, high=1000)  # networks at the largest width, more at others
    relation = slope(gap=0.15, side=-1)  # an upper bound; the draws leave 0.1 in the slope

    def given(self, rng: Generator) -> Given:
        """Three inputs on the circle, targets of size 1."""
        angle = torch.tensor([0.2, 2.1, 4.4], dtype=torch.float64)
        angle = angle + 0.3 * torch.rand(3, generator=rng, dtype=torch.float64)
        x = torch.stack([angle.cos(), angle.sin()], 1)
        y = torch.randn(3, generator=rng, dtype=torch.float64).sign()
        seed = int(torch.randint(2**40, (), generator=rng))
        return Given(tuple(map(tuple, x.tolist())), tuple(y.tolist()), seed, True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The offset."""
        yield Hypothesis("the prediction starts at the network's own initial value", given.offset)

    def predict(self, given: Given) -> float:
        """The exponent."""
        return -0.5

    def measure(self, given: Given) -> Series:
        """Distances at each width."""
        return Series(self.widths, [_distance(given, n, self._draws(n)) for n in self.widths])

    def _draws(self, n: int) -> int:
        return self.draws * max(self.widths) // n  # the same work at each width

    def counterexample(self, rng: Generator) -> Given:
        """The formula as printed, without f_0(x)."""
        return self.given(rng)._replace(offset=False)

    def figure(self, given: Given) -> Figure:
        """Distance over width."""
        values = self.measure(given).values
        return rate_figure(
            "Trained networks tend to kernel regression", self.widths, values, -0.5, "width n",
            "distance at new inputs",
        )  # fmt: skip


@lru_cache(maxsize=16)
def _distance(given: Given, n: int, draws: int) -> float:
    x, y = (torch.tensor(t, dtype=torch.float64) for t in given[:2])
    nets = Networks.drawn(draws, n, 2, 0.5, generator(given.seed, "networks", n))
    start, start_at = nets(x).T, nets(AT).T  # (points, draws)
    for _ in range(STEPS):
        nets = nets.step(x, y - nets(x), STEP)
    theta, cross = ntk_relu_two_layer(x), ntk_relu_two_layer(AT, x)
    flow = KernelFlow(theta, y[:, None].expand_as(start), start)
    limit = flow.at(cross, STEP * STEPS, start_at if given.offset else 0.0)
    return float((nets(AT).T - limit).square().mean().sqrt())
