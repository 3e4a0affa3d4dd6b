r"""Cosine networks are universal.

For every continuous f on a compact set K

.. math:: \inf_{a,W,b}\bigl\|f-a^\top\cos(Wx+b)\bigr\|_{\infty,K}\to0\qquad(m\to\infty):

products of cosine networks are cosine networks, :math:`\cos0=1`, and units separate points, so the
theorem of Stone and Weierstrass applies. Without biases every network is even, and an odd function
is never approached.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.5, Problem 2a and (3.15)-(3.16).
:kind: theorem
:cost: instant
:covers: cosine-network-universal
"""

from collections.abc import Iterator
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
    Series,
    converges,
    generator,
    option,
)
from corollary.models.approximators.shallow import fit_outer, random_units
from corollary.theory.approximation.grids import box_grid

WIDTHS = (8, 16, 32, 64, 128)


class Given(NamedTuple):
    """A shift of the kink, whether units have biases, and a seed."""

    shift: float
    biases: bool
    seed: int


@dataclass(frozen=True)
class CosineUniversal(Claim[Given]):
    """The sup error on [-1, 1] for an odd wave plus a kink."""

    scale: float = option(0.6, low=0.2, high=1.5)  # largest inner weight, for each unit
    relation = converges(gap=0.04)  # a kink, fitted in the mean square, at width 128

    def given(self, rng: Generator) -> Given:
        """A place for the kink."""
        shift = float(torch.rand(1, generator=rng, dtype=torch.float64)) - 0.5
        return Given(shift, True, int(torch.randint(2**31, (1,), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """With biases."""
        yield Hypothesis("units have biases", given.biases)

    def predict(self, given: Given) -> float:
        """The limit."""
        return 0.0

    def measure(self, given: Given) -> Series:
        """Sup errors over widths."""
        return Series(WIDTHS, _errors(given, self.scale))

    def counterexample(self, rng: Generator) -> Given:
        """No biases."""
        return self.given(rng)._replace(biases=False)

    def figure(self, given: Given) -> Figure:
        """With and without biases."""
        without = _errors(given._replace(biases=False), self.scale)
        return Figure(
            "Cosines need their phases",
            x="m",
            y="‖F − f‖∞",
            log_x=True,
            log_y=True,
            marks=(
                Curve(_errors(given, self.scale), WIDTHS, label="with biases"),
                Curve(without, WIDTHS, label="without biases", role="other", dashed=True),
            ),
        )


def _target(x: Tensor, shift: float) -> Tensor:
    return torch.sin(3 * x[:, 0]) + (x[:, 0] - shift).abs()


@lru_cache(maxsize=4)
def _errors(given: Given, scale: float) -> tuple[float, ...]:
    fine = box_grid(1, 2401, -1.0, 1.0)
    y = _target(fine, given.shift)
    rng, out = generator(given.seed), []
    for m in WIDTHS:
        w, b = random_units(m, 1, scale * m, low=-1.0, high=1.0, rng=rng)
        b = b if given.biases else torch.zeros_like(b)
        net = fit_outer(torch.cos, w, b, fine[::4], y[::4])
        out.append(float((net(fine) - y).abs().max().detach()))
    return tuple(out)
