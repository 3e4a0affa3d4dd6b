r"""A sum can hold a set.

The power sums :math:`p_k=\sum_mx_m^k`, :math:`k=1,\dots,M`, determine the multiset
:math:`\{x_1,\dots,x_M\}`: by Newton's identities they give the coefficients of
:math:`\prod_m(t-x_m)`, whose roots are the elements. So every invariant function of :math:`M`
numbers is :math:`\rho(\sum_m\varphi(x_m))` with :math:`\varphi(t)=(t,\dots,t^M)`. With fewer sums
sets become equal: :math:`\{0,3,5,6\}` and :math:`\{1,2,4,7\}` share the first two.

:source: Perez Jensen (2025), Deep Learning, Section 7.2; Zaheer, Kottur, Ravanbakhsh, Poczos,
    Salakhutdinov and Smola (2017), "Deep sets", Theorem 7.
:kind: construction
:cost: instant
:covers: deep-sets-invariant
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.geometry.multisets import multiset_from_power_sums, power_sums


class Given(NamedTuple):
    """Numbers in ascending order, and their power sums as far as they are kept."""

    x: Float[Tensor, " M"]
    p: Float[Tensor, " M"]  # sums beyond the first ``kept`` may be those of another set
    kept: int


class PowerSumEmbedding(Claim[Given]):
    M: int = option(6, low=1, high=10)  # elements of the set
    # Roots of a polynomial of degree 6 with gaps of 0.2 are known to about 1e4 roundings.
    relation = equals(ulps=1e6, scale=1.0)  # two in a ten-thousand-millionth

    def given(self, rng: Generator) -> Given:
        """Numbers between -1 and 1, none closer to another than half their mean distance."""
        jitter = torch.rand(self.M, generator=rng, dtype=torch.float64)
        x = 2 * (torch.arange(self.M) + 0.25 + 0.5 * jitter) / self.M - 1
        return Given(x, power_sums(x, self.M), self.M)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Enough sums."""
        known = bool(given.kept >= len(given.x))
        yield Hypothesis("there are as many power sums as elements", known)

    def predict(self, given: Given) -> list[float]:
        """The elements."""
        return given.x.tolist()

    def measure(self, given: Given) -> list[float]:
        """The elements recovered."""
        return multiset_from_power_sums(given.p).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Two sets with the same first two sums: the others decide which one is meant."""
        a, b = torch.tensor([[0.0, 3, 5, 6], [1, 2, 4, 7]]).double() / 7
        return Given(a, torch.cat([power_sums(a, 2), power_sums(b, 4)[2:]]), 2)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The polynomial and its roots; the error as sets grow."""
        t = torch.linspace(-1.05, 1.05, 241, dtype=torch.float64)
        polynomial = (t[:, None] - given.x).prod(dim=1)
        found = multiset_from_power_sums(given.p)
        zeros = torch.zeros_like(found)
        roots = Figure(
            "The set as the roots of a polynomial",
            x="t",
            y="∏ₘ (t − xₘ)",
            marks=(
                Curve(polynomial, x=t, label="polynomial of the set", role="other"),
                Points(given.x, zeros, label="elements xₘ", role="predicted"),
                Points(found, zeros, label="roots from power sums"),
            ),
        )
        sizes = list(range(2, 17))
        errors = [_recovery_error(M) for M in sizes]
        growth = Figure(
            "Equidistant sets, recovered in double precision",
            x="M, elements of the set",
            y="largest error of an element",
            log_y=True,
            marks=(Points(sizes, errors, label="error of the roots"),),
        )
        return roots, growth


def _recovery_error(M: int) -> float:
    x = torch.linspace(-1, 1, M, dtype=torch.float64)
    return max(float((multiset_from_power_sums(power_sums(x, M)) - x).abs().max()), 1e-17)
