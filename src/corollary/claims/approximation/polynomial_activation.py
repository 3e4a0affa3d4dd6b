r"""A polynomial activation is not universal.

If :math:`\sigma` is a polynomial of degree k, a network of any width with one hidden layer is a
polynomial of degree at most k in x, so by Chebyshev's theorem

.. math:: \Bigl\|x^{k+1}-\sum_ia_i\,\sigma(w_ix+b_i)\Bigr\|_{\infty,[-1,1]}\ge2^{-k}

and equality is reached as soon as the units span all polynomials of degree k.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.4, Remark 2; Perez Jensen (2025),
    Deep Learning, Section 2.4; Chebyshev (1854).
:kind: bound
:cost: instant
:covers: polynomial-activation-not-universal
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, at_least, option
from corollary.models.approximators.shallow import random_units
from corollary.theory.approximation.distance import best_uniform
from corollary.theory.approximation.nonvanishing import polynomial_degree


class Given(NamedTuple):
    """An activation, and units for every width."""

    sigma: Callable[[Tensor], Tensor]
    w: Float[Tensor, "m 1"]
    b: Float[Tensor, " m"]


@dataclass(frozen=True)
class PolynomialActivation(Claim[Given]):
    """The best uniform error for x^(k+1) at three widths."""

    k: int = option(3, low=1, high=8)  # degree of the activation
    m: int = option(200, low=20, high=1000)  # largest width
    relation = at_least(ulps=2**24)  # directions below 1e-12 of the span are rounding and dropped

    def given(self, rng: Generator) -> Given:
        """A drawn polynomial and random units."""
        c = torch.randn(self.k, generator=rng, dtype=torch.float64)
        units = random_units(self.m, 1, 2.0, low=-1.0, high=1.0, rng=rng)
        powers = torch.arange(self.k)

        def sigma(z: Tensor) -> Tensor:
            return z**self.k + z[..., None].pow(powers) @ c

        return Given(sigma, *units)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A polynomial of degree k."""
        degree = polynomial_degree(given.sigma, self.k, reach=2.0)
        yield Hypothesis("the activation is a polynomial of degree at most k", degree is not None)

    def predict(self, given: Given) -> list[float]:
        """Chebyshev's floor."""
        return [2.0**-self.k] * 3

    def measure(self, given: Given) -> list[float]:
        """The best network with these units, by linear programming."""
        return [float((fitted - target).abs().max()) for fitted, target in _fits(self, given)]

    def counterexample(self, rng: Generator) -> Given:
        """The same units with tanh."""
        return self.given(rng)._replace(sigma=torch.tanh)

    def figure(self, given: Given) -> Figure:
        """The error of the widest network, which alternates between plus and minus the floor."""
        x = _points(self.k)
        fitted, target = _fits(self, given)[-1]
        order = torch.argsort(x)
        floor = 2.0**-self.k
        return Figure(
            f"{self.m} units of degree {self.k} cannot make x^{self.k + 1}",
            x="x",
            y=f"G(x) − x^{self.k + 1}",
            marks=(
                Curve((fitted - target)[order], x[order], label="error of the best network"),
                Level(floor, label="+2⁻ᵏ"),
                Level(-floor, label="−2⁻ᵏ"),
            ),
        )


def _points(k: int) -> Tensor:
    """A Chebyshev grid that contains the extrema of the Chebyshev polynomial of degree k + 1."""
    n = (k + 1) * max(2, 160 // (k + 1))
    return torch.cos(math.pi * torch.arange(n + 1, dtype=torch.float64) / n)


def _fits(claim: PolynomialActivation, given: Given) -> list[tuple[Tensor, Tensor]]:
    x = _points(claim.k)
    y = x ** (claim.k + 1)
    hidden = given.sigma(x[:, None] @ given.w.T + given.b)
    out = []
    for m in (claim.m // 10, claim.m // 3, claim.m):
        U, s, _ = torch.linalg.svd(hidden[:, :m], full_matrices=False)
        span = U[:, s > 1e-12 * s[0]]
        out.append((span @ best_uniform(span, y).coefficients, y))
    return out
