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
:uses: ntk_constancy, kernel_flow, kernel_interpolation
:covers: ntk-kernel-regression-solution
:scale-free: Regression to the end does not depend on the scale of its kernel.
:erratum: [wrong] The notes print the limit as k(x)ᵀK⁻¹(y - f) without the initial value f_0(x),
    although the residual y - f is taken against it: as printed it interpolates only networks with
    f_0 = 0. The counterexample measures it: the distance stays near 1 at every width.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.kernels._two_layers import Networks
from corollary.core import Claim, Over, Series, Suppose, normal, option, slope, uniform
from corollary.theory.kernels.learning import KernelFlow
from corollary.theory.kernels.two_layer import ntk_relu_two_layer

STEP, STEPS = 0.1, 100
AT = torch.tensor([[0.3, 0.9], [-0.8, 0.6], [0.5, -0.5]], dtype=torch.float64)


class Given(NamedTuple):
    x: Float[Tensor, "n 2"]  # inputs
    y: Float[Tensor, " n"]  # targets
    offset: float  # the share of f_0(x) in the prediction


class NtkRegression(Claim[Given]):
    widths: tuple[int, ...] = (32, 64, 128, 256, 512)  # widths of the hidden layer
    draws: int = option(96, low=2, high=1000)  # networks at the largest width; more at others

    relation = slope(gap=0.2, side=-1)  # an upper bound; the draws leave 0.1 in the slope
    supposes = Suppose(
        "the prediction starts at the network's own initial value",
        lambda g: (g.offset == 1, f"{g.offset:g} of f₀(x) is added"),
        "Without f₀(x), as in the notes, the formula differs from the networks at any width.",
        offset=0.0,
    )
    symbols = "n^(−1/2)", "distance at new inputs"
    predicts = -0.5
    shows = Over("Trained networks tend to kernel regression", x="width n")

    def given(self, rng: Generator) -> Given:
        angle = torch.tensor([0.2, 2.1, 4.4], dtype=torch.float64) + 0.3 * uniform(rng, 3)
        return Given(torch.stack([angle.cos(), angle.sin()], 1), normal(rng, 3).sign(), 1.0)

    def measure(self, given: Given, rng: Generator) -> Series:
        x, y, offset = given
        theta, cross = ntk_relu_two_layer(x), ntk_relu_two_layer(AT, x)

        def distance(n: int) -> float:
            draws = self.draws * max(self.widths) // n  # the same work at each width
            nets = Networks.drawn(draws, n, 2, 0.5, rng)
            start, start_at = nets(x).T, nets(AT).T  # (points, draws)
            for _ in range(STEPS):
                nets = nets.step(x, y - nets(x), STEP)
            flow = KernelFlow(theta, y[:, None].expand_as(start), start)
            limit = flow.at(cross, STEP * STEPS, offset * start_at)
            return float((nets(AT).T - limit).square().mean().sqrt())

        return Series(self.widths, [distance(n) for n in self.widths])
