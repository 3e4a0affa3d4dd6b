r"""Exclusive or is not linearly separable.

Let the corners of a parallelogram, :math:`p + q = r + s`, be labelled so that opposite corners
agree and neighbours differ, as in exclusive or. Adding the demands of each class gives
:math:`\langle w, p + q\rangle + 2b > 0` and :math:`\langle w, r + s\rangle + 2b < 0`, so every
threshold unit :math:`\operatorname{sgn}(\langle w, x\rangle + b)` is wrong somewhere:

.. math:: \max_{w, b}\; \#\{i : \operatorname{sgn}(\langle w, x_i\rangle + b) = y_i\} \le 3 .

:source: Perez Jensen (2025), Deep Learning, Section 1.2; Minsky and Papert (1969), Perceptrons.
:kind: counterexample
:cost: instant
:covers: xor-not-separable
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.data.xor import xor
from corollary.models.xor_network import XorNetwork
from corollary.theory.connectionism.cover import enumerate_dichotomies
from corollary.theory.connectionism.labelled import homogeneous


class Given(NamedTuple):
    """Quadrilaterals with labelled corners; the first is exclusive or itself."""

    x: Float[Tensor, "m 4 2"]  # corners: p, q opposite, then r, s opposite
    y: Float[Tensor, " 4"]  # labels of the corners


@dataclass(frozen=True)
class Xor(Claim[Given]):
    """The most corners one threshold unit gets right."""

    m: int = option(8, low=1, high=100)  # parallelograms, the unit square among them
    relation = at_most()  # a count, nothing is rounded

    def given(self, rng: Generator) -> Given:
        """The unit square and affine images of it."""
        x, y = xor()
        maps = torch.randn(self.m - 1, 2, 2, generator=rng, dtype=torch.float64)
        shifts = torch.randn(self.m - 1, 1, 2, generator=rng, dtype=torch.float64)
        return Given(torch.cat([x[None], x @ maps + shifts]), y)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A parallelogram with alternating labels."""
        p, q, r, s = given.x.unbind(dim=1)
        off = float(((p + q) - (r + s)).abs().max() / given.x.abs().max())
        yield Hypothesis("the diagonals halve each other", off < 1e-12, f"off by {off:.1e}")
        a, b, c, d = given.y.tolist()
        yield Hypothesis("opposite corners agree, neighbours differ", a == b == -c == -d)

    def predict(self, given: Given) -> float:
        """At least one of four is wrong."""
        return 3.0

    def measure(self, given: Given) -> list[float]:
        """Over all labellings that some unit realises, the best agreement with y."""
        realised = [enumerate_dichotomies(homogeneous(x)).to(given.y) for x in given.x]
        return [float((signs == given.y).sum(dim=1).max()) for signs in realised]

    def counterexample(self, rng: Generator) -> Given:
        """With one label flipped it is the function AND, and all four are right."""
        x, y = self.given(rng)
        return Given(x, torch.cat([-y[:1], y[1:]]))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The square with a line that gets three right; and the two hidden units that get four."""
        x, y = given.x[0], given.y
        tried = Curve([1.7, -0.2], [-0.2, 1.7], label="a line with 3 of 4 right")
        square = Figure(
            "Every line gets a corner wrong",
            x="x₁",
            y="x₂",
            equal=True,
            marks=(*_classes(x, y), tried),
        )
        hidden = XorNetwork("relu").hidden(x).detach()
        found = Curve([-0.3, 0.9], [-0.1, 2.3], label="1 - 2h₁ + 4h₂ = 0: 4 of 4 right")
        folded = Figure(
            "Two hidden units make the corners separable",
            x="h₁ = (x₁ + x₂)₊",
            y="h₂ = (x₁ + x₂ - 1)₊",
            equal=True,
            marks=(*_classes(hidden, y), found),
        )
        return square, folded


def _classes(x: Tensor, y: Tensor) -> tuple[Points, Points]:
    plus, minus = x[y > 0], x[y < 0]
    return (
        Points(plus[:, 0], plus[:, 1], label="y = +1", role="other"),
        Points(minus[:, 0], minus[:, 1], label="y = -1", role="other"),
    )
