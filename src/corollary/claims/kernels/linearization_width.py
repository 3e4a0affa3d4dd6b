r"""Wide networks train like their linearisation.

In the NTK parametrisation, with gradient flow (or a small step) on the squared loss,

.. math:: \sup_t|f(x, \theta_t) - f_{lin}(x, \theta^{lin}_t)| = O(n^{-1/2})

in the width n of the hidden layers, both started at the same :math:`\theta_0`. In the mean-field
scaling (1/n in the output, time scaled up by n) the gap does not vanish.

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.3; Lee et al. (2019), "Wide neural
    networks of any depth evolve as linear models under gradient descent", Theorem 2.1.
:kind: rate
:cost: seconds
:covers: linearization-error-width
:erratum: [wrong] The notes quote the rate as O(1/sqrt(P)) in the number P of parameters; the cited
    theorem is O(1/sqrt(n)) in the width. With two or more hidden layers P ~ n², so the printed rate
    would be O(1/n), which that theorem does not prove.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator

from corollary.claims.kernels._rate_figure import rate_figure
from corollary.claims.kernels._two_layers import Networks
from corollary.core import (
    Band,
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Series,
    generator,
    option,
    slope,
)

STEP, STEPS = 0.05, 120
AT = torch.tensor([[0.3, 0.9], [-0.8, 0.6]], dtype=torch.float64)


class Given(NamedTuple):
    """Data as tuples, a seed, and the power of the width in the output."""

    x: tuple[tuple[float, ...], ...]
    y: tuple[float, ...]
    seed: int
    alpha: float


class LinearizationWidth(Claim[Given]):
    widths: tuple[int, ...] = (32, 64, 128, 256, 512)  # of the hidden layer
    draws: int = option(48, low=2, high=500)  # networks at the largest width, more at others
    relation = slope(gap=0.15, side=-1)  # an upper bound; the draws leave 0.1 in the slope

    def given(self, rng: Generator) -> Given:
        """Four inputs on the circle, targets of size 1."""
        angle = torch.tensor([0.4, 1.8, 3.3, 4.9], dtype=torch.float64)
        angle = angle + 0.2 * torch.rand(4, generator=rng, dtype=torch.float64)
        x = torch.stack([angle.cos(), angle.sin()], 1)
        y = torch.randn(4, generator=rng, dtype=torch.float64).sign()
        seed = int(torch.randint(2**40, (), generator=rng))
        return Given(tuple(map(tuple, x.tolist())), tuple(y.tolist()), seed, 0.5)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The scaling."""
        yield Hypothesis(
            "the output is divided by the root of the width", given.alpha == 0.5,
            f"divided by n^{given.alpha:g}",
        )  # fmt: skip

    def predict(self, given: Given) -> float:
        """The exponent."""
        return -0.5

    def measure(self, given: Given) -> Series:
        """The largest gap over time, median over networks."""
        return Series(self.widths, [_typical_gap(given, n, self._draws(n)) for n in self.widths])

    def counterexample(self, rng: Generator) -> Given:
        """Mean-field scaling."""
        return self.given(rng)._replace(alpha=1.0)

    def _draws(self, n: int) -> int:
        return self.draws * max(self.widths) // n  # the same work at each width

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The gap over the width, and one output over time."""
        values = self.measure(given).values
        gap = "largest |f - f_lin|"
        rate = rate_figure("Network against linearisation in training", self.widths, values, -0.5,
                           "width n", gap)  # fmt: skip
        time = [STEP * k for k in range(STEPS)][::4]
        marks = []
        for n in (self.widths[0], self.widths[-1]):
            real, linear = _paths(given, n, self._draws(n))
            apart = (real - linear)[::4, :, 0]
            low, high = apart.quantile(0.1, 1), apart.quantile(0.9, 1)
            label = f"middle 80 %, n = {n}"
            marks.append(Band(time, low.tolist(), high.tolist(), label=label))
            marks.append(Curve(apart.mean(1).tolist(), x=time, label=f"mean, n = {n}",
                               role="measured"))  # fmt: skip
        paths = Figure("Gap over training time", x="t", y="f - f_lin", marks=tuple(marks))
        return rate, paths


@lru_cache(maxsize=16)
def _paths(given: Given, n: int, draws: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Outputs at the new inputs over time, (steps, draws, 2): network and linearisation."""
    x, y = (torch.tensor(t, dtype=torch.float64) for t in given[:2])
    rng = generator(given.seed, "networks", n)
    nets = Networks.drawn(draws, n, 2, given.alpha, rng)
    h = STEP * n ** (2 * given.alpha - 1)  # one unit of time moves outputs alike at any scaling
    k, cross = nets.tangent(x, x), nets.tangent(AT, x)
    linear, at, real, flat = nets(x), nets(AT), [], []
    for _ in range(STEPS):
        real.append(nets(AT))
        flat.append(at)
        rest = (y - linear)[..., None]
        linear, at = linear + h * (k @ rest)[..., 0], at + h * (cross @ rest)[..., 0]
        nets = nets.step(x, y - nets(x), h)
    return torch.stack(real), torch.stack(flat)


def _typical_gap(given: Given, n: int, draws: int) -> float:
    real, linear = _paths(given, n, draws)
    return float((real - linear).abs().amax((0, 2)).median())
