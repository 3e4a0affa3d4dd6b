r"""A linear recurrence is a prefix scan.

The steps of :math:`z_t=a_tz_{t-1}+b_t` are affine maps, composed by
:math:`(a_2,b_2)\circ(a_1,b_1)=(a_2a_1,a_2b_1+b_2)`. The law is associative,

.. math:: \bigl(p_3\circ p_2\bigr)\circ p_1=p_3\circ\bigl(p_2\circ p_1\bigr),

so a tree of any shape gives the states of the loop, at every length.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Blelloch (1990), "Prefix sums and their
    applications".
:kind: theorem
:cost: instant
:covers: prefix-scan-recurrence
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.sequences.scan import Method, Pair, compose, prefixes


class Given(NamedTuple):
    """Steps, and how two of them are made one."""

    a: Float[Tensor, "T 1"]
    b: Float[Tensor, "T 1"]
    slip: bool  # whether the law has b1 where b2 belongs


@dataclass(frozen=True)
class PrefixScan(Claim[Given]):
    """Trees against the loop."""

    T: int = option(37, low=3, high=2000)  # steps
    relation = equals(ulps=2**14, scale=1.0)  # sums of up to T terms in another order

    def given(self, rng: Generator) -> Given:
        """Factors of either sign around 0.9, so that much is remembered."""
        sign = torch.where(torch.rand(self.T, 1, generator=rng) < 0.5, -1.0, 1.0)
        a = sign * (0.8 + 0.2 * torch.rand(self.T, 1, generator=rng, dtype=torch.float64))
        return Given(a, torch.randn(self.T, 1, generator=rng, dtype=torch.float64), False)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Associativity, on the first three steps."""
        law = _slipped if given.slip else compose
        p, q, r = ((given.a[t], given.b[t]) for t in range(3))
        left, right = law(law(r, q), p), law(r, law(q, p))
        off = max(float((u - v).abs().max()) for u, v in zip(left, right, strict=True))
        yield Hypothesis("the law is associative", off < 1e-12, f"off by {off:.2g}")

    def predict(self, given: Given) -> list[float]:
        """The loop under the law, twice."""
        return _states(given, "sequential") * 2

    def measure(self, given: Given) -> list[float]:
        """Two trees."""
        return _states(given, "hillis_steele") + _states(given, "blelloch")

    def counterexample(self, rng: Generator) -> Given:
        """A slip of one letter, and the shape of the tree matters."""
        return self.given(rng)._replace(slip=True)

    def figure(self, given: Given) -> Figure:
        """The states."""
        t = list(range(1, len(given.a) + 1))
        marks = (
            Curve(_states(given, "sequential"), x=t, label="loop", role="predicted"),
            Points(
                t[::2],
                _states(given, "hillis_steele")[::2],
                label="tree of Hillis and Steele, odd t",
            ),
            Points(t[1::2], _states(given, "blelloch")[1::2], label="tree of Blelloch, even t"),
        )
        return Figure("A recurrence by trees", x="t", y="z_t", marks=marks)


def _slipped(later: Pair, earlier: Pair) -> Pair:
    (a2, _), (a1, b1) = later, earlier
    return a2 * a1, a2 * b1 + b1


def _states(given: Given, method: Method) -> list[float]:
    law = _slipped if given.slip else compose
    return prefixes((given.a, given.b), method, law=law)[1].flatten().tolist()
