r"""Pooling over elements is permutation invariant.

For any :math:`\varphi` and :math:`\rho`, and with sum, mean or maximum over the elements,

.. math:: f(X)=\rho\Bigl(\bigoplus_{m=1}^M\varphi(x_m)\Bigr)\qquad\text{has}\qquad f(PX)=f(X)

for every permutation matrix :math:`P`, whatever the number :math:`M` of rows of :math:`X`. A
perceptron that reads the rows one after the other has a value for each order.

:source: Perez Jensen (2025), Deep Learning, Section 7.1, Definition 7.1, and Section 7.2; Zaheer,
    Kottur, Ravanbakhsh, Poczos, Salakhutdinov and Smola (2017), "Deep sets".
:kind: identity
:covers: order-invariance, deep-sets-invariant
:scale-free: The theory supplies orders, and orders have no scale.
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.core import Along, Claim, Suppose, equals, near, normal
from corollary.models.deep_sets import DeepSets
from corollary.models.mlp import MLP
from corollary.theory.geometry.symmetry import permutations_of


class Given(NamedTuple):
    X: Float[Tensor, "M d"]  # a set, an element per row
    perms: Int[Tensor, "p M"]  # orders to show it in
    f: nn.Module


def pools(given: Given) -> bool:
    """Whether f is ρ of the pooled φ(x_m), with each element read by itself."""
    f = given.f
    if not isinstance(f, DeepSets):
        return False
    z = torch.stack([f.phi(x) for x in given.X])
    total = {"sum": z.sum(0), "mean": z.mean(0), "max": z.amax(0)}[f.pool]
    return near(f(given.X), f.rho(total))[0]


def joined(given: Given, rng: Generator) -> Given:
    """A perceptron on the concatenated rows gives a different value for each order."""
    mlp = MLP([given.X.numel(), 16, 1], rng=rng)
    return given._replace(f=nn.Sequential(nn.Flatten(0), mlp))


class OrderInvariance(Claim[Given]):
    M: int = 6  # elements of the set
    d: int = 3  # numbers per element
    p: int = 24  # random orders
    pool: Literal["sum", "mean", "max"] = "sum"  # how elements are combined

    relation = equals(ulps=256, scale=1.0)  # sums of M terms in another order
    supposes = Suppose("f pools over the elements", pools, without=joined)
    symbols = "f(X)", "f(PX)"
    shows = Along("The output for one set in many orders", x="order P", first=1)

    def given(self, rng: Generator) -> Given:
        f = DeepSets.of_widths([self.d, 16, 8], [8, 16, 1], self.pool, rng=rng)
        return Given(normal(rng, self.M, self.d), permutations_of(self.M, self.p, rng=rng), f)

    def predict(self, given: Given) -> Tensor:
        out: Tensor = given.f(given.X).detach()
        return out

    def measure(self, given: Given) -> list[float]:
        return [float(given.f(given.X[perm]).detach()) for perm in given.perms]
