r"""Perceptron progress lemma.

If :math:`\|u\| = 1` and :math:`y_i \langle u, x_i\rangle \ge \gamma > 0` for all i, the weights of
the perceptron (no bias, :math:`w_0 = 0`) after t updates satisfy

.. math:: \langle u, w_t \rangle \ge t\,\gamma .

Each update adds :math:`y_i\langle u, x_i\rangle \ge \gamma`, so the claim is checked as
:math:`\langle u, w_t\rangle / t` at each t of the run.

:source: Perez Jensen (2025), Deep Learning, Section 1.2, Lemma 1.1; Novikoff (1962), "On
    convergence proofs on perceptrons".
:kind: bound
:covers: perceptron-alignment-lemma
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_least, below, option
from corollary.data.separable import separable_cloud
from corollary.theory.connectionism.perceptron import is_unit, margin, perceptron_fit

MOST_UPDATES = 1000  # ends the run where the points are not separable


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # points
    y: Float[Tensor, " n"]  # labels, -1 or +1
    u: Float[Tensor, " d"]  # direction
    gamma: float  # margin


class PerceptronAlignment(Claim[Given]):
    n: int = option(200, low=2)  # points
    d: int = 20  # dimension
    gamma: float = option(0.1, low=0.03, high=1.0)  # margin to plant in the unit ball

    relation = at_least(ulps=256)  # sums of t inner products, each rounded in d additions
    supposes = (
        Suppose(
            "u has length 1",
            lambda g: is_unit(g.u),
            "If u has length 1/10, the progress is a tenth as large.",
            u=lambda g: g.u / 10,
        ),
        Suppose("γ is positive", lambda g: g.gamma),
        Suppose(
            "every point has margin at least γ along u",
            lambda g: below(-margin(*g[:3]), -g.gamma),
            "The first point has the wrong label: the first step goes backwards.",
            y=lambda g: torch.cat([-g.y[:1], g.y[1:]]),
        ),
    )
    symbols = "γ", "⟨u, w_t⟩ / t"
    shows = Along("Each update makes progress along u", x="update t", first=1)

    def given(self, rng: Generator) -> Given:
        x, y, u = separable_cloud(self.n, self.d, self.gamma, rng=rng)
        order = torch.randperm(self.n, generator=rng)
        return Given(x[order], y[order], u, float(margin(x, y, u)))

    def predict(self, given: Given) -> float:
        return given.gamma

    def measure(self, given: Given) -> list[float]:
        x, y, u, _ = given
        fit = perceptron_fit(x, y, bias=False, max_updates=MOST_UPDATES)
        along = fit.trajectory(x, y)[1:] @ u
        return (along / torch.arange(1, len(along) + 1)).tolist()

    def tight(self) -> Given:
        """Basis vectors with one label: each update goes γ along their mean direction."""
        e = torch.eye(16, dtype=torch.float64)
        return Given(e, e.new_ones(16), e.new_ones(16) / 4, 0.25)
