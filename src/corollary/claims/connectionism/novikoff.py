r"""Perceptron convergence.

If some unit vector :math:`u` separates the points :math:`(x_i, y_i)` with margin
:math:`\gamma = \min_i y_i \langle u, x_i \rangle > 0` and :math:`\|x_i\| \le R`, the
perceptron started at zero makes at most

.. math:: M \le (R / \gamma)^2

mistakes, whatever the order, the number and the dimension of the points. With a bias the statement
holds for the augmented points :math:`(x_i, 1)`, whose radius is :math:`\sqrt{R^2 + 1}`.

:source: Perez Jensen (2025), Deep Learning, Section 1.2, Theorem 1.3; Novikoff (1962), "On
    convergence proofs on perceptrons".
:kind: bound
:cost: instant
:covers: novikoff-perceptron-bound
:erratum: [typo] The notes say that the perceptron converges in less than floor((R/gamma)^2) steps
    (an earlier version: less than the ceiling); their proof gives at most floor((R/gamma)^2). The
    one point x = 1 with label +1 needs exactly 1 = floor(1) = ceil(1) update.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_most, option
from corollary.data.separable import separable_cloud
from corollary.theory.connectionism.perceptron import (
    is_unit,
    margin,
    mistake_count,
    perceptron_fit,
    radius,
)


class Given(NamedTuple):
    """Labelled points and a direction that separates them."""

    x: Float[Tensor, "n d"]  # points
    y: Float[Tensor, " n"]  # labels, -1 or +1
    u: Float[Tensor, " d"]  # separating direction


@dataclass(frozen=True)
class Novikoff(Claim[Given]):
    """The mistakes of the perceptron against the squared ratio of radius and margin."""

    n: int = 200  # points
    d: int = 20  # dimension
    gamma: float = option(0.1, low=0.01, high=1.0)  # margin to plant in the unit ball
    relation = at_most(ulps=8)  # M is a count; only (R/γ)² is rounded

    def given(self, rng: Generator) -> Given:
        """A cloud in the unit ball with the planted margin."""
        return Given(*separable_cloud(self.n, self.d, self.gamma, rng=rng))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A unit vector with a margin."""
        x, y, u = given
        gamma = float(margin(x, y, u))
        yield Hypothesis("u has length 1", is_unit(u))
        yield Hypothesis("u separates the points", gamma > 0, f"margin {gamma:.3g}")

    def predict(self, given: Given) -> float:
        """The bound."""
        x, y, u = given
        return float((radius(x) / margin(x, y, u)) ** 2)

    def measure(self, given: Given) -> float:
        """Mistakes until a clean pass, or until there are far too many."""
        return float(mistake_count(given.x, given.y, max_updates=_patience(given))[-1])

    def counterexample(self, rng: Generator) -> Given:
        """One point with both labels: the mistakes never end."""
        x, y, u = self.given(rng)
        return Given(torch.cat([x, x[:1]]), torch.cat([y, -y[:1]]), u)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Mistakes as the points are shown, and the bound as the margin shrinks."""
        bound = self.predict(given)
        count = mistake_count(given.x, given.y, max_updates=_patience(given))
        run = Figure(
            "Perceptron mistakes",
            x="points shown",
            y="M",
            marks=(Curve(count, label="mistakes so far"), Level(bound, label="(R/γ)²")),
        )
        return run, _sweep(given)


def _patience(given: Given) -> int:
    """Thrice what a separating u would allow: past it, the bound is broken for good."""
    gamma = float(margin(*given))
    return 1_000_000 if gamma == 0 else int(min(3 * (radius(given.x) / gamma) ** 2 + 10, 1e6))


def _sweep(given: Given) -> Figure:
    """The same cloud pressed towards the hyperplane: margins from γ down to γ/8."""
    x, y, u = given
    along = (x @ u)[:, None] * u
    pressed = [x - (1 - s) * along for s in (1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.125)]
    ratios = [float((radius(p) / margin(p, y, u)) ** 2) for p in pressed]
    made = [perceptron_fit(p, y, bias=False).updates for p in pressed]
    return Figure(
        "The smaller the margin, the more mistakes",
        x="(R/γ)²",
        y="M",
        log_x=True,
        log_y=True,
        marks=(
            Curve(ratios, ratios, label="(R/γ)²", role="predicted"),
            Points(ratios, made, label="mistakes of the perceptron"),
        ),
    )
