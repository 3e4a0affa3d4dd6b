r"""Perceptron norm growth lemma.

Let :math:`R = \max_i \|x_i\|`, and let every update :math:`w_t = w_{t-1} + y x` from
:math:`w_0 = 0` be made on a mistake, :math:`y\langle w_{t-1}, x\rangle \le 0`. Then

.. math:: \|w_t\|^2 \le t\,R^2 .

The cross term of :math:`\|w_{t-1} + yx\|^2` is not positive, so each update adds at most
:math:`R^2`; the claim is checked as the largest :math:`\|w_t\|^2/t` over the run.

:source: Perez Jensen (2025), Deep Learning, Section 1.2, Lemma 1.2; Novikoff (1962), "On
    convergence proofs on perceptrons".
:kind: bound
:cost: instant
:covers: perceptron-norm-lemma
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option
from corollary.data.separable import separable_cloud
from corollary.theory.connectionism.perceptron import perceptron_fit, radius


class Given(NamedTuple):
    """Labelled points, and the points that were learned, in order."""

    x: Float[Tensor, "n d"]  # points
    y: Float[Tensor, " n"]  # labels, -1 or +1
    updates: Int[Tensor, " t"]  # the point of each update


@dataclass(frozen=True)
class PerceptronNorm(Claim[Given]):
    """The squared length of the weights, update by update."""

    n: int = 200  # points
    d: int = 20  # dimension
    gamma: float = option(0.1, low=0.03, high=1.0)  # margin to plant, before points are stretched
    relation = at_most(ulps=64)  # a sum of squares over d entries, and of t points

    def given(self, rng: Generator) -> Given:
        """A cloud of points of many lengths, and the perceptron's mistakes on it."""
        x, y, _ = separable_cloud(self.n, self.d, self.gamma, rng=rng)
        x = x * (1 + torch.rand(self.n, 1, generator=rng, device=rng.device, dtype=x.dtype))
        return Given(x, y, perceptron_fit(x, y, bias=False).mistakes)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Updates on mistakes only."""
        z, w = _updates_and_weights(given)
        scores = (z * w[:-1]).sum(dim=1)
        right = int((scores > 0).sum())
        yield Hypothesis(
            "every update is made on a mistake", right == 0, f"{right} on right answers"
        )

    def predict(self, given: Given) -> float:
        """Growth an update."""
        return float(radius(given.x) ** 2)

    def measure(self, given: Given) -> float:
        """The largest growth an update, averaged from the start."""
        squared = _updates_and_weights(given)[1].square().sum(dim=1)
        return float((squared[1:] / torch.arange(1, len(squared))).max())

    def counterexample(self, rng: Generator) -> Given:
        """The longest point is learned again and again, though it is classified rightly."""
        x, y, _ = self.given(rng)
        return Given(x, y, x.norm(dim=1).argmax().repeat(5))

    def figure(self, given: Given) -> Figure:
        """The squared length against its upper bound."""
        squared = _updates_and_weights(given)[1].square().sum(dim=1)
        line = [t * self.predict(given) for t in range(len(squared))]
        return Figure(
            "Mistakes keep the weights short",
            x="t",
            y="‖w_t‖²",
            marks=(
                Curve(squared, label="‖w_t‖²"),
                Curve(line, label="t R²", role="predicted"),
            ),
        )


def _updates_and_weights(given: Given) -> tuple[Float[Tensor, "t d"], Float[Tensor, "s d"]]:
    z = (given.y[:, None] * given.x)[given.updates]
    return z, torch.cat([z.new_zeros(1, z.shape[1]), z.cumsum(dim=0)])
