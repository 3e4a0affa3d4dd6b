r"""Feature learning: a finite network beats its tangent kernel on a single-index model.

When the target depends on one direction only, :math:`y = g(u^\top x)`, a network of finite width
turns its first layer towards u, and its error from n samples falls below that of regression with
the tangent kernel of infinite width, whose features are fixed before it sees the data:

.. math:: \mathrm{err}(\text{trained network}) \le \min_\lambda\mathrm{err}(\text{kernel ridge}).

During training the tangent kernel aligns with the target. For a target without such a direction,
as a function of :math:`\|x\|` alone, the kernel is the better learner.

:source: Lucchi (2025), Foundations of Deep Learning, Figure 7.4; Lee et al. (2020), "Finite versus
    infinite neural networks: an empirical study" (on CIFAR-10 the best accuracy is at finite width
    for every architecture they compare); Damian, Lee and Soltanolkotabi (2022), "Neural networks
    can learn representations with gradient descent".
:kind: experiment
:cost: seconds
:uses: ntk_regression
:covers: finite-vs-infinite-width
:loose: The claim says which of the two learns better, but not by how much.
:scale-free: Alignment, and regression at the best ridge, do not depend on the scale of a kernel.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional as F
from torch.optim import Adam

from corollary.core import Along, Claim, Sample, Suppose, at_most, near, normal, option
from corollary.models.mlp import MLP
from corollary.theory.kernels.empirical import empirical_ntk, target_alignment
from corollary.theory.kernels.learning import cholesky
from corollary.theory.kernels.two_layer import ntk_relu_two_layer
from corollary.train import fit

RIDGES = (1e-6, 1e-2, 1e-1, 1.0, 10.0)


class Given(NamedTuple):
    x: Float[Tensor, "r n d"]  # inputs of each run, for training and for a test
    u: Float[Tensor, " d"]  # a direction
    target: Callable[[Tensor, Tensor], Tensor]


def single_index(x: Tensor, u: Tensor) -> Tensor:
    """A quadratic of one coordinate."""
    return ((x @ u) ** 2 - 1) / 2**0.5


def radial(x: Tensor, u: Tensor) -> Tensor:
    """A function of the length."""
    out: Tensor = x.norm(dim=-1) - x.shape[-1] ** 0.5
    return out


class FiniteBeatsKernel(Claim[Given]):
    d: int = option(20, low=2, high=100)  # dimension
    n: int = option(250, low=10, high=2000)  # training inputs
    width: int = option(128, low=1, high=1024)  # hidden units of the network
    steps: int = option(300, low=1, high=10_000)  # updates by Adam
    runs: int = option(8, low=2, high=50)  # data sets, with a network each

    relation = at_most(level=0.95)
    supposes = Suppose(
        "the target depends on one direction",
        lambda g: near(g.target((g.x @ g.u)[..., None] * g.u, g.u), g.target(g.x, g.u)),
        "If the target depends on the length of the input, the kernel learns better.",
        target=lambda g: radial,
    )
    symbols = "0", "logarithm of the ratio"
    predicts = [0.0, 0.0]
    rows = "error of the network / of its kernel", "alignment before / after training"
    shows = Along(
        "Network and tangent kernel: errors and alignment", x="mean over runs", y="log ratio"
    )

    def given(self, rng: Generator) -> Given:
        u = normal(rng, self.d)
        return Given(normal(rng, self.runs, self.n + 1000, self.d), u / u.norm(), single_index)

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        runs = [self.run(x, given.target(x, given.u), rng) for x in given.x]
        return [Sample(column) for column in zip(*runs, strict=True)]

    def run(self, x: Tensor, y: Tensor, rng: Generator) -> tuple[float, float]:
        """Both ratios for one data set."""
        n, net = self.n, MLP([self.d, self.width, 1], rng=rng)
        for p, scale in zip(net.parameters(), (0.3, 0.0, 0.06, 0.0), strict=True):
            p.data *= scale  # small: features move
        before = target_alignment(empirical_ntk(net, x[:n]), y[:n])
        adam = Adam(net.parameters(), lr=1e-2)
        fit(net, (x[:n], y[:n, None]), F.mse_loss, adam, steps=self.steps)
        error = (net(x[n:]).detach()[:, 0] - y[n:]).square().mean()
        after = target_alignment(empirical_ntk(net, x[:n]), y[:n])
        return float((error / self.kernel_error(x, y)).log()), math.log(before / after)

    def kernel_error(self, x: Tensor, y: Tensor) -> Tensor:
        """Of ridge regression with the kernel of infinite width, at the best ridge."""
        n, wide = self.n, torch.cat([x, torch.ones_like(x[:, :1])], 1)  # a constant as bias
        k, cross = ntk_relu_two_layer(wide[:n]), ntk_relu_two_layer(wide[n:], wide[:n])
        solved = torch.stack([cholesky(k, ridge=r).solve(y[:n]) for r in RIDGES], 1)
        return (cross @ solved - y[n:, None]).square().mean(0).min()
