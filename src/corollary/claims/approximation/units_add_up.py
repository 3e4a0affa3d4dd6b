r"""Networks with one hidden layer are the span of their units.

.. math:: \mathcal{G}_{n,m}=\{v^\top\sigma(Wx+b)\},\qquad\bigcup_m\mathcal{G}_{n,m}
   =\mathrm{span}\{\sigma(w^\top x+b)\}

A linear combination of two networks with m units is a network with 2m units: put the hidden layers
side by side. So the union over all widths is a linear space, which no single width is.

:source: Perez Jensen (2025), Deep Learning, Section 2.4.
:kind: identity
:cost: instant
:covers: mlp-function-class
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.approximators.shallow import Superposition, joined


class Given(NamedTuple):
    """Two networks with their activations, weights of the sum, and points."""

    F: Superposition
    G: Superposition
    sigma: Callable[[Tensor], Tensor]  # of G
    c: tuple[float, float]
    x: Float[Tensor, "k n"]


@dataclass(frozen=True)
class UnitsAddUp(Claim[Given]):
    """The joined network against the sum of values, and its width."""

    n: int = option(4, low=1, high=100)  # inputs
    m: int = option(8, low=1, high=200)  # units of each network
    relation = equals(ulps=2**10, scale=1.0)  # rounding of a sum of 2m terms, in another order

    def given(self, rng: Generator) -> Given:
        """Gaussian weights and hyperbolic tangents."""

        def network() -> Superposition:
            w = torch.randn(self.m, self.n, generator=rng, dtype=torch.float64)
            b, v = torch.randn(2, self.m, generator=rng, dtype=torch.float64)
            return Superposition(torch.tanh, w, b, v / self.m**0.5)

        x = torch.randn(40, self.n, generator=rng, dtype=torch.float64)
        c = torch.randn(2, generator=rng, dtype=torch.float64).tolist()
        return Given(network(), network(), torch.tanh, (c[0], c[1]), x)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """One activation."""
        yield Hypothesis("both networks have the same activation", given.sigma is given.F.sigma)

    def predict(self, given: Given) -> list[float]:
        """The combination of values, and 2m."""
        return [*_combined(given, given.x).tolist(), 2.0 * self.m]

    def measure(self, given: Given) -> list[float]:
        """One network."""
        both = joined([given.F, given.G], given.c)
        return [*both(given.x).tolist(), float(both.units)]

    def counterexample(self, rng: Generator) -> Given:
        """A second network of rectifiers."""
        return self.given(rng)._replace(sigma=torch.relu)

    def figure(self, given: Given) -> Figure:
        """Along a line."""
        t = torch.linspace(-3, 3, 121, dtype=torch.float64)
        x = t[:, None] * given.x[:1] / given.x[:1].norm()
        both = joined([given.F, given.G], given.c)
        first, second = given.c[0] * given.F(x).detach(), given.c[1] * given.G(x).detach()
        return Figure(
            f"Two networks of width {self.m} make one of width {both.units}",
            x="x, along a line",
            y="value",
            marks=(
                Curve(first, t, label="first network", role="other"),
                Curve(second, t, label="second network", role="other", dashed=True),
                Curve(_combined(given, x), t, label="their sum", role="predicted"),
                Points(t[::4], both(x).detach()[::4], label="joined network"),
            ),
        )


def _combined(given: Given, x: Tensor) -> Tensor:
    second = Superposition(given.sigma, given.G.w, given.G.b, given.G.a)
    return (given.c[0] * given.F(x) + given.c[1] * second(x)).detach()
