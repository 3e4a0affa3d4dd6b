r"""Bounds for infinite classes, by their labelings and by their VC dimension h.

With probability at least :math:`1-\delta`, for all f of the class,

.. math:: R(f)\le R_S(f)+2\sqrt{\frac{2(\log S_{\mathcal F}(2n)+\log(2/\delta))}n},\qquad
   S_{\mathcal F}(n)\le\sum_{i\le h}\binom ni\le\Bigl(\frac{en}h\Bigr)^h\quad(n\ge h).

Together: :math:`\log S_{\mathcal F}(2n)\le h(\log(2n/h)+1)` for :math:`2n\ge h`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.3, Theorem 60 and Lemma 61; Vapnik
    and Chervonenkis (1971), "On the uniform convergence of relative frequencies of events to their
    probabilities"; Sauer (1972), "On the density of families of sets".
"""

import math

from corollary.errors import InputError
from corollary.theory.generalization.conditions import Number, check_delta, check_sample


def sauer_bound(n: int, h: int) -> int:
    r"""The most labelings of n points that a class of VC dimension h can have, exactly.

    .. math:: \sum_{i=0}^{h}\binom ni,

    which is :math:`2^n` for :math:`n\le h` and of order :math:`n^h` beyond.

    Example:
        >>> [sauer_bound(n, 2) for n in range(1, 6)]
        [2, 4, 7, 11, 16]

    :covers: sauer-shelah
    :erratum: [wrong] The remark after Lemma 61 says that the first bound grows faster than
        exponentially in n before it becomes polynomial. It equals 2^n for n <= h, never exceeds it,
        and is of order n^h afterwards: for h = 3 the values 2, 4, 8, 15, 26, 42.
    """
    _check(n, h)
    return sum(math.comb(n, i) for i in range(min(n, h) + 1))


def sauer_power(n: int, h: int) -> float:
    r"""The simpler bound :math:`(en/h)^h` for :math:`n\ge h\ge1`.

    Example:
        >>> sauer_power(10, 1) > sauer_bound(10, 1), round(sauer_power(10, 1), 3)
        (True, 27.183)

    :covers: sauer-shelah
    """
    _check(n, h)
    if not n >= h >= 1:
        raise InputError(f"(en/h)^h bounds the labelings for n >= h >= 1, got n={n} and h={h}")
    return (math.e * n / h) ** h


def vc_deviation(growth: Number, n: int, delta: Number) -> float:
    r"""The bound on :math:`R-R_S` from the number of labelings of 2n points.

    A value above 1 is returned as it is: the bound is then vacuous.

    Args:
        growth: :math:`S_{\mathcal F}(2n)`; any integer, however long.
        n: Samples.
        delta: Probability of failure.

    Example:
        >>> round(vc_deviation(2001, 1000, 0.05), 3)  # thresholds on the line
        0.301
        >>> round(vc_deviation(2**200, 100, 0.05), 1)  # nothing is excluded: vacuous
        3.4

    :covers: vc-generalization-bound
    """
    if not growth >= 1:
        raise InputError(f"a class has at least one labeling, but growth is {growth}")
    return _deviation(math.log(growth), n, delta)


def vc_dimension_deviation(h: Number, n: int, delta: Number, *, sharp: bool = True) -> float:
    r"""The bound on :math:`R-R_S` from the VC dimension.

    Args:
        h: VC dimension, at least 1 and at most 2n.
        n: Samples.
        delta: Probability of failure.
        sharp: ``False`` takes the weaker :math:`h(\log 2n+1)` of the notes.

    Example:
        >>> round(vc_dimension_deviation(2, 1000, 0.05), 3)
        0.395
        >>> round(vc_dimension_deviation(2, 1000, 0.05, sharp=False), 3)
        0.409

    :covers: vc-bound-dimension-form
    """
    check_sample("h", h)
    check_sample("n", n)
    if 2 * n < h:
        raise InputError(f"the bound needs 2n >= h, got n={n} and h={h:g}; use more samples")
    return _deviation(h * (math.log(2 * n / (h if sharp else 1)) + 1), n, delta)


def vc_samples(eps: Number, delta: Number, h: Number, *, sharp: bool = True) -> int:
    """The smallest n from which on the bound by the VC dimension stays at most eps.

    It grows in proportion to h, with a factor of order log(1/eps) / eps^2.

    Example:
        >>> n = vc_samples(0.1, 0.05, 10)
        >>> vc_dimension_deviation(10, n, 0.05) <= 0.1 < vc_dimension_deviation(10, n - 1, 0.05)
        True

    :covers: vc-bound-dimension-form
    """
    check_sample("h", h)
    check_delta(delta)
    if not eps > 0:
        raise InputError(f"eps must be positive, got {eps:g}")

    def bound(n: int) -> float:
        return vc_dimension_deviation(h, n, delta, sharp=sharp)

    low = max(1, math.ceil(h))  # from 2n = 2h on the bound falls with n
    if bound(low) <= eps:
        return low
    high = 2 * low
    while bound(high) > eps:
        low, high = high, 2 * high
    while high - low > 1:  # bound(low) > eps >= bound(high)
        middle = (low + high) // 2
        low, high = (low, middle) if bound(middle) <= eps else (middle, high)
    return high


def _deviation(log_growth: Number, n: int, delta: Number) -> float:
    check_sample("n", n)
    check_delta(delta)
    return 2 * math.sqrt(2 * (log_growth + math.log(2 / delta)) / n)


def _check(n: int, h: int) -> None:
    if not (n >= 0 and h >= 0):
        raise InputError(f"n >= 0 points and a dimension h >= 0 are needed, got n={n}, h={h}")
