r"""A smooth function that is not a polynomial has a point where no derivative vanishes.

If :math:`\sigma\in C^\infty(a,b)` is not a polynomial there, some :math:`x_0\in(a,b)` has
:math:`\sigma^{(k)}(x_0)\ne0` for all :math:`k=0,1,2,\dots` A search on a grid, with the
derivatives up to order K, finds a point with

.. math:: \min_{k\le K}\frac{|\sigma^{(k)}(x_0)|}{\max_{(a,b)}|\sigma^{(k)}|}\ge\tau>0 .

For a polynomial of degree q the derivative of order q + 1 vanishes everywhere.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.4, Lemma 20; Donoghue (1969),
    Distributions and Fourier Transforms; Pinkus (1999).
:kind: theorem
:covers: nonvanishing-derivatives
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, at_least, option, uniform
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.theory.approximation.nonvanishing import (
    find_nonvanishing_point,
    jets,
    polynomial_degree,
)


class Given(NamedTuple):
    sigmas: tuple[Callable[[Tensor], Tensor], ...]  # activations
    interval: tuple[float, float]  # to look at


class NonvanishingDerivatives(Claim[Given]):
    k_max: int = option(6, low=1, high=8)  # largest order
    tau: float = option(0.2, low=1e-3, high=0.25)  # smallest share that every order must keep

    relation = at_least()  # shares of a third and more: no rounding matters
    supposes = Suppose(
        "no activation is a polynomial on the interval",
        lambda self, g: all(polynomial_degree(s, self.k_max) is None for s in g.sigmas),
        "The fourth derivative of a cubic vanishes everywhere.",
        sigmas=(lambda z: z**3,) * 4,
    )
    symbols = "τ", "smallest |σ⁽ᵏ⁾(x₀)| / max |σ⁽ᵏ⁾|"
    rows = ("sigmoid", "tanh", "sin", "exp")

    def given(self, rng: Generator) -> Given:
        low = -1.2 + 0.4 * float(uniform(rng, 1))
        return Given((torch.sigmoid, torch.tanh, torch.sin, torch.exp), (low, low + 2.0))

    def predict(self, given: Given) -> list[float]:
        return [self.tau] * len(given.sigmas)

    def measure(self, given: Given) -> Kept:
        found = [find_nonvanishing_point(s, given.interval, self.k_max) for s in given.sigmas]
        shares = [0.0 if p.point is None else float(p.shares.min()) for p in found]
        return Kept(shares, point=found[0].point)

    @picture(
        "Derivatives of the sigmoid, and a point where none vanishes", x="x", y="σ⁽ᵏ⁾(x) / max"
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        x = torch.linspace(*trial.given.interval, 201, dtype=torch.float64)
        rows = jets(torch.sigmoid, x, self.k_max)
        rows = rows / rows.abs().amax(1, keepdim=True)
        for k, row in enumerate(rows):
            yield Curve(row, x, label=f"k = {k}", role="other")
        yield Level(0.0, label="zero")
        yield Level(trial.kept.point, label="x₀", role="measured", axis="x")
