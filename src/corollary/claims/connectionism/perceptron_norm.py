r"""Perceptron norm growth lemma.

Let :math:`R = \max_i \|x_i\|`, and let every update :math:`w_t = w_{t-1} + y x` from
:math:`w_0 = 0` be made on a mistake, :math:`y\langle w_{t-1}, x\rangle \le 0`. Then

.. math:: \|w_t\|^2 \le t\,R^2 .

The cross term of :math:`\|w_{t-1} + yx\|^2` is not positive, so each update adds at most
:math:`R^2`; the claim is checked as :math:`\|w_t\|^2/t` at each t of the run.

:source: Perez Jensen (2025), Deep Learning, Section 1.2, Lemma 1.2; Novikoff (1962), "On
    convergence proofs on perceptrons".
:kind: bound
:covers: perceptron-norm-lemma
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, near, option, uniform
from corollary.data.separable import separable_cloud
from corollary.theory.connectionism.perceptron import perceptron_fit, radius


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # points
    y: Float[Tensor, " n"]  # labels, -1 or +1
    updates: Int[Tensor, " t"]  # the point of each update
    w0: Float[Tensor, " d"]  # weights at the start

    def z(self) -> Float[Tensor, "t d"]:
        """The updates."""
        return (self.y[:, None] * self.x)[self.updates]

    def w(self) -> Float[Tensor, "t d"]:
        """The weights after each update."""
        return self.w0 + self.z().cumsum(dim=0)


def on_mistakes(given: Given) -> tuple[bool, str]:
    """No update is made where the answer was right."""
    before = torch.cat([given.w0[None], given.w()[:-1]])
    right = int(((given.z() * before).sum(dim=1) > 0).sum())
    return right == 0, f"{right} on right answers"


class PerceptronNorm(Claim[Given]):
    n: int = 200  # points
    d: int = 20  # dimension
    gamma: float = option(0.1, low=0.03, high=1.0)  # margin to plant, before points are stretched

    relation = at_most(ulps=64)  # a sum of squares over d entries, and of t points
    supposes = (
        Suppose(
            "the weights start at 0",
            lambda g: near(g.w0, 0.0),
            "If the weights start far from 0, they are too long from the first update on.",
            w0=lambda g: 10 * g.x[0],
        ),
        Suppose(
            "every update is made on a mistake",
            on_mistakes,
            "The longest point is used for every update, although it is classified correctly.",
            updates=lambda g: g.x.norm(dim=1).argmax().repeat(5),
        ),
    )
    symbols = "R²", "‖w_t‖² / t"
    shows = Along("Squared norm of the weights per update", x="update t", first=1, log="y")

    def given(self, rng: Generator) -> Given:
        x, y, _ = separable_cloud(self.n, self.d, self.gamma, rng=rng)
        x = x * (1 + uniform(rng, self.n, 1))
        return Given(x, y, perceptron_fit(x, y, bias=False).mistakes, 0 * x[0])

    def predict(self, given: Given) -> float:
        return float(radius(given.x) ** 2)

    def measure(self, given: Given) -> list[float]:
        squared = given.w().square().sum(dim=1)
        return (squared / torch.arange(1, len(squared) + 1)).tolist()

    def tight(self) -> Given:
        """Basis vectors, each learned once: ‖w_t‖² is t."""
        e = torch.eye(16, dtype=torch.float64)
        return Given(e, e.new_ones(16), torch.arange(16), 0 * e[0])
