r"""Pooling forgets the order.

For any :math:`\varphi` and :math:`\rho`, and with sum, mean or maximum over the elements,

.. math:: f(X)=\rho\Bigl(\bigoplus_{m=1}^M\varphi(x_m)\Bigr)\qquad\text{has}\qquad f(PX)=f(X)

for every permutation matrix :math:`P`, whatever the number :math:`M` of rows of :math:`X`. A
perceptron that reads the rows one after the other has a value for each order.

:source: Perez Jensen (2025), Deep Learning, Section 7.1, Definition 7.1, and Section 7.2; Zaheer,
    Kottur, Ravanbakhsh, Poczos, Salakhutdinov and Smola (2017), "Deep sets".
:kind: identity
:cost: instant
:covers: order-invariance, deep-sets-invariant
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.core import Claim, Figure, Hypothesis, Level, Points, equals
from corollary.models.deep_sets import DeepSets
from corollary.models.mlp import MLP
from corollary.theory.geometry.symmetry import permutations_of


class Given(NamedTuple):
    """A set as a matrix, orders to show it in, and a function of it."""

    X: Float[Tensor, "M d"]
    perms: Int[Tensor, "p M"]
    f: nn.Module
    joined: nn.Module  # a perceptron on the joined rows, for comparison


class OrderInvariance(Claim[Given]):
    M: int = 6  # elements of the set
    d: int = 3  # numbers an element
    p: int = 24  # random orders
    pool: Literal["sum", "mean", "max"] = "sum"  # how elements are put together
    relation = equals(ulps=256, scale=1.0)  # sums of M terms in another order

    def given(self, rng: Generator) -> Given:
        """A Gaussian set and random networks."""
        X = torch.randn(self.M, self.d, generator=rng, dtype=torch.float64)
        f = DeepSets.of_widths([self.d, 16, 8], [8, 16, 1], self.pool, rng=rng)
        joined = Joined(MLP([self.M * self.d, 16, 1], rng=rng))
        return Given(X, permutations_of(self.M, self.p, rng=rng), f, joined)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Pooling."""
        yield Hypothesis("f pools over the elements", isinstance(given.f, DeepSets))

    def predict(self, given: Given) -> float:
        """The value in the first order."""
        return float(given.f(given.X).detach())

    def measure(self, given: Given) -> list[float]:
        """The values in the others."""
        return [float(given.f(given.X[perm]).detach()) for perm in given.perms]

    def counterexample(self, rng: Generator) -> Given:
        """The rows joined into one vector."""
        given = self.given(rng)
        return given._replace(f=given.joined)

    def figure(self, given: Given) -> Figure:
        """Both functions over the orders."""
        order = list(range(1, len(given.perms) + 1))
        other = self.measure(given._replace(f=given.joined))
        marks = (
            Level(self.predict(given), label="f(X)"),
            Points(order, self.measure(given), label=f"f(PX), {self.pool} over elements"),
            Points(order, other, label="perceptron on the joined rows", role="other"),
        )
        return Figure("One set in many orders", x="order P", y="f(PX)", marks=marks)


class Joined(nn.Module):
    """A network that reads all rows as one vector."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, X: Tensor) -> Tensor:
        """The value."""
        return self.net(X.flatten())
