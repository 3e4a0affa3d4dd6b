r"""Cybenko's universal approximation theorem.

Let :math:`\sigma` be continuous and sigmoidal, :math:`\sigma(t)\to1` for :math:`t\to\infty` and
:math:`\sigma(t)\to0` for :math:`t\to-\infty`. Then the sums

.. math:: G(x)=\sum_{i=1}^ma_i\,\sigma(w_i\cdot x+b_i)

are dense in :math:`C([0,1]^d)`: for every continuous :math:`f` the smallest sup error
:math:`\|G-f\|_\infty` tends to 0 as the width m grows. It is measured on networks with random inner
weights and fitted outer weights. A function that jumps by 1 stays at distance 1/2 from every
continuous :math:`G`.

:source: Mathematical Foundations of Deep Learning (slides), Universal Approximation Theorem,
    Theorems 1 and 2; Cybenko (1989), Approximation by superpositions of a sigmoidal function.
:kind: theorem
:cost: instant
:covers: cybenko-uat
:erratum: [missing hypothesis] Two opening slides say that such a network can approximate any
    function and every d-dimensional function of real variables; continuity and a compact domain are
    needed, as Theorems 1 and 2 of the later slides say. The counterexample here is a unit step:
    its sup error stays above 1/2 at every width.
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
    Series,
    converges,
    generator,
    option,
)
from corollary.models.approximators.shallow import fit_superposition
from corollary.theory.approximation.grids import box_grid

WIDTHS = (16, 32, 64, 128, 256)


class Given(NamedTuple):
    """A target on the unit cube and the seed of the inner weights."""

    f: Callable[[Tensor], Tensor]  # points (n, d) to values
    d: int
    seed: int


@dataclass(frozen=True)
class Cybenko(Claim[Given]):
    """The sup error of sigmoid networks as the hidden layer grows."""

    d: int = option(2, low=1, high=2)  # dimension of the cube
    scale: float = option(20.0, low=1.0, high=100.0)  # largest length of an inner weight
    relation = converges(
        gap=0.02
    )  # random inner weights at width 256, measured off the fitted grid

    def given(self, rng: Generator) -> Given:
        """A wave along a drawn direction, with a kink along another line."""
        u, shift = torch.rand(2, generator=rng, dtype=torch.float64).tolist()

        def f(x: Tensor) -> Tensor:
            along = x[:, 0] + u * x[:, -1]
            return torch.sin(4 * along) / 2 + (x[:, -1] - 0.3 - 0.4 * shift).abs() / 2

        return Given(f, self.d, int(torch.randint(2**31, (1,), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The target does not jump; the activation is sigmoidal."""
        ends = torch.sigmoid(torch.tensor([-1e3, 1e3], dtype=torch.float64)).tolist()
        jump = _largest_jump(given)
        yield Hypothesis("the target is continuous", jump < 0.01, f"largest jump {jump:.3g}")
        yield Hypothesis("the activation tends to 0 on the left and to 1 on the right",
                         ends == [0.0, 1.0])  # fmt: skip

    def predict(self, given: Given) -> float:
        """The limit."""
        return 0.0

    def measure(self, given: Given) -> Series:
        """Sup errors on a grid finer than that of the fit."""
        return Series(WIDTHS, _errors(given, self.scale))

    def counterexample(self, rng: Generator) -> Given:
        """A unit step."""
        at = 0.4 + 0.2 * float(torch.rand(1, generator=rng))
        return self.given(rng)._replace(f=lambda x: (x[:, 0] >= at).to(x.dtype))

    def figure(self, given: Given) -> Figure:
        """Errors over widths, with those of a step."""
        jump = Given(lambda x: (x[:, 0] >= 0.5).to(x.dtype), self.d, given.seed)
        return Figure(
            "Wider sigmoid layers come closer to a continuous function",
            x="m",
            y="‖G − f‖∞",
            log_x=True,
            log_y=True,
            marks=(
                Curve(_errors(given, self.scale), WIDTHS, label="continuous f"),
                Curve(_errors(jump, self.scale), WIDTHS, label="a unit step", role="other"),
                Level(0.5, label="half the jump", role="other"),
            ),
        )


@lru_cache(maxsize=4)
def _errors(given: Given, scale: float) -> tuple[float, ...]:
    x = box_grid(given.d, 2001 if given.d == 1 else 83)
    rng = generator(given.seed)
    out = []
    for m in WIDTHS:
        net = fit_superposition(
            given.f, torch.sigmoid, m, d=given.d, scale=scale, points=2000, rng=rng
        )
        out.append(float((net(x) - given.f(x)).abs().max().detach()))
    return tuple(out)


def _largest_jump(given: Given) -> float:
    """How far the target moves over a thousandth of the cube's side."""
    x = box_grid(given.d, 2001 if given.d == 1 else 60)
    near = x.clone()
    jumps = []
    for step in torch.linspace(0, 1, 21, dtype=torch.float64):
        near[:, 0] = (x[:, 0] + step / 59).clamp(max=1.0)
        further = near.clone()
        further[:, 0] = (near[:, 0] + 1e-3).clamp(max=1.0)
        jumps.append(float((given.f(further) - given.f(near)).abs().max()))
    return max(jumps)
