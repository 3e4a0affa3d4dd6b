r"""The Gram matrix of a two-layer ReLU network.

For :math:`f(x) = \frac1{\sqrt m}\sum_r a_r(w_r^\top x)_+` with signs :math:`a_r = \pm1` and only
the first layer trained,

.. math:: \langle\nabla f(x_i), \nabla f(x_j)\rangle = H_{ij}
          = x_i^\top x_j\,\frac1m\sum_r 1\{w_r^\top x_i > 0,\ w_r^\top x_j > 0\},

and under gradient flow on the squared loss :math:`\dot u = H(t)(y - u)`.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 7, Exercise 1 a-c; Du, Zhai, Poczos
    and Singh (2019), "Gradient descent provably optimizes over-parameterized neural networks".
:kind: identity
:cost: instant
:covers: ntk-two-layer-gram
:erratum: [notation] Exercise 1c has >= in the indicator where the hinted derivative of ReLU is 0
    at 0; they differ on ties only, which have probability zero at initialisation.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.utils import skip_init

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.kernels.empirical import empirical_ntk
from corollary.theory.kernels.shallow import two_layer_gram


class Given(NamedTuple):
    """Weights, inputs, and whether the second layer is trained too."""

    w: Float[Tensor, "m d"]
    a: Float[Tensor, " m"]
    x: Float[Tensor, "n d"]
    both: bool


class TwoLayerGram(Claim[Given]):
    m: int = option(50, low=1, high=5000)  # hidden units
    n: int = option(5, low=2, high=100)  # inputs
    d: int = option(3, low=1, high=100)  # dimension
    relation = equals(ulps=2**12, scale=1.0)  # sums of 50 products of order 1

    def given(self, rng: Generator) -> Given:
        """Inputs of length 1, Gaussian weights."""
        x = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        w = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64)
        a = torch.randn(self.m, generator=rng, dtype=torch.float64).sign()
        return Given(w, a, x / x.norm(dim=1, keepdim=True), False)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """What is trained, and no ties."""
        yield Hypothesis("only the first layer is trained", not given.both)
        ties = bool((given.x @ given.w.T == 0).any())
        yield Hypothesis("no unit is exactly at its kink", not ties)

    def predict(self, given: Given) -> list[float]:
        """H, row by row."""
        return two_layer_gram(given.w, given.x).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """Products of gradients."""
        return empirical_ntk(_network(given), given.x).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Both layers trained: the second adds the products of features."""
        return self.given(rng)._replace(both=True)

    def figure(self, given: Given) -> Figure:
        """Entries over the inner product of the inputs, with the limit of infinite width."""
        u = (given.x @ given.x.T).flatten()
        order = u.argsort()
        line = torch.linspace(-1, 1, 101, dtype=torch.float64)
        limit = line * (torch.pi - line.acos()) / (2 * torch.pi)
        found = torch.tensor(self.measure(given))[order].tolist()
        formula = torch.tensor(self.predict(given))[order].tolist()
        return Figure(
            "Gram matrix of a two-layer ReLU network",
            x="⟨x_i, x_j⟩",
            y="H_ij",
            marks=(
                Curve(limit.tolist(), x=line.tolist(), label="infinite width", role="other"),
                Points(u[order].tolist(), formula, label="formula", role="predicted"),
                Points(u[order].tolist(), found, label="products of gradients"),
            ),
        )


def _network(given: Given) -> nn.Module:
    m, d = given.w.shape
    first = skip_init(nn.Linear, d, m, bias=False, dtype=torch.float64)
    last = skip_init(nn.Linear, m, 1, bias=False, dtype=torch.float64)
    with torch.no_grad():
        first.weight.copy_(given.w)
        last.weight.copy_(given.a[None] / m**0.5)
    last.weight.requires_grad_(given.both)
    return nn.Sequential(first, nn.ReLU(), last)
