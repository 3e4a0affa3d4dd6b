r"""Step sizes along a run, and which of them make SGD converge.

:source: Mathematical Foundations of Deep Learning (slides), Optimization; Robbins and Monro
    (1951), "A stochastic approximation method".
"""

from collections.abc import Callable

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_positive

Schedule = Callable[[int], float]  # from the number of the step, 1, 2, ..., to its size


def constant(eta: float) -> Schedule:
    """The same step for ever.

    Example:
        >>> constant(0.5)(100)
        0.5
    """
    check_positive("eta", eta)
    return lambda i: eta


def power(c: float, a: float) -> Schedule:
    r"""Steps :math:`\eta_i=c\,i^{-a}`.

    Example:
        >>> power(2.0, 1.0)(4), power(2.0, 0.5)(4)
        (0.5, 1.0)
    """
    check_positive("c", c)
    if not a >= 0:
        raise InputError(f"the power a must not be negative, got {a:g}")
    return lambda i: c * i**-a


def power_sum_diverges(a: float) -> bool:
    r"""Whether :math:`\sum_ii^{-a}` is infinite: iff :math:`a\le1`.

    Example:
        >>> power_sum_diverges(1.0), power_sum_diverges(1.5)
        (True, False)

    :covers: robbins-monro
    """
    return a <= 1


def satisfies_robbins_monro(a: float) -> bool:
    r"""Whether steps :math:`c\,i^{-a}` have an infinite sum and a finite sum of squares.

    True iff :math:`\frac12<a\le1`.

    Example:
        >>> [satisfies_robbins_monro(a) for a in (0.0, 0.5, 0.75, 1.0, 1.5)]
        [False, False, True, True, False]

    :covers: robbins-monro
    :erratum: [typo] Both sums are printed up to k; a finite sum is never infinite, so the upper
        limit has to be infinity.
    """
    return power_sum_diverges(a) and not power_sum_diverges(2 * a)
