r"""Power sums determine a set: the embedding of deep sets.

The power sums :math:`p_k=\sum_mx_m^k`, :math:`k=1,\dots,M`, determine the multiset
:math:`\{x_1,\dots,x_M\}`: by Newton's identities they give the coefficients of
:math:`\prod_m(t-x_m)`, whose roots are the elements. So every invariant function of :math:`M`
numbers is :math:`\rho(\sum_m\varphi(x_m))` with :math:`\varphi(t)=(t,\dots,t^M)`. With fewer sums
sets become equal: :math:`\{0,3,5,6\}` and :math:`\{1,2,4,7\}` share the first two.

:source: Perez Jensen (2025), Deep Learning, Section 7.2; Zaheer, Kottur, Ravanbakhsh, Poczos,
    Salakhutdinov and Smola (2017), "Deep sets", Theorem 7.
:kind: construction
:covers: deep-sets-invariant
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, option, uniform
from corollary.theory.geometry.multisets import multiset_from_power_sums, power_sums


class Given(NamedTuple):
    x: Float[Tensor, " M"]  # numbers in ascending order
    p: Float[Tensor, " M"]  # sums of their powers


def twins(given: Given) -> Given:
    """Two sets have the same first two sums, and the other sums belong to the second set."""
    a, b = torch.tensor([[0, 3, 5, 6, 8, 9], [1, 2, 4, 7, 8, 9]]).double() / 4.5 - 1
    return Given(a, power_sums(b, 6))


class PowerSumEmbedding(Claim[Given]):
    M: int = option(6, low=1, high=10)  # elements of the set

    # Roots of a polynomial of degree 6 with gaps of 0.2 are known to about 1e4 roundings.
    relation = equals(ulps=1e6, scale=1.0)  # two in a ten-thousand-millionth
    supposes = Suppose(
        "all M sums belong to the same set",
        lambda g: near(g.p, power_sums(g.x, len(g.x))),
        without=twins,
    )
    symbols = "elements", "roots from power sums"
    shows = Along("A set from the sums of its powers", x="m", y="xₘ", first=1)

    def given(self, rng: Generator) -> Given:
        jitter = uniform(rng, self.M)  # no two closer than half their mean distance
        x = 2 * (torch.arange(self.M) + 0.25 + 0.5 * jitter) / self.M - 1
        return Given(x, power_sums(x, self.M))

    def predict(self, given: Given) -> Tensor:
        return given.x

    def measure(self, given: Given) -> Tensor:
        return multiset_from_power_sums(given.p)
