r"""Linear targets have a small complexity under the two-layer kernel.

For unit inputs and :math:`y = X\beta`, because :math:`H^\infty \succeq \frac14XX^\top` and
:math:`\mathrm{tr}H^\infty = n/2`,

.. math:: \frac1n\sqrt{2\,y^\top(H^\infty)^{-1}y\;\mathrm{tr}H^\infty} \;\le\;
          \frac{2\|\beta\|}{\sqrt n},

whether or not there are more inputs than dimensions.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 7, Exercise 2b; Arora et al. (2019),
    "Fine-grained analysis of optimization and generalization for overparameterized two-layer
    neural networks", Corollary 6.2.
:kind: bound
:uses: h_infinity_series
:covers: ntk-linear-target-bound
:erratum: [missing hypothesis] The exercise inverts K = XX^T without defining it; that needs n <= d
    (n = 30, d = 10: rank 10). The bound holds for n > d too, with the pseudo-inverse; the default
    here has n = 40, d = 10. [typo] X(XX^T)^{-1}X^T does not multiply for X of size n x d.
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Sweep, at_most, near, normal, option
from corollary.theory.kernels.two_layer import linear_target_bound, ntk_complexity


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # inputs
    y: Float[Tensor, " n"]  # targets
    beta: Float[Tensor, " d"]  # the linear map


class LinearTargets(Claim[Given]):
    n: int = option(40, low=1, high=500)  # inputs
    d: int = option(10, low=2, high=100)  # dimension

    relation = at_most(ulps=2**12)  # a Cholesky solve at condition number up to 1e3
    supposes = (
        Suppose("the inputs have length 1", lambda g: near(g.x.norm(dim=1), 1.0)),
        Suppose(
            "the targets are linear in the inputs",
            lambda g: near(g.y, g.x @ g.beta),
            "Random targets of the same size, which are not linear, have a far larger complexity.",
            y=lambda g: g.beta.norm() * (g.x @ g.beta.roll(1) * 1e4).sin().sign(),
        ),
    )
    symbols = "2‖β‖/√n", "√(2 yᵀH⁻¹y tr H)/n"
    shows = Sweep(
        "Complexity of linear targets", "n", (5, 10, 20, 40, 80), y="complexity", log="xy"
    )

    def given(self, rng: Generator) -> Given:
        x, beta = normal(rng, self.n, self.d), normal(rng, self.d)
        x = x / x.norm(dim=1, keepdim=True)
        return Given(x, x @ beta, beta)

    def predict(self, given: Given) -> float:
        return linear_target_bound(given.beta, len(given.y))

    def measure(self, given: Given) -> float:
        return ntk_complexity(given.x, given.y)
