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
:uses: nngp_limit, backpropagation_recursion
:covers: ntk-convergence-theorem, ntk-recursion
:erratum: [wrong] Perez Jensen draws weights of size sigma_w/sqrt(m) with no factor in the network
    and says that the initial kernel converges. It grows linearly with the width (two-layer ReLU,
    one input: 53, 442, 4957 at m = 100, 1e3, 1e4); the factor must stand in the network.
    [notation] Whether variance or standard deviation is meant is left open. [typo] "theta_t
    converges uniformly to k_inf" should be k[theta_t].
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, normal, option, slope
from corollary.theory.kernels.recursion import ntk_kernel


class Given(NamedTuple):
    x: Float[Tensor, "k d"]  # inputs
    factor: float  # the network divides by fan-in to this power, the weights by the rest of 1/2


class NtkConvergence(Claim[Given]):
    widths: tuple[int, ...] = (64, 128, 256, 512, 1024)  # widths of the hidden layer
    d: int = option(5, low=1, high=50)  # input dimension
    draws: int = option(300, low=10, high=1000)  # networks at each width

    relation = slope(gap=0.15)  # 300 networks leave 0.025 in the fitted slope
    supposes = Suppose(
        "the network contains the factor 1/√(fan-in)",
        lambda g: (g.factor == 0.5, f"divided by the fan-in to the power {g.factor:g}"),
        "With small weights and no factor in the network, the kernel grows with the width.",
        factor=0.0,
    )
    symbols = "n^(−1/2)", "|Θₙ − Θ|"
    predicts = -0.5
    shows = Over("Empirical tangent kernel tends to its limit", x="width n")

    def given(self, rng: Generator) -> Given:
        return Given(normal(rng, 3, self.d), 0.5)

    def measure(self, given: Given, rng: Generator) -> Series:
        limit = ntk_kernel(given.x, 2).ntk
        assert limit is not None

        def distance(n: int) -> float:
            return float((self.kernels(given, n, rng) - limit).square().mean().sqrt())

        return Series(self.widths, [distance(n) for n in self.widths])

    def kernels(self, given: Given, n: int, rng: Generator) -> Float[Tensor, "draws k k"]:
        r"""Of networks :math:`\sqrt{2/n}\,v^\top(\sqrt{2/d}\,Wx)_+`, by the chain rule."""
        x, c = given
        h = (2 / self.d) ** 0.5 * x @ normal(rng, self.draws, n, self.d).mT
        v = n ** (c - 0.5) * normal(rng, self.draws, 1, n)
        outer, inner = h.relu(), (h > 0) * v
        first = 2 / self.d ** (2 * c) * (x @ x.T) * (inner @ inner.mT)
        out: Tensor = 2 / n ** (2 * c) * (outer @ outer.mT + first)
        return out
