r"""A linear recurrence is a prefix scan.

The steps of :math:`z_t=a_tz_{t-1}+b_t` are affine maps, composed by
:math:`(a_2,b_2)\circ(a_1,b_1)=(a_2a_1,a_2b_1+b_2)`. The law is associative,

.. math:: \bigl(p_3\circ p_2\bigr)\circ p_1=p_3\circ\bigl(p_2\circ p_1\bigr),

so a tree of any shape gives the states of the loop, at every length.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Blelloch (1990), "Prefix sums and their
    applications".
:kind: theorem
:covers: prefix-scan-recurrence
"""

from itertools import accumulate
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal, option, uniform
from corollary.theory.sequences.scan import Compose, Method, Pair, compose, prefixes


class Given(NamedTuple):
    """Steps, and the law by which two of them are made one."""

    a: Float[Tensor, "T 1"]
    b: Float[Tensor, "T 1"]
    law: Compose


def slipped(later: Pair, earlier: Pair) -> Pair:
    """The law with b1 where b2 belongs."""
    (a2, _), (a1, b1) = later, earlier
    return a2 * a1, a2 * b1 + b1


def associates(given: Given) -> tuple[bool, str]:
    """Both ways to compose the first three steps."""
    law, (p, q, r) = given.law, ((given.a[t], given.b[t]) for t in range(3))
    left, right = law(law(r, q), p), law(r, law(q, p))
    off = max(float((u - v).abs().max()) for u, v in zip(left, right, strict=True))
    return off < 1e-12, f"difference {off:.2g}"


def states(given: Given, method: Method) -> Float[Tensor, " T"]:
    """The offsets of all prefixes."""
    return prefixes((given.a, given.b), method, law=given.law)[1].flatten()


class PrefixScan(Claim[Given]):
    T: int = option(37, low=3, high=2000)  # steps

    relation = equals(ulps=2**14, scale=1.0)  # sums of up to T terms in another order
    supposes = Suppose(
        "the law is associative",
        associates,
        "With one wrong letter the law is not associative, and the shape of the tree matters.",
        law=lambda g: slipped,
    )
    symbols = "loop", "trees of Hillis and Steele, then Blelloch"
    shows = Along("A recurrence by two trees", x="t, then T + t", y="z_t", first=1)

    def given(self, rng: Generator) -> Given:
        """Factors of either sign around 0.9, so that much is remembered."""
        sign = torch.where(uniform(rng, self.T, 1) < 0.5, -1.0, 1.0)
        a = sign * (0.8 + 0.2 * uniform(rng, self.T, 1))
        return Given(a, normal(rng, self.T, 1), compose)

    def predict(self, given: Given) -> Tensor:
        steps = zip(given.a, given.b, strict=True)
        z = accumulate(steps, lambda z, step: step[0] * z + step[1], initial=torch.zeros(1))
        return torch.cat(list(z)[1:]).repeat(2)

    def measure(self, given: Given) -> Tensor:
        return torch.cat([states(given, "hillis_steele"), states(given, "blelloch")])
