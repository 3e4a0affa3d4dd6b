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
:uses: perceptron_alignment, perceptron_norm, cauchy_schwarz
:covers: novikoff-perceptron-bound
:erratum: [typo] The notes say that the perceptron converges in less than floor((R/gamma)^2) steps
    (an earlier version: less than the ceiling); their proof gives at most floor((R/gamma)^2). The
    one point x = 1 with label +1 needs exactly 1 = floor(1) = ceil(1) update.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Path, Suppose, Sweep, at_most, option
from corollary.data.separable import separable_cloud
from corollary.theory.connectionism.perceptron import is_unit, margin, mistake_count, radius


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # points
    y: Float[Tensor, " n"]  # labels, -1 or +1
    u: Float[Tensor, " d"]  # separating direction


def both_labels(given: Given) -> Given:
    """One point has both labels: the mistakes never end."""
    x, y, u = given
    return Given(torch.cat([x, x[:1]]), torch.cat([y, -y[:1]]), u)


class Novikoff(Claim[Given]):
    n: int = 200  # points
    d: int = 20  # dimension
    gamma: float = option(0.1, low=0.01, high=1.0)  # margin to plant in the unit ball

    relation = at_most(ulps=8)  # M is a count; only (R/γ)² is rounded
    supposes = (
        Suppose("u has length 1", lambda g: is_unit(g.u)),
        Suppose("u separates the points", lambda g: margin(*g), without=both_labels),
    )
    symbols = "(R/γ)²", "mistakes M"
    shows = (
        Along("Perceptron mistakes", x="points shown", log="xy", first=1),
        Sweep(
            "The smaller the margin, the more mistakes",
            "gamma",
            (0.4, 0.2, 0.1, 0.05, 0.025),
            x="margin γ",
            log="xy",
        ),
    )

    def given(self, rng: Generator) -> Given:
        return Given(*separable_cloud(self.n, self.d, self.gamma, rng=rng))

    def predict(self, given: Given) -> float:
        return float((radius(given.x) / margin(*given)) ** 2)

    def measure(self, given: Given) -> Path:
        patience = int(2 / self.gamma**2) + 10  # twice the bound for the unit ball
        return Path(mistake_count(given.x, given.y, max_updates=patience))

    def tight(self) -> Given:
        """Basis vectors with one label: each is one mistake, and the bound is n."""
        e = torch.eye(16, dtype=torch.float64)
        return Given(e, e.new_ones(16), e.new_ones(16) / 4)
