r"""How fast straight pieces converge depends on the function.

.. math:: \|f-f_m\|_\infty\propto m^{-2}\ \text{ for a sine},\qquad
   \|f-f_m\|_\infty=\tfrac14m^{-1/2}\ \text{ for }\sqrt x\text{ on }[0,1],

with :math:`f_m` linear between m + 1 equispaced nodes. Continuity alone gives convergence at the
speed of the modulus of continuity; a jump gives none.

:source: Perez Jensen (2025), Deep Learning, Section 2.5, Theorem 2.10; de Boor (1978), A practical
    guide to splines, Chapter III.
:kind: rate
:cost: instant
:covers: piecewise-linear-density
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, slope
from corollary.models.approximators.relu_sums import pl_interpolant

SIZES = (8, 16, 32, 64, 128)
EXPONENTS = {"sin": -2.0, "sqrt": -0.5}
GRID = torch.cat(
    [torch.logspace(-6, -2, 4001), torch.linspace(0, 1, 8001)]
).double()  # fine at 0, where a root is steep


class Given(NamedTuple):
    """A function on [0, 1]."""

    f: Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class LinearInterpolationRate(Claim[Given]):
    """The exponent of the sup error in the number of pieces."""

    function: Literal["sin", "sqrt"] = "sqrt"  # what is interpolated
    relation = slope(gap=0.05)  # exact powers, up to where the crest falls within a piece

    def given(self, rng: Generator) -> Given:
        """A drawn multiple of the function."""
        c = 0.5 + float(torch.rand(1, generator=rng, dtype=torch.float64))
        if self.function == "sin":
            return Given(lambda x: c * torch.sin(6 * x[:, 0]))
        return Given(lambda x: c * x[:, 0].sqrt())

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No jump."""
        x = GRID[-8001:]
        jump = float(given.f(x[:, None]).diff().abs().max())
        yield Hypothesis("f is continuous", jump < 0.05, f"largest step {jump:.2g}")

    def predict(self, given: Given) -> float:
        """The exponent."""
        return EXPONENTS[self.function]

    def measure(self, given: Given) -> Series:
        """Sup errors over m."""
        return Series(SIZES, _errors(given.f))

    def counterexample(self, rng: Generator) -> Given:
        """A jump at a place that is no node."""
        return Given(lambda x: (x[:, 0] >= 1 / 3).to(x.dtype))

    def figure(self, given: Given) -> Figure:
        """Three functions."""
        errors = _errors(given.f)
        p = self.predict(given)
        guide = [errors[0] * (m / SIZES[0]) ** p for m in SIZES]
        jump = _errors(lambda x: (x[:, 0] >= 1 / 3).to(x.dtype))
        other = "sin" if self.function == "sqrt" else "sqrt"
        smooth = {"sin": lambda x: torch.sin(6 * x[:, 0]), "sqrt": lambda x: x[:, 0].sqrt()}[other]
        return Figure(
            "The smoother, the faster",
            x="m",
            y="‖f − fₘ‖∞",
            log_x=True,
            log_y=True,
            marks=(
                Curve(guide, SIZES, label=f"slope {p:g}", role="predicted"),
                Points(SIZES, errors, label=self.function),
                Points(SIZES, _errors(smooth), label=other, role="other"),
                Curve(jump, SIZES, label="a jump", role="other", dashed=True),
            ),
        )


def _errors(f: Callable[[Tensor], Tensor]) -> list[float]:
    target = f(GRID[:, None])
    return [float((pl_interpolant(f, m)(GRID) - target).abs().max()) for m in SIZES]
