r"""Wide networks train like their linearisation.

In the NTK parametrisation, with gradient flow (or a small step) on the squared loss,

.. math:: \sup_t|f(x, \theta_t) - f_{lin}(x, \theta^{lin}_t)| = O(n^{-1/2})

in the width n of the hidden layers, both started at the same :math:`\theta_0`. In the mean-field
scaling (1/n in the output, time scaled up by n) the gap does not vanish.

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.3; Lee et al. (2019), "Wide neural
    networks of any depth evolve as linear models under gradient descent", Theorem 2.1.
:kind: rate
:cost: seconds
:uses: linearization_order, ntk_constancy
:covers: linearization-error-width
:erratum: [wrong] The notes quote the rate as O(1/sqrt(P)) in the number P of parameters; the cited
    theorem is O(1/sqrt(n)) in the width. With two or more hidden layers P ~ n², so the printed rate
    would be O(1/n), which that theorem does not prove. Measured with two hidden layers of 32 to 512
    units: the gap falls like n^-0.75, that is P^-0.38, more slowly than the printed P^-1/2.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.kernels._two_layers import Networks
from corollary.core import Claim, Over, Series, Suppose, normal, option, slope, uniform

STEP, STEPS = 0.05, 120
AT = torch.tensor([[0.3, 0.9], [-0.8, 0.6]], dtype=torch.float64)


class Given(NamedTuple):
    x: Float[Tensor, "k 2"]  # inputs on the circle
    y: Float[Tensor, " k"]  # targets of size 1
    alpha: float  # the output is divided by n^alpha


class LinearizationWidth(Claim[Given]):
    widths: tuple[int, ...] = (32, 64, 128, 256, 512)  # widths of the hidden layers
    draws: int = option(48, low=2, high=500)  # networks at the largest width; more at others
    hidden: int = option(1, low=1, high=3)  # hidden layers

    relation = slope(
        gap=0.15, side=-1, coarse="at these widths the gap falls faster than its upper bound"
    )  # the draws leave 0.1 in the slope
    supposes = Suppose(
        "the output is divided by the root of the width",
        lambda g: (g.alpha == 0.5, f"divided by n^{g.alpha:g}"),
        "With mean-field scaling, the gap does not shrink with the width.",
        alpha=1.0,
    )
    symbols = "n^(−1/2)", "largest |f − f_lin|"
    predicts = -0.5
    shows = Over("Network against linearisation in training", x="width n")

    def given(self, rng: Generator) -> Given:
        angle = torch.tensor([0.4, 1.8, 3.3, 4.9], dtype=torch.float64) + 0.2 * uniform(rng, 4)
        return Given(torch.stack([angle.cos(), angle.sin()], 1), normal(rng, 4).sign(), 0.5)

    def measure(self, given: Given, rng: Generator) -> Series:
        return Series(self.widths, [self.gap(given, n, rng) for n in self.widths])

    def gap(self, given: Given, n: int, rng: Generator) -> float:
        """The largest gap over time at new inputs, median over networks."""
        x, y, alpha = given
        draws = self.draws * max(self.widths) // n  # the same work at each width
        nets = Networks.drawn(draws, n, 2, alpha, rng, self.hidden)
        h = STEP * n ** (2 * alpha - 1)  # one unit of time moves outputs alike at any scaling
        k, cross = nets.tangent(x, x), nets.tangent(AT, x)
        linear, at, widest = nets(x), nets(AT), x.new_zeros(draws)
        for _ in range(STEPS):
            widest = widest.maximum((nets(AT) - at).abs().amax(1))
            rest = (y - linear)[..., None]
            linear, at = linear + h * (k @ rest)[..., 0], at + h * (cross @ rest)[..., 0]
            nets = nets.step(x, y - nets(x), h)
        return float(widest.median())
