r"""Hornik: the activation hardly matters.

If :math:`\sigma` is continuous, bounded and not constant, networks with one hidden layer and biases
are dense in :math:`C(K)` for compact K: for every :math:`\epsilon>0` some width gives

.. math:: \Bigl\|f-\sum_{i=1}^ma_i\,\sigma(w_i\cdot x+b_i)\Bigr\|_\infty\le\epsilon .

It is shown for :math:`f=|x|` on [-1, 1] by networks with random inner and fitted outer weights. A
condition is needed: with :math:`\sigma(z)=z^2` every network is a quadratic, and none comes closer
than 1/8.

:source: Mathematical Foundations of Deep Learning (slides), Hornik's Theorem; Lucchi (2025),
    Foundations of Deep Learning, Section 3.4; Hornik (1991), Approximation capabilities of
    multilayer feedforward networks, Theorems 1 and 2.
:kind: theorem
:cost: instant
:covers: hornik-theorem
:erratum: [missing hypothesis] The slide says that approximation capabilities do not depend on the
    choice of the activation functions. They do: with z^2 the best error for |x| on [-1, 1] is 1/8
    at every width (the counterexample here). Bounded and not constant suffices; Section 3.4 of
    Lucchi (2025) states the condition.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Level,
    at_most,
    generator,
    option,
)
from corollary.models.approximators.shallow import fit_superposition


def gaussian(z: Tensor) -> Tensor:
    """A bump: neither monotone nor sigmoidal."""
    return torch.exp(-z * z)


ACTIVATIONS = {"sigmoid": torch.sigmoid, "tanh": torch.tanh, "sin": torch.sin, "Gaussian": gaussian}


class Given(NamedTuple):
    """Names of activations, the functions, and the seed of the inner weights."""

    names: tuple[str, ...]
    sigmas: tuple[Callable[[Tensor], Tensor], ...]
    seed: int


@dataclass(frozen=True)
class Hornik(Claim[Given]):
    """The sup error for |x| with four bounded activations."""

    m: int = option(160, low=80, high=1000)  # hidden units
    eps: float = option(0.03, low=0.02, high=0.12)  # error to reach
    relation = at_most()  # the errors are well below: no rounding matters

    def given(self, rng: Generator) -> Given:
        """The four activations and a seed."""
        seed = int(torch.randint(2**31, (1,), generator=rng))
        return Given(tuple(ACTIVATIONS), tuple(ACTIVATIONS.values()), seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Bounded and not constant."""
        z = torch.linspace(-1e4, 1e4, 20_001, dtype=torch.float64)
        values = [sigma(z) for sigma in given.sigmas]
        largest = max(float(v.abs().max()) for v in values)
        yield Hypothesis("every activation is bounded", largest <= 1e3, f"largest {largest:.3g}")
        yield Hypothesis("no activation is constant", all(v.min() < v.max() for v in values))

    def predict(self, given: Given) -> list[float]:
        """The error to reach, for each activation."""
        return [self.eps] * len(given.sigmas)

    def measure(self, given: Given) -> list[float]:
        """Sup errors between the points of the fit."""
        return [_error(sigma, self.m, given.seed) for sigma in given.sigmas]

    def counterexample(self, rng: Generator) -> Given:
        """A square is not bounded."""
        return Given(("z²",), (torch.square,), int(torch.randint(2**31, (1,), generator=rng)))

    def figure(self, given: Given) -> Figure:
        """Errors over widths for every activation, and for a square."""
        widths = sorted({10, 20, 40, 80, self.m})
        curves = [
            Curve([_error(s, m, given.seed) for m in widths], widths, label=name)
            for name, s in zip(given.names, given.sigmas, strict=True)
        ]
        square = [_error(torch.square, m, given.seed) for m in widths]
        return Figure(
            "Any bounded activation will do, a polynomial will not",
            x="m",
            y="‖G − |x|‖∞",
            log_x=True,
            log_y=True,
            marks=(
                *curves,
                Curve(square, widths, label="z²", role="other"),
                Level(self.eps, label="ε"),
                Level(0.125, label="best quadratic, 1/8", role="other"),
            ),
        )


@lru_cache(maxsize=64)
def _error(sigma: Callable[[Tensor], Tensor], m: int, seed: int) -> float:
    net = fit_superposition(
        lambda x: x[:, 0].abs(), sigma, m, scale=30.0, low=-1.0, high=1.0, points=600,
        rng=generator(seed),
    )  # fmt: skip
    x = torch.linspace(-1, 1, 2001, dtype=torch.float64)[:, None]
    return float((net(x) - x[:, 0].abs()).abs().max().detach())
