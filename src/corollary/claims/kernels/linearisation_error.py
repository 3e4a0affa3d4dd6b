r"""Wide networks are nearly linear in their weights.

With outer weights :math:`\pm1/\sqrt m` and a :math:`\beta`-smooth activation, a shallow network is
close to its linearisation :math:`f_0` at :math:`W_0`:

.. math:: |f(W) - f_0(W)| \le \frac{\beta}{2\sqrt m}\,\|W - W_0\|_F^2\,\|x\|^2 .

:math:`\beta` is :math:`4/(3\sqrt3)` for tanh, :math:`1/(6\sqrt3)` for the sigmoid and 1/4 for
softplus. ReLU has a kink, and no such constant: near it the error is of first order.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 2 c-d, (6.49).
:kind: bound
:cost: instant
:covers: linearisation-error
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.kernels.shallow import SMOOTHNESS, linearisation_bound, linearise

SIGMAS = {
    "tanh": torch.tanh, "sigmoid": torch.sigmoid, "softplus": functional.softplus,
    "relu": torch.relu,
}  # fmt: skip
# Where |σ''| is largest: there the bound is nearly attained.
BENT = {"tanh": 0.6584789485, "sigmoid": 1.3169578969, "softplus": 0.0, "relu": 0.0}


class Given(NamedTuple):
    """Activations, an input, and the signs of the outer weights."""

    sigmas: tuple[str, ...]
    x: Float[Tensor, " d"]
    signs: Float[Tensor, " m"]
    distance: float  # |W - W_0|


class LinearisationError(Claim[Given]):
    m: int = option(100, low=1, high=100_000)  # hidden units
    d: int = option(5, low=1, high=1000)  # inputs
    distance: float = option(1.0, low=1e-3, high=10.0)  # Frobenius distance of the weights
    relation = at_most(ulps=2**20)  # differences of outputs of order 10, to 1e-10

    def given(self, rng: Generator) -> Given:
        """An input of length 1 and random signs."""
        x = torch.randn(self.d, generator=rng, dtype=torch.float64)
        signs = torch.randn(self.m, generator=rng, dtype=torch.float64).sign()
        return Given(("tanh", "sigmoid", "softplus"), x / x.norm(), signs, self.distance)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Smoothness."""
        yield Hypothesis(
            "the activations have a bounded second derivative",
            all(s in SMOOTHNESS for s in given.sigmas), ", ".join(given.sigmas),
        )  # fmt: skip

    def predict(self, given: Given) -> list[float]:
        """The bound; for an activation without a constant, that of softplus."""
        m, length = len(given.signs), float(given.x.norm())
        betas = [SMOOTHNESS.get(s, SMOOTHNESS["softplus"]) for s in given.sigmas]
        return [linearisation_bound(beta, m, given.distance, length) for beta in betas]

    def measure(self, given: Given) -> list[float]:
        """Errors with every unit moved along x, outwards where its sign is positive."""
        return [_error(s, given.x, given.signs, given.distance) for s in given.sigmas]

    def counterexample(self, rng: Generator) -> Given:
        """ReLU units at their kink, moved by little."""
        return self.given(rng)._replace(sigmas=("relu",), distance=0.5)

    def figure(self, given: Given) -> Figure:
        """The error over the width."""
        widths, marks = [10, 30, 100, 300, 1000, 3000], []
        for s in given.sigmas:
            beta = SMOOTHNESS.get(s, SMOOTHNESS["softplus"])
            bounds = [linearisation_bound(beta, m, given.distance, 1.0) for m in widths]
            errors = [
                _error(s, given.x, torch.ones(m, dtype=torch.float64), given.distance)
                for m in widths
            ]
            marks += [Curve(bounds, x=widths, label=f"bound, {s}", role="predicted")]
            marks += [Points(widths, errors, label=f"error, {s}")]
        return Figure(
            "Error of the linearisation", x="width m", y="|f(W) - f₀(W)|",
            marks=tuple(marks), log_x=True, log_y=True,
        )  # fmt: skip


def _error(
    sigma: str, x: Float[Tensor, " d"], signs: Float[Tensor, " m"], distance: float
) -> float:
    m = len(signs)
    a, unit = signs / m**0.5, x / x.norm()
    w0 = (BENT[sigma] * unit / x.norm()).repeat(m, 1)
    # Units with negative outer weights sit where the curvature is negative: errors add up.
    if sigma in ("tanh", "sigmoid"):
        w0 = w0 * signs[:, None]
    else:
        a = a.abs()
    w = w0 + distance / m**0.5 * unit
    f0 = linearise(w0, a, x, SIGMAS[sigma])
    return abs(float(SIGMAS[sigma](w @ x) @ a - f0(w)))
