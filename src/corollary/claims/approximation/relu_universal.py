r"""Shallow ReLU networks are universal.

For every continuous f on a compact set the smallest sup error of networks with one hidden layer of
m ReLUs tends to 0:

.. math:: \inf\Bigl\|f-\sum_{i\le m}a_i\,(w_i\cdot x+b_i)_+\Bigr\|_{\infty,K}\to0 .

In one dimension straight pieces between equispaced nodes are written as a network. In more, f is
first a sum of functions along a few directions, as the lifting lemma has it, and each of those is
interpolated. With a polynomial activation of degree 2 all widths give polynomials of degree 2, and
the error stays.

:source: Perez Jensen (2025), Deep Learning, Section 2.5, Theorem 2.12 and Figure 2.2.
:kind: theorem
:cost: instant
:covers: relu-universality
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Series, converges, generator, option
from corollary.models.approximators.lifting import Ridge
from corollary.models.approximators.relu_sums import ridge_relu
from corollary.models.approximators.shallow import fit_superposition
from corollary.theory.approximation.nonvanishing import polynomial_degree

TARGETS = {
    "sin": lambda t: torch.sin(2 * math.pi * t),
    "abs": lambda t: (t - 0.3).abs(),
    "runge": lambda t: 1 / (1 + 25 * t**2),
}
PIECES = (4, 8, 16, 32, 64, 128)


class Given(NamedTuple):
    """Directions of the target, the activation, and a seed."""

    u: Float[Tensor, "r d"]
    sigma: Callable[[Tensor], Tensor]
    seed: int


@dataclass(frozen=True)
class ReluUniversal(Claim[Given]):
    """The sup error on [-1, 1]^d as the width doubles."""

    target: Literal["sin", "abs", "runge"] = "runge"  # profile of f along each direction
    d: int = option(2, low=1, high=50)  # dimension
    relation = converges(gap=0.01)  # 128 pieces along each direction

    def given(self, rng: Generator) -> Given:
        """Three directions (on a line one), with moduli that sum to 1."""
        u = torch.randn(3 if self.d > 1 else 1, self.d, generator=rng, dtype=torch.float64)
        seed = int(torch.randint(2**31, (1,), generator=rng))
        return Given(u / u.abs().sum(1, keepdim=True), torch.relu, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The activation."""
        degree = polynomial_degree(given.sigma)
        yield Hypothesis("the activation is not a polynomial", degree is None,
                         "" if degree is None else f"degree {degree}")  # fmt: skip

    def predict(self, given: Given) -> float:
        """The limit."""
        return 0.0

    def measure(self, given: Given) -> Series:
        """Sup errors over widths."""
        return Series(*_errors(given, self.target))

    def counterexample(self, rng: Generator) -> Given:
        """Squares."""
        return self.given(rng)._replace(sigma=torch.square)

    def figure(self, given: Given) -> Figure:
        """All three profiles, and squares."""
        marks = []
        for name in TARGETS:
            widths, errors = _errors(given, name)
            own = name == self.target
            marks.append(
                Curve(errors, widths, label=f"{name}, ReLU", role="measured" if own else "other")
            )
        widths, errors = _errors(given._replace(sigma=torch.square), self.target)
        squares = Curve(errors, widths, label=f"{self.target}, squares", role="other", dashed=True)
        return Figure(
            "Wider ReLU layers, smaller sup error",
            x="m",
            y="‖f − G‖∞",
            log_x=True,
            log_y=True,
            marks=(*marks, squares),
        )


@lru_cache(maxsize=8)
def _errors(given: Given, target: str) -> tuple[tuple[int, ...], tuple[float, ...]]:
    r, d = given.u.shape
    rng, g = generator(given.seed), TARGETS[target]

    def f(x: Tensor) -> Tensor:
        return g(x @ given.u.T).mean(1)

    x = 2 * torch.rand(4000, d, generator=rng, dtype=torch.float64) - 1
    errors = []
    for m in PIECES:
        if given.sigma is torch.relu:
            net = ridge_relu([Ridge(u, lambda t: g(t) / r) for u in given.u], m)
        else:
            net = fit_superposition(
                f, given.sigma, r * (m + 1), d=d, low=-1.0, points=1000, rng=rng
            )
        errors.append(float((net(x) - f(x)).abs().max().detach()))
    return tuple(r * (m + 1) for m in PIECES), tuple(errors)
