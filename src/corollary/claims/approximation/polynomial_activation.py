r"""A polynomial activation is not universal.

If :math:`\sigma` is a polynomial of degree k, a network of any width with one hidden layer is a
polynomial of degree at most k in x, so by Chebyshev's theorem

.. math:: \Bigl\|x^{k+1}-\sum_ia_i\,\sigma(w_ix+b_i)\Bigr\|_{\infty,[-1,1]}\ge2^{-k}

and equality is reached as soon as the units span all polynomials of degree k.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.4, Remark 2; Perez Jensen (2025),
    Deep Learning, Section 2.4; Chebyshev (1854).
:kind: bound
:uses: units_add_up
:covers: polynomial-activation-not-universal
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, at_least, normal, option
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.models.approximators.shallow import random_units
from corollary.theory.approximation.distance import best_uniform
from corollary.theory.approximation.nonvanishing import polynomial_degree


class Given(NamedTuple):
    sigma: Callable[[Tensor], Tensor]  # activation
    w: Float[Tensor, "m 1"]  # units for every width
    b: Float[Tensor, " m"]  # their biases


class PolynomialActivation(Claim[Given]):
    k: int = option(3, low=1, high=8)  # degree of the activation
    m: int = option(200, low=20, high=1000)  # largest width

    relation = at_least(ulps=2**24)  # directions below 1e-12 of the span are rounding and dropped
    supposes = Suppose(
        "the activation is a polynomial of degree at most k",
        lambda self, g: polynomial_degree(g.sigma, self.k, reach=2.0) is not None,
        "The same network with hyperbolic tangents gets arbitrarily close.",
        sigma=lambda _: torch.tanh,
    )
    symbols = "2⁻ᵏ", "best ‖G − xᵏ⁺¹‖∞"
    rows = ("m/10 units", "m/3 units", "m units")

    def given(self, rng: Generator) -> Given:
        c = normal(rng, self.k)
        units = random_units(self.m, 1, 2.0, low=-1.0, high=1.0, rng=rng)
        powers = torch.arange(self.k)
        return Given(lambda z: z**self.k + z[..., None].pow(powers) @ c, *units)

    def predict(self, given: Given) -> list[float]:
        return [2.0**-self.k] * 3

    def measure(self, given: Given) -> Kept:
        n = (self.k + 1) * max(2, 160 // (self.k + 1))  # has the extrema of Chebyshev's polynomial
        x = torch.cos(math.pi * torch.arange(n + 1, dtype=torch.float64) / n)
        hidden, y, errors = given.sigma(x[:, None] @ given.w.T + given.b), x ** (self.k + 1), []
        for m in (self.m // 10, self.m // 3, self.m):
            U, s, _ = torch.linalg.svd(hidden[:, :m], full_matrices=False)
            span = U[:, s > 1e-12 * s[0]]
            fit = best_uniform(span, y)
            errors.append(fit.error)
        return Kept(errors, x=x, off=span @ fit.coefficients - y)

    @picture(
        "{m} units of degree {k} cannot represent the next power of x", x="x", y="G(x) − x^(k+1)"
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        yield Curve(trial.kept.off, trial.kept.x, label="error of the best network")
        yield Level(trial.predicted[0], label="+2⁻ᵏ")
        yield Level(-trial.predicted[0], label="−2⁻ᵏ")
