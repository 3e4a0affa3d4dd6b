r"""Linear targets are easy for the two-layer kernel.

For unit inputs and :math:`y = X\beta`, because :math:`H^\infty \succeq \frac14XX^\top` and
:math:`\mathrm{tr}H^\infty = n/2`,

.. math:: \frac1n\sqrt{2\,y^\top(H^\infty)^{-1}y\;\mathrm{tr}H^\infty} \;\le\;
          \frac{2\|\beta\|}{\sqrt n},

whether or not there are more inputs than dimensions.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 7, Exercise 2b; Arora et al. (2019),
    "Fine-grained analysis of optimization and generalization for overparameterized two-layer
    neural networks", Corollary 6.2.
:kind: bound
:cost: instant
:covers: ntk-linear-target-bound
:erratum: [missing hypothesis] The exercise inverts K = XX^T without defining it; that needs n <= d
    (n = 30, d = 10: rank 10). The bound holds for n > d too, with the pseudo-inverse; the default
    here has n = 40, d = 10. [typo] X(XX^T)^{-1}X^T does not multiply for X of size n x d.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.kernels.two_layer import linear_target_bound, ntk_complexity


class Given(NamedTuple):
    """Inputs, targets, and the linear map."""

    x: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    beta: Float[Tensor, " d"]


class LinearTargets(Claim[Given]):
    n: int = option(40, low=1, high=500)  # inputs
    d: int = option(10, low=2, high=100)  # dimension
    relation = at_most(ulps=2**12)  # a Cholesky solve at condition number up to 1e3

    def given(self, rng: Generator) -> Given:
        """Random directions, Gaussian beta."""
        x = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        x = x / x.norm(dim=1, keepdim=True)
        beta = torch.randn(self.d, generator=rng, dtype=torch.float64)
        return Given(x, x @ beta, beta)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Unit inputs, linear targets."""
        x, y, beta = given
        yield Hypothesis("the inputs have length 1", bool(((x.norm(dim=1) - 1).abs() < 1e-9).all()))
        off = float((y - x @ beta).abs().max())
        yield Hypothesis("the targets are linear in the inputs", off < 1e-9, f"off by {off:.2g}")

    def predict(self, given: Given) -> float:
        """The bound."""
        return linear_target_bound(given.beta, len(given.y))

    def measure(self, given: Given) -> float:
        """The complexity."""
        return ntk_complexity(given.x, given.y)

    def counterexample(self, rng: Generator) -> Given:
        """Random signs of the same size are far more complex."""
        x, y, beta = self.given(rng)
        noise = torch.randn(len(y), generator=rng, dtype=torch.float64).sign()
        return Given(x, noise * float(beta.norm()), beta)

    def figure(self, given: Given) -> Figure:
        """Both sides as inputs are added."""
        counts = sorted({max(1, self.n * k // 8) for k in range(1, 9)})
        cut = [Given(given.x[:n], given.y[:n], given.beta) for n in counts]
        return Figure(
            "Complexity of linear targets",
            x="n",
            y="complexity",
            log_x=True,
            log_y=True,
            marks=(
                Curve([self.predict(g) for g in cut], x=counts, label="2‖β‖/√n", role="predicted"),
                Points(counts, [self.measure(g) for g in cut], label="√(2 yᵀH⁻¹y tr H)/n"),
            ),
        )
