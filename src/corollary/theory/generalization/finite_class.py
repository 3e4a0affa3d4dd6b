r"""Finitely many functions at once: the union bound, and what it says about the best one.

With probability at least :math:`1-\delta`, for all N functions of a class with values in
:math:`[a,b]` at once and for the minimiser :math:`f_S` of the empirical risk,

.. math:: |R(f)-R_S(f)|\le(b-a)\sqrt{\frac{\log N+\log(2/\delta)}{2n}},\qquad
   R(f_S)\le\min_fR(f)+2(b-a)\sqrt{\frac{\log N+\log(2/\delta)}{2n}} .

The second follows from the first by :math:`R(f_S)-R(f^*)\le2\sup_f|R(f)-R_S(f)|`, which is true on
every sample.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 8.1 and 8.2, Theorem 59.
"""

import math

from jaxtyping import Float, Int
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.generalization.conditions import (
    Number,
    check_delta,
    check_range,
    check_sample,
)
from corollary.theory.generalization.deviations import hoeffding_probability, sides_factor


def finite_class_deviation(
    N: Number, n: int, delta: Number, *, a: Number = 0.0, b: Number = 1.0, sides: int = 2
) -> float:
    r"""The largest gap of N functions that holds with probability :math:`1-\delta`.

    ``sides=1`` bounds :math:`R-R_S` only, with :math:`\log(1/\delta)` for :math:`\log(2/\delta)`.
    For a class too large to write down use :func:`class_deviation` with its logarithm.

    Example:
        >>> round(finite_class_deviation(1000, 5000, 0.05), 4)
        0.0326

    :covers: union-bound-finite-class
    :erratum: [possible OCR artefact] Equation 8.13 shows R(f) - R_S(f) + sqrt(...) without a
        relation; R(f) <= R_S(f) + sqrt(...) is meant. With the one-sided 8.12 log(1/delta) is
        enough: 0.0315 for 0.0326 at N = 1000, n = 5000, delta = 0.05.
    """
    check_sample("N", N)
    return class_deviation(math.log(N), n, delta, a=a, b=b, sides=sides)


def class_deviation(
    log_N: Number, n: int, delta: Number, *, a: Number = 0.0, b: Number = 1.0, sides: int = 2
) -> float:
    r"""The same, from the logarithm of the number of functions.

    Example:
        >>> class_deviation(0.0, 100, 0.05) == finite_class_deviation(1, 100, 0.05)
        True
    """
    check_range(a, b)
    check_sample("n", n)
    check_delta(delta)
    if not 0 <= log_N < math.inf:
        raise InputError(f"expected log_N >= 0, got {log_N:g}")
    room = log_N + math.log(sides_factor(sides) / delta)
    return (b - a) * math.sqrt(room / (2 * n))


def finite_class_probability(
    N: int, n: int, eps: Number, *, a: Number = 0.0, b: Number = 1.0, sides: int = 2
) -> float:
    r"""The bound on the probability that one of N functions is off by more than eps.

    Example:
        >>> finite_class_probability(3, 100, 0.1) == 3 * hoeffding_probability(100, 0.1)
        True
    """
    check_sample("N", N)
    return N * hoeffding_probability(n, eps, a=a, b=b, sides=sides)


def erm_excess(N: Number, n: int, delta: Number, *, a: Number = 0.0, b: Number = 1.0) -> float:
    """How much worse than the best of N functions the empirically best one may be.

    Example:
        >>> erm_excess(50, 400, 0.05) == 2 * finite_class_deviation(50, 400, 0.05)
        True

    :covers: erm-estimation-error
    :erratum: [missing hypothesis] Theorem 59 contains delta but not "with probability at least
        1 - delta"; its proof ends with that clause (8.16). Without it the statement is false: two
        functions of risks 0.1 and 0.9, n = 5 and delta = 0.99 give the bound 0.75, and the worse
        one looks better on a sample with probability 1.5e-4, an excess of 0.8.
    """
    return 2 * finite_class_deviation(N, n, delta, a=a, b=b)


def erm(losses: Float[Tensor, "*t n k"]) -> tuple[Int[Tensor, "*t"], Float[Tensor, "*t"]]:
    """The empirically best of k functions from their losses on n samples, and its empirical risk.

    Ties go to the first. Leading axes are repeated samples.

    Example:
        >>> import torch
        >>> best, risk = erm(torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
        >>> best.item(), risk.item()
        (0, 0.5)

    :covers: expected-empirical-risk
    :test: tests/theory/generalization/test_finite_class.py
    """
    risk, best = losses.mean(dim=-2).min(dim=-1)
    return best, risk


def largest_deviation(
    risks: Float[Tensor, " k"], empirical: Float[Tensor, "*t k"]
) -> Float[Tensor, "*t"]:
    r"""The supremum :math:`\sup_f|R(f)-R_S(f)|` over a finite class.

    Example:
        >>> import torch
        >>> largest_deviation(torch.tensor([0.5, 0.2]), torch.tensor([0.25, 0.2])).item()
        0.25
    """
    return (empirical - risks).abs().amax(dim=-1)
