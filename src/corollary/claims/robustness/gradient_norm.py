r"""Input gradients of random networks do not shrink with the dimension.

For :math:`f(x)=k^{-1/2}\sum_ja_j\sigma(\langle w_j,x\rangle)`, :math:`w_j\sim\mathcal N(0,I/d)`,
one fixed x and :math:`0<\gamma<2/e`, with probability at least :math:`1-\gamma`

.. math:: \|\nabla f(x)\|\ \ge\ \Bigl(1-5\sqrt{\log(2/\gamma)/d}\Bigr)
   \sqrt{\tfrac1k\textstyle\sum_j\sigma'(\langle w_j,x\rangle)^2},

because, given the :math:`\langle w_j,x\rangle`, the part of the gradient orthogonal to x is
:math:`\mathcal N(0,I_{d-1}/d)` times that root. Measured: what the ratio of both sides' free
factors stays above in a share :math:`1-\gamma` of the draws, at 99 % confidence, for several d.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.2, Proposition 79; Bubeck,
    Cherapanamjeri, Gidel and Tachet des Combes (2021), "A single gradient step finds adversarial
    examples on random two-layers neural networks".
:kind: bound
:uses: gradient_square, bernstein_sum, chi_square, slope_moments
:covers: gradient-norm-lower-bound
:erratum: [typo] The norm of y in R^{d-1} is written as a sum over i = 1..d; it has d - 1 terms.
    'For any x' is for each fixed x, not for all at once.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_least, option
from corollary.models.random_two_layer import RandomTwoLayer, on_sphere
from corollary.theory.generalization.deviations import upper_quantile
from corollary.theory.prerequisites.lipschitz import batch_gradient
from corollary.theory.robustness.single_step import gradient_norm_bound


class Given(NamedTuple):
    ratios: list[Float[Tensor, " t"]]  # gradient lengths over the root of the mean squared slope
    weight_variances: list[float]  # times d, for each dimension


class GradientNorm(Claim[Given]):
    dims: tuple[int, ...] = (100, 300, 1000)  # dimensions
    k: int = option(30, low=1, high=1000)  # hidden units
    gamma: float = option(0.1, low=0.01, high=0.7)  # probability of failure
    draws: int = option(150, low=100, high=5000)  # networks

    relation = at_least()  # an order statistic is compared as it is
    supposes = Suppose(
        "the weights have variance 1/d",
        lambda g: 0.1 - max(abs(v - 1) for v in g.weight_variances),
        "If the weights are ten times smaller, the gradient is ten times shorter.",
        lambda self, rng: self.drawn(rng, 0.1),
    )
    symbols = "1 − 5√(log(2/γ)/d)", "γ quantile of ‖∇f‖ / √(mean σ′²)"
    rows = "d = {dims}"
    shows = Along("Input gradients keep their length in any dimension", x="d", at="dims", log="x")

    def given(self, rng: Generator) -> Given:
        return self.drawn(rng, 1.0)

    def drawn(self, rng: Generator, scale: float) -> Given:
        """ReLU networks at points of the sphere."""
        ratios, variances = [], []
        for d in self.dims:
            x = on_sphere(self.draws, d, rng=rng)
            net = RandomTwoLayer(d, self.k, t=self.draws, rng=rng)
            with torch.no_grad():
                net.w.mul_(scale)
                variances.append(float(net.w.square().mean()) * d)
                root = net.phi.derivative(net.preactivations(x)).square().mean(dim=1).sqrt()
            keep = root > 0  # a unit or more is active in all but 2^-k of the draws
            ratios.append((batch_gradient(net, x).norm(dim=1) / root)[keep])
        return Given(ratios, variances)

    def predict(self, given: Given) -> list[float]:
        one = torch.ones(1, dtype=torch.float64)
        return [float(gradient_norm_bound(one, d, self.gamma)) for d in self.dims]

    def measure(self, given: Given) -> list[float]:
        return [-upper_quantile(-r, self.gamma) for r in given.ratios]
