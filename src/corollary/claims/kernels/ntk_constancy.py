r"""The tangent kernel of a wide network stays nearly constant during training.

Trained by gradient flow on the squared loss, a network of width n in the NTK parametrisation keeps
its tangent kernel up to a drift that vanishes with the width,

.. math:: \frac{\|\Theta_t - \Theta_0\|}{\|\Theta_0\|} = O(n^{-1/2}),

so that in the limit :math:`\dot f = -\Theta(x, X)(f(X) - y)`, a linear equation. In the mean-field
scaling (1/n in the output, time scaled up by n) features move and the drift does not vanish.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 58; Jacot, Gabriel and Hongler (2018),
    "Neural tangent kernel: convergence and generalization in neural networks", Theorem 2; Lee et
    al. (2019), "Wide neural networks of any depth evolve as linear models under gradient descent".
:kind: rate
:cost: seconds
:uses: ntk_convergence, functional_flow
:covers: ntk-convergence-theorem
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.kernels._two_layers import Networks
from corollary.core import Claim, Over, Series, Suppose, normal, option, slope

STEP, STEPS = 0.025, 200


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # inputs
    y: Float[Tensor, " n"]  # targets
    alpha: float  # the output is divided by n^alpha


class NtkConstancy(Claim[Given]):
    widths: tuple[int, ...] = (64, 128, 256, 512, 1024)  # widths of the hidden layer
    n: int = option(6, low=2, high=20)  # training inputs
    draws: int = option(24, low=2, high=100)  # networks at each width

    relation = slope(
        gap=0.15, side=-1, coarse="at these widths the drift falls faster than its upper bound"
    )  # 24 networks leave 0.06 in the slope
    supposes = Suppose(
        "the output is divided by the root of the width",
        lambda g: (g.alpha == 0.5, f"divided by n^{g.alpha:g}"),
        "With mean-field scaling, the features change at any width.",
        alpha=1.0,
    )
    symbols = "n^(−1/2)", "|Θₜ − Θ₀| / |Θ₀|"
    predicts = -0.5
    shows = Over("Relative change of the tangent kernel in training", x="width n")

    def given(self, rng: Generator) -> Given:
        x = normal(rng, self.n, 3)
        return Given(x / x.norm(dim=1, keepdim=True), normal(rng, self.n).sign(), 0.5)

    def measure(self, given: Given, rng: Generator) -> Series:
        x, y, alpha = given

        def drift(n: int) -> float:
            nets = Networks.drawn(self.draws, n, 3, alpha, rng)
            before = nets.tangent(x, x)
            for _ in range(STEPS):  # in time scaled by n^(2 alpha - 1) outputs move alike
                nets = nets.step(x, y - nets(x), STEP * n ** (2 * alpha - 1))
            moved = (nets.tangent(x, x) - before).norm(dim=(1, 2))
            return float((moved / before.norm(dim=(1, 2))).mean())

        return Series(self.widths, [drift(n) for n in self.widths])
