r"""A step on a chain of weights is a polynomial in η.

For :math:`y=x\prod_lw_l` and a gradient step on all L weights at once,

.. math:: y_{\text{new}}=x\prod_{l=1}^L\Big(w_l-\eta\,\ell'(y)\,x\prod_{k\ne l}w_k\Big)
   =\sum_{j=0}^Lc_j\eta^j,

of degree L. With :math:`x=\ell'=w_l=1` it is :math:`(1-\eta)^L`, and what the linear part
:math:`c_0+c_1\eta` leaves out begins with :math:`\binom L2\eta^2`: it grows like :math:`L^2`.
Measured are outputs after steps of torch's SGD.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.3.1.
:kind: identity
:cost: instant
:covers: deep-scalar-product-network
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.architectures.scalar_chain import chain_update


class Given(NamedTuple):
    """Weights, an input, step sizes, and whether all weights step at once."""

    w: Float[Tensor, " L"]
    x: float
    etas: tuple[float, ...]
    together: bool


@dataclass(frozen=True)
class ScalarChain(Claim[Given]):
    """The output after a step on the loss y, by the expansion and by torch."""

    L: int = option(12, low=2, high=60)  # weights of the chain
    relation = equals(ulps=2**12, scale=1.0)  # L products, and a sum of 2^L terms that cancel

    def given(self, rng: Generator) -> Given:
        """Weights near 1 in size."""
        w = 0.8 + 0.4 * torch.rand(self.L, generator=rng, dtype=torch.float64)
        return Given(w, 1.2, (0.01, 0.05, 0.1, 0.2), True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """How the step is made."""
        yield Hypothesis("all weights step at once", given.together)

    def predict(self, given: Given) -> list[float]:
        """The polynomial."""
        c = chain_update(given.w, given.x, 0.0).coefficients
        j = torch.arange(len(c), dtype=torch.float64)
        return [float((c * eta**j).sum()) for eta in given.etas]

    def measure(self, given: Given) -> list[float]:
        """The product of the weights after the step."""
        return [_after_step(given, eta) for eta in given.etas]

    def counterexample(self, rng: Generator) -> Given:
        """One weight after the other, each with the gradient at the moment."""
        return self.given(rng)._replace(together=False)

    def figure(self, given: Given) -> Figure:
        """The output against eta, with the first-order line."""
        grid = torch.linspace(0, max(given.etas), 60, dtype=torch.float64)
        c = chain_update(given.w, given.x, 0.0).coefficients
        powers = grid[:, None] ** torch.arange(len(c))
        return Figure(
            f"One gradient step on a chain of {len(given.w)} weights",
            x="step size η",
            y="output after the step",
            marks=(
                Curve(powers @ c, x=grid, label="Σ cⱼ ηʲ", role="predicted"),
                Curve(c[0] + c[1] * grid, x=grid, label="c₀ + c₁ η", role="other", dashed=True),
                Points(given.etas, self.measure(given), label="torch's SGD"),
            ),
        )


def _after_step(given: Given, eta: float) -> float:
    w = [nn.Parameter(v.clone()) for v in given.w]
    for group in [w] if given.together else [[v] for v in w]:
        optimizer = torch.optim.SGD(group, lr=eta)
        (given.x * torch.stack(list(w)).prod()).backward()
        optimizer.step()
        for v in w:
            v.grad = None
    return float(given.x * torch.stack(list(w)).detach().prod())
