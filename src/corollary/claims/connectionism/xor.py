r"""Exclusive or is not linearly separable.

Let the corners of a parallelogram, :math:`p + q = r + s`, be labelled so that opposite corners
agree and neighbours differ, as in exclusive or. Adding the demands of each class gives
:math:`\langle w, p + q\rangle + 2b > 0` and :math:`\langle w, r + s\rangle + 2b < 0`, so every
threshold unit :math:`\operatorname{sgn}(\langle w, x\rangle + b)` is wrong somewhere:

.. math:: \max_{w, b}\; \#\{i : \operatorname{sgn}(\langle w, x_i\rangle + b) = y_i\} \le 3 .

:source: Perez Jensen (2025), Deep Learning, Section 1.2; Minsky and Papert (1969), Perceptrons.
:kind: counterexample
:covers: xor-not-separable
:scale-free: scaling or shifting points changes no labelling that a line realises
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, at_most, near, normal, option
from corollary.core.picture import Curve, Figure, Points
from corollary.data.xor import xor
from corollary.models.xor_network import XorNetwork
from corollary.theory.connectionism.cover import enumerate_dichotomies
from corollary.theory.connectionism.labelled import homogeneous


class Given(NamedTuple):
    x: Float[Tensor, "m 4 2"]  # corners: p, q opposite, then r, s opposite
    y: Float[Tensor, " 4"]  # labels of the corners


def folded_over(given: Given) -> Given:
    """One corner is folded over the diagonal to its partner, and a line separates the classes."""
    p, _, r, s = given.x.unbind(dim=1)
    return given._replace(x=torch.stack([p, (2 * p + r + s) / 4, r, s], dim=1))


class Xor(Claim[Given]):
    m: int = option(8, low=1, high=100)  # parallelograms, the unit square among them

    relation = at_most()  # a count, nothing is rounded
    supposes = (
        Suppose(
            "the diagonals bisect each other",
            lambda g: near(g.x[:, :2].sum(dim=1), g.x[:, 2:].sum(dim=1), to=1e-12),
            without=folded_over,
        ),
        Suppose(
            "opposite corners have the same label, neighbours different labels",
            lambda g: g.y[0] == g.y[1] == -g.y[2] == -g.y[3],
            "With one label flipped, the function is AND, and one unit gets all four corners "
            "right.",
            y=lambda g: torch.cat([-g.y[:1], g.y[1:]]),
        ),
    )
    symbols = "at most 3 of 4", "corners right by the best unit"
    predicts = 3.0
    rows = "exclusive or", *(f"parallelogram {k}" for k in range(1, 8))

    def given(self, rng: Generator) -> Given:
        x, y = xor()
        images = x @ normal(rng, self.m - 1, 2, 2) + normal(rng, self.m - 1, 1, 2)
        return Given(torch.cat([x[None], images]), y)

    def measure(self, given: Given) -> list[float]:
        realised = [enumerate_dichotomies(homogeneous(x)).to(given.y) for x in given.x]
        return [float((signs == given.y).sum(dim=1).max()) for signs in realised]

    def figure(self, trial: Trial[Given]) -> tuple[Figure, Figure]:
        x, y = trial.given.x[0], trial.given.y

        def classes(view: Tensor) -> tuple[Points, Points]:
            plus, minus = view[y > 0].T, view[y < 0].T
            return Points(plus[0], plus[1], "y = +1"), Points(minus[0], minus[1], "y = -1", "other")

        tried = Curve([1.7, -0.2], [-0.2, 1.7], label="a line with 3 of 4 right")
        title, marks = "Every line gets a corner wrong", (*classes(x), tried)
        square = Figure(title, x="x₁", y="x₂", equal=True, marks=marks)
        found = Curve([-0.3, 0.9], [-0.1, 2.3], label="1 - 2h₁ + 4h₂ = 0: 4 of 4 right")
        folded = Figure(
            "Two hidden units make the corners separable",
            x="h₁ = (x₁ + x₂)₊",
            y="h₂ = (x₁ + x₂ - 1)₊",
            equal=True,
            marks=(*classes(XorNetwork("relu").hidden(x).detach()), found),
        )
        return square, folded
