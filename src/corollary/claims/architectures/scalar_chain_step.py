r"""The output after a gradient step on a chain of weights is a polynomial in η.

For :math:`y=x\prod_lw_l` and a gradient step on all L weights at once,

.. math:: y_{\text{new}}=x\prod_{l=1}^L\Big(w_l-\eta\,\ell'(y)\,x\prod_{k\ne l}w_k\Big)
   =\sum_{j=0}^Lc_j\eta^j,

of degree L. With :math:`x=\ell'=w_l=1` it is :math:`(1-\eta)^L`, and what the linear part
:math:`c_0+c_1\eta` leaves out begins with :math:`\binom L2\eta^2`: it grows like :math:`L^2`.
Measured are outputs after steps of torch's SGD.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.3.1.
:kind: identity
:covers: deep-scalar-product-network
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Suppose, Trial, equals, near, option, uniform
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.theory.architectures.scalar_chain import chain_update

Step = Callable[[Tensor, float, float], Tensor]  # weights, input and step size to new weights


def together(w: Tensor, x: float, eta: float) -> Tensor:
    """All weights make a step of torch's SGD at once."""
    weights = nn.Parameter(w.clone())
    (x * weights.prod()).backward()
    torch.optim.SGD([weights], lr=eta).step()
    return weights.detach()


def one_by_one(w: Tensor, x: float, eta: float) -> Tensor:
    """One weight after the other, each with the gradient at the moment."""
    for j in range(len(w)):
        step = together(w, x, eta)
        w = torch.cat([w[:j], step[j : j + 1], w[j + 1 :]])
    return w


class Given(NamedTuple):
    w: Float[Tensor, " L"]  # weights
    x: float  # input
    etas: tuple[float, ...]  # step sizes
    step: Step  # what makes a step


def uses_old_weights(given: Given) -> tuple[bool, str]:
    """Whether a step of 1 on weights 1, 2, 3 with input 1 subtracts the products 6, 3, 2."""
    w = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    return near(w - given.step(w, 1.0, 1.0), torch.tensor([6.0, 3.0, 2.0]))


class ScalarChain(Claim[Given]):
    L: int = option(12, low=2, high=60)  # weights of the chain

    relation = equals(ulps=2**12, scale=1.0)  # L products, and a sum of 2^L terms that cancel
    supposes = Suppose(
        "all weights step at once",
        uses_old_weights,
        "If the weights step one after the other, each with its current gradient, the output "
        "differs.",
        step=lambda g: one_by_one,
    )
    symbols = "Σ cⱼ ηʲ", "output after the step"
    rows = "η = {etas}"

    def given(self, rng: Generator) -> Given:
        return Given(0.8 + 0.4 * uniform(rng, self.L), 1.2, (0.01, 0.05, 0.1, 0.2), together)

    def predict(self, given: Given) -> list[float]:
        c = chain_update(given.w, given.x, 0.0).coefficients
        return [float((c * eta ** torch.arange(len(c)).double()).sum()) for eta in given.etas]

    def measure(self, given: Given) -> list[float]:
        w, x, etas, step = given
        return [float(x * step(w, x, eta).prod()) for eta in etas]

    @picture("One gradient step on a chain", x="step size η", y="output after the step")
    def marks(self, trial: Trial[Given]) -> Marks:
        w, x, etas, _ = trial.given
        grid = torch.linspace(0, max(etas), 60, dtype=torch.float64)
        c = chain_update(w, x, 0.0).coefficients
        yield Curve(grid[:, None] ** torch.arange(len(c)) @ c, grid, "Σ cⱼ ηʲ", "predicted")
        yield Curve(c[0] + c[1] * grid, grid, label="c₀ + c₁ η", role="other", dashed=True)
        yield Points(etas, trial.measured, label=f"torch's SGD on {len(w)} weights")
