r"""Benign overfitting.

Weights in the proportion :math:`\|x-x_i\|^{-d}` (Nadaraya and Watson with a singular kernel) give a
predictor that passes through every noisy label and still tends to the target. On a line with n
equispaced nodes its excess risk is of order :math:`1/\ln n`: near a node, at a share
:math:`t\lesssim1/\ln n` of the way to the next, it follows the noise, and everywhere else it
averages,

.. math:: \int_0^1\frac{dt}{(1+2t\ln n)^2}\approx\frac1{2\ln n}\quad\text{on either side.}

Benign, but slow: the exponent of the excess risk in :math:`\ln n` is at most about -1.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.3, Figure 13.3; Devroye, Györfi and
    Krzyżak (1998), "The Hilbert kernel regression estimate"; Belkin, Rakhlin and Tsybakov (2019),
    "Does data interpolation contradict statistical optimality?". The rate is ours, by the integral.
:kind: rate
:covers: overfitting-taxonomy
"""

import math
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, Trial, normal, option, slope
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.theory.double_descent.interpolators import singular_kernel_weights


class Given(NamedTuple):
    a: float  # power of the kernel
    noise: Tensor  # for a picture


class BenignOverfitting(Claim[Given]):
    sizes: tuple[int, ...] = option((32, 256, 2048, 16_384, 65_536), low=16)  # nodes
    sigma: float = option(0.5, low=0.1, high=2.0)  # standard deviation of the noise
    points: int = option(60, low=40, high=10_000)  # test points, in layers over a cell

    relation = slope(gap=0.24, side=-1, coarse="the bias falls faster than 1/ln n")  # in ln n
    supposes = Suppose(
        "the kernel is |x − x′|^(−d), d the dimension",
        lambda g: g.a == 1,
        "A more singular kernel uses only the nearest nodes, so its risk does not fall.",
        a=3.0,
    )
    symbols = "1/ln n", "excess risk"
    predicts = -1.0
    shows = Over("The excess risk falls like 1/ln n", x="ln n")

    def given(self, rng: Generator) -> Given:
        return Given(1.0, normal(rng, 40))

    def measure(self, given: Given, rng: Generator) -> Series:
        values = [self._excess(given, n, rng) for n in self.sizes]
        return Series([math.log(n) for n in self.sizes], values)

    @picture("Spikes through noisy points", x="x", y="f(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        nodes = _nodes(40)
        y = _target(nodes) + self.sigma * trial.given.noise
        x = torch.cat([torch.linspace(0, 1, 481, dtype=torch.float64), nodes]).sort().values
        yield Curve(_target(x), x, label="target", role="other")
        yield Curve(_weights(nodes, x, trial.given.a) @ y, x, label="interpolator")
        yield Points(nodes, y, label="labels", role="other")

    def _excess(self, given: Given, n: int, rng: Generator) -> float:
        """Mean over x of squared bias plus noise; x spread evenly over cells and shares of a cell.

        Shares are squares of even numbers, with the weight that makes up for it: half of the
        points lie near a node, where the predictor changes fast.
        """
        nodes = _nodes(n)
        u = (torch.arange(self.points, dtype=torch.float64) + 0.5) / self.points
        share = u**2 / 2  # from a node to the middle of the cell
        cell = torch.randint(n // 8, n - n // 8, (self.points,), generator=rng)
        x = nodes[cell] + share * (nodes[1] - nodes[0])
        s = _weights(nodes, x, given.a)
        bias = (s @ _target(nodes) - _target(x)).square()
        risk = bias + self.sigma**2 * s.square().sum(dim=1)
        return float((risk * 2 * u).mean())  # density of the share is 1/u


def _nodes(n: int) -> Tensor:
    return (torch.arange(n, dtype=torch.float64) + 0.5) / n


def _weights(nodes: Tensor, x: Tensor, a: float) -> Tensor:
    return singular_kernel_weights(nodes[:, None], x[:, None], a)


def _target(x: Tensor) -> Tensor:
    return torch.sin(2 * math.pi * x)
