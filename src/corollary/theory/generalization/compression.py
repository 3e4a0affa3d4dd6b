r"""Bounds for networks that can be written down with few bits.

A network described by q numbers, each one of r values that were fixed before the data, is one of
:math:`r^q` functions, so with probability at least :math:`1-\delta` for all of them

.. math:: R(g)\le R_S(g)+\sqrt{\frac{q\log r+\log(1/\delta)}{2n}} .

If *which* q of Q numbers are kept depends on the data, :math:`\log\binom Qq` is added; and a choice
among k codes costs :math:`\log k`. The bound speaks of the compressed network g, not of the one it
was made from: the price is the change of the training error.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.4; Arora, Ge, Neyshabur and Zhang
    (2018), "Stronger generalization bounds for deep nets via a compression approach", Theorem 2.1.
:covers: compression-bounds
"""

import math

from corollary.errors import InputError
from corollary.theory.generalization.conditions import Number
from corollary.theory.generalization.finite_class import class_deviation


def code_length(q: int, r: int, *, Q: int | None = None, choices: int = 1) -> float:
    """The length in nats of the description of a compressed network.

    Args:
        q: Numbers that are kept.
        r: Values that each may take.
        Q: Numbers among which the q were chosen after seeing the data; none without it.
        choices: Codes (grids, ranks, sparsities) that were tried.

    Example:
        >>> code_length(10, 2) / math.log(2), round(code_length(1, 2, Q=8) / math.log(2), 9)
        (10.0, 4.0)
    """
    if q < 0 or r < 1 or choices < 1 or (Q is not None and Q < q):
        raise InputError(
            f"a code needs q >= 0, r >= 1, Q >= q and choices >= 1, got q={q}, r={r}, Q={Q} and "
            f"choices={choices}"
        )
    chosen = 0.0 if Q is None else _log_binomial(Q, q)
    return q * math.log(r) + chosen + math.log(choices)


def compression_deviation(length: Number, n: int, delta: Number) -> float:
    r"""The bound on :math:`R(g)-R_S(g)` from a code length in nats.

    Example:
        >>> round(compression_deviation(code_length(100, 16), 10_000, 0.05), 4)
        0.1184
    """
    return class_deviation(length, n, delta, sides=1)


def _log_binomial(Q: int, q: int) -> float:
    return math.lgamma(Q + 1) - math.lgamma(q + 1) - math.lgamma(Q - q + 1)
