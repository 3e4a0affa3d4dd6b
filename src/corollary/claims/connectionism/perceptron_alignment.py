r"""Perceptron progress lemma.

If :math:`\|u\| = 1` and :math:`y_i \langle u, x_i\rangle \ge \gamma > 0` for all i, the weights of
the perceptron (no bias, :math:`w_0 = 0`) after t updates satisfy

.. math:: \langle u, w_t \rangle \ge t\,\gamma .

Each update adds :math:`y_i\langle u, x_i\rangle \ge \gamma`, so the claim is checked as the
smallest :math:`\langle u, w_t\rangle / t` over the run.

:source: Perez Jensen (2025), Deep Learning, Section 1.2, Lemma 1.1; Novikoff (1962), "On
    convergence proofs on perceptrons".
:kind: bound
:cost: instant
:covers: perceptron-alignment-lemma
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_least, option
from corollary.data.separable import separable_cloud
from corollary.theory.connectionism.perceptron import is_unit, margin, perceptron_fit

MOST_UPDATES = 1000  # ends the run where the points are not separable


class Given(NamedTuple):
    """Labelled points, a direction, and the margin it is said to have."""

    x: Float[Tensor, "n d"]  # points
    y: Float[Tensor, " n"]  # labels, -1 or +1
    u: Float[Tensor, " d"]  # direction
    gamma: float  # margin


@dataclass(frozen=True)
class PerceptronAlignment(Claim[Given]):
    """Progress along the separating direction, update by update."""

    n: int = option(200, low=2)  # points
    d: int = 20  # dimension
    gamma: float = option(0.1, low=0.03, high=1.0)  # margin to plant in the unit ball
    relation = at_least(ulps=256)  # sums of t inner products, each rounded in d additions

    def given(self, rng: Generator) -> Given:
        """A cloud in the unit ball with the planted margin, in random order."""
        x, y, u = separable_cloud(self.n, self.d, self.gamma, rng=rng)
        order = torch.randperm(self.n, generator=rng, device=rng.device)
        return Given(x[order], y[order], u, float(margin(x, y, u)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A unit vector with the stated margin."""
        x, y, u, gamma = given
        smallest = float(margin(x, y, u))
        yield Hypothesis("u has length 1", is_unit(u))
        yield Hypothesis("γ is positive", gamma > 0)
        yield Hypothesis(
            "every point has margin at least γ along u",
            smallest >= gamma * (1 - 1e-12),
            f"{smallest:.3g}",
        )

    def predict(self, given: Given) -> float:
        """Progress an update."""
        return given.gamma

    def measure(self, given: Given) -> float:
        """The least progress an update, averaged from the start."""
        along = _progress(given)
        return float((along[1:] / torch.arange(1, len(along))).min())

    def counterexample(self, rng: Generator) -> Given:
        """The first point gets the wrong label: the first step goes backwards."""
        x, y, u, gamma = self.given(rng)
        return Given(x, torch.cat([-y[:1], y[1:]]), u, gamma)

    def figure(self, given: Given) -> Figure:
        """Progress along u against its lower bound."""
        along = _progress(given)
        line = [t * given.gamma for t in range(len(along))]
        return Figure(
            "Each update makes progress along u",
            x="t",
            y="⟨u, w_t⟩",
            marks=(
                Curve(along, label="⟨u, w_t⟩"),
                Curve(line, label="t γ", role="predicted"),
            ),
        )


def _progress(given: Given) -> Float[Tensor, " s"]:
    x, y, u, _ = given
    fit = perceptron_fit(x, y, bias=False, max_updates=MOST_UPDATES)
    return fit.trajectory(x, y) @ u
