r"""Networks with one hidden layer are the span of their units.

.. math:: \mathcal{G}_{n,m}=\{v^\top\sigma(Wx+b)\},\qquad\bigcup_m\mathcal{G}_{n,m}
   =\mathrm{span}\{\sigma(w^\top x+b)\}

A linear combination of two networks with m units is a network with 2m units: put the hidden layers
side by side. So the union over all widths is a linear space, which no single width is.

:source: Perez Jensen (2025), Deep Learning, Section 2.4.
:kind: identity
:covers: mlp-function-class
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.models.approximators.shallow import Superposition, joined


class Given(NamedTuple):
    F: Superposition  # two networks
    G: Superposition
    c: tuple[float, float]  # weights of the sum
    u: Float[Tensor, " n"]  # line of inputs
    t: Float[Tensor, " k"]  # places on it


class UnitsAddUp(Claim[Given]):
    n: int = option(4, low=1, high=100)  # inputs
    m: int = option(8, low=1, high=200)  # units of each network

    relation = equals(ulps=2**10, scale=1.0)  # rounding of a sum of 2m terms, in another order
    supposes = Suppose(
        "both networks have the same activation",
        lambda g: torch.equal(g.F.sigma(g.t), g.G.sigma(g.t)),
        "The second network has ReLU units, which are not sums of hyperbolic tangents.",
        G=lambda g: Superposition(torch.relu, g.G.w, g.G.b, g.G.a),
    )
    symbols = "sum of two networks, and 2m", "joined network, and its units"
    shows = Along("The sum of two networks is a network", x="x, along a line", y="value", at="t")

    def given(self, rng: Generator) -> Given:
        def network() -> Superposition:
            w = normal(rng, self.m, self.n)
            b, v = normal(rng, 2, self.m)
            return Superposition(torch.tanh, w, b, v / self.m**0.5)

        u = normal(rng, self.n)
        c = normal(rng, 2).tolist()
        t = torch.linspace(-3, 3, 41, dtype=torch.float64)
        return Given(network(), network(), (c[0], c[1]), u / u.norm(), t)

    def predict(self, given: Given) -> list[float]:
        x = given.t[:, None] * given.u
        return [*(given.c[0] * given.F(x) + given.c[1] * given.G(x)).tolist(), 2 * self.m]

    def measure(self, given: Given) -> list[float]:
        second = Superposition(given.F.sigma, given.G.w, given.G.b, given.G.a)
        both = joined([given.F, second], given.c)
        return [*both(given.t[:, None] * given.u).tolist(), both.units]
