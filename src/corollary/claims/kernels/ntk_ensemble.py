r"""Mean and variance of an ensemble of trained wide networks.

Wide networks trained from independent starts are Gaussian at every input, with

.. math:: \text{mean } Ay, \qquad
          \text{variance } \Sigma(x, x) + A\Sigma(X, X)A^\top - 2A\Sigma(X, x),

:math:`A = \Theta(x, X)\Theta^{-1}(I - e^{-\Theta t})`, :math:`\Theta` the tangent kernel and
:math:`\Sigma` the covariance at the start. The spread vanishes at the data as training ends.

:source: Lucchi (2025), Foundations of Deep Learning, Figure 7.3; Lee et al. (2019), "Wide neural
    networks of any depth evolve as linear models under gradient descent", Equations 14-16.
:kind: experiment
:cost: seconds
:uses: ntk_regression, random_feature_final, nngp_limit
:covers: ntk-ensemble-figure
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.kernels._two_layers import Networks
from corollary.core import Claim, Kept, Sample, Suppose, Trial, normal, option, within_interval
from corollary.core.picture import Band, Curve, Marks, Points, picture
from corollary.theory.kernels.infinite import Dense, Relu, network
from corollary.theory.kernels.learning import wide_ensemble

STEP, STEPS = 0.05, 240
LINE = 0.15 * torch.arange(-15, 16, dtype=torch.float64)
CHECKED = [3, 10, 20, 27]  # places of the line
DATA = torch.tensor([-1.5, 0.0, 1.5], dtype=torch.float64)


class Given(NamedTuple):
    y: Float[Tensor, " n"]  # targets
    alpha: float  # the output is divided by width^alpha


def inputs(t: Tensor) -> Float[Tensor, "p 2"]:
    """Points with a constant coordinate, which serves as bias."""
    return torch.stack([t, torch.ones_like(t)], 1)


def law(y: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance at the line."""
    net = network(Dense(2**0.5), Relu(), Dense(2**0.5))  # the first factor undoes 1/sqrt(d)
    limit = wide_ensemble(net, inputs(DATA), y, inputs(LINE), t=STEP * STEPS)
    return limit.mean, limit.covariance.diagonal()


class NtkEnsemble(Claim[Given]):
    width: int = option(512, low=8, high=4096)  # hidden units
    draws: int = option(300, low=20, high=5000)  # networks

    relation = within_interval(
        level=0.999,
        resolution=0.5,
        coarse="some means are near zero, where a quarter of the mean is too small a tolerance",
    )  # squares of spread 1, 300 draws
    supposes = Suppose(
        "the output is divided by the root of the width",
        lambda g: (g.alpha == 0.5, f"divided by n^{g.alpha:g}"),
        "With mean-field scaling, the initial spread vanishes, and so does its part of the final "
        "one.",
        alpha=1.0,
    )
    symbols = "kernel regression", "mean over networks"
    rows = tuple(f"E[{s}], x = {float(LINE[k]):.2g}" for s in ("f", "f²") for k in CHECKED)

    def given(self, rng: Generator) -> Given:
        return Given(normal(rng, len(DATA)).sign(), 0.5)

    def predict(self, given: Given) -> Tensor:
        mean, variance = law(given.y)
        return torch.cat([mean[CHECKED], (mean.square() + variance)[CHECKED]])

    def measure(self, given: Given, rng: Generator) -> Kept:
        x, nets = inputs(DATA), Networks.drawn(self.draws, self.width, 2, given.alpha, rng)
        h = STEP * self.width ** (2 * given.alpha - 1)
        for _ in range(STEPS):
            nets = nets.step(x, given.y - nets(x), h)
        f = nets(inputs(LINE))
        at = f[:, CHECKED]
        return Kept([Sample(column) for column in (*at.T, *at.square().T)], f=f)

    @picture("An ensemble of trained networks", x="x", y="f(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        mean, variance = law(trial.given.y)
        two, f = 2 * variance.clamp(min=0).sqrt(), trial.kept.f
        yield Band(LINE, mean - two, mean + two, label="mean ± 2 std, theory", role="predicted")
        yield Curve(mean, x=LINE, label="Θ(x, X)Θ⁻¹y", role="predicted")
        yield Curve(f.mean(0), x=LINE, label=f"mean of {self.draws} networks")
        yield Points(DATA, trial.given.y, label="data", role="other")
        for k in range(4):
            yield Curve(f[k], x=LINE, label=f"network {k + 1}", role="other")
