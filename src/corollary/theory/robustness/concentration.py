r"""Tails of sums: Bernstein's inequality under its moment condition, and chi-square.

If :math:`\mathbb E|X|^q\le\frac{q!}2s^2c^{q-2}` for all :math:`q\ge2` (i.i.d., centred), then
:math:`\mathbb Ee^{\lambda\sum X_j}\le\exp\frac{ks^2\lambda^2}{2(1-\lambda c)}` for
:math:`0\le\lambda<1/c`, and with probability at least :math:`1-\gamma`

.. math:: \sum_{j=1}^kX_j\le\sqrt{2s^2k\log(1/\gamma)}+c\log(1/\gamma).

For :math:`S\sim\chi^2_k` and :math:`L=\log(2/\gamma)`, with probability at least :math:`1-\gamma`:
:math:`|S-k|\le2\sqrt{kL}+2L` always, :math:`\le4\sqrt{kL}` if :math:`k\ge L`, and
:math:`\le\sqrt{8kL}` if :math:`k>8L`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.1, Theorem 76 and Lemma 77;
    Boucheron, Lugosi and Massart (2013), Concentration Inequalities, Section 2.8; Laurent and
    Massart (2000), "Adaptive estimation of a quadratic functional by model selection", Lemma 1.
"""

import math
from typing import Literal, NamedTuple

from corollary.errors import InputError

Version = Literal["laurent_massart", "notes", "sub_gaussian"]
Law = Literal["exponential", "rademacher", "uniform", "laplace", "normal"]


class MomentConstants(NamedTuple):
    """``s2`` and ``c`` of the moment condition."""

    s2: float | int
    c: float | int


def moment_constants(law: Law) -> MomentConstants:
    r"""Constants of the moment condition for a centred law.

    Exponential of mean 1, minus 1; signs; uniform on [-1, 1]; Laplace and normal of scale 1. A law
    bounded by M of variance v has :math:`s^2=v` and :math:`c=M/3`.

    Example:
        >>> moment_constants("exponential"), moment_constants("rademacher").s2
        (MomentConstants(s2=1.0, c=1.0), 1.0)

    :covers: bernstein-inequality
    """
    known = {
        "exponential": MomentConstants(1.0, 1.0),
        "rademacher": MomentConstants(1.0, 1 / 3),
        "uniform": MomentConstants(1 / 3, 1 / 3),
        "laplace": MomentConstants(2.0, 1.0),  # E|X|^q = q!
        "normal": MomentConstants(1.0, 0.55),  # the third moment needs 2 sqrt(2/pi) / 3 = 0.532
    }
    if law not in known:
        raise InputError(f"law must be one of {', '.join(known)}, got '{law}'")
    return known[law]


def bounded_constants(variance: float | int, largest: float | int) -> MomentConstants:
    r"""Constants for a centred variable with :math:`|X|\le` largest.

    Example:
        >>> bounded_constants(0.01, 0.3)
        MomentConstants(s2=0.01, c=0.09999999999999999)

    :covers: bernstein-inequality
    """
    if not 0 < variance <= largest**2:
        raise InputError(
            f"expected 0 < variance <= largest^2, got variance={variance}, largest={largest}"
        )
    return MomentConstants(variance, largest / 3)


def bernstein_bound(k: int, s2: float | int, c: float | int, gamma: float | int) -> float:
    """The value that a sum of k variables exceeds with probability at most gamma.

    Example:
        >>> round(bernstein_bound(100, 1.0, 1.0, 0.05), 3)  # sqrt(200 log 20) + log 20
        27.473

    :covers: bernstein-inequality
    """
    log = _checked_log(k, 1 / gamma if gamma > 0 else math.inf, gamma)
    _check_constants(s2, c)
    return math.sqrt(2 * s2 * k * log) + c * log


def bernstein_log_mgf(k: int, s2: float | int, c: float | int, lam: float | int) -> float:
    r"""The bound :math:`ks^2\lambda^2/2(1-\lambda c)` on log E exp(lambda sum X).

    Example:
        >>> bernstein_log_mgf(10, 1.0, 1.0, 0.5)
        2.5

    :covers: bernstein-inequality
    :erratum: [typo] The sketch takes lambda in [0, 1/c]; at lambda = 1/c the bound is infinite, so
        the interval is half open. For the centred exponential with c = 1 the moment generating
        function exp(-lambda)/(1 - lambda) is infinite there too.
    """
    _check_constants(s2, c)
    if not (0 <= lam and lam * c < 1):
        raise InputError(f"lambda must lie in [0, 1/c) = [0, {1 / c:g}), got {lam:g}")
    return k * s2 * lam**2 / (2 * (1 - lam * c))


def chi2_bound(k: int, gamma: float | int, version: Version = "laurent_massart") -> float:
    r"""How far a chi-square variable with k degrees of freedom strays from k.

    ``laurent_massart`` holds for all k; ``notes``, :math:`4\sqrt{kL}`, for :math:`k\ge L`;
    ``sub_gaussian``, :math:`\sqrt{8kL}`, for :math:`k>8L`, with
    :math:`L=\log(2/\gamma)`. Values are given outside these ranges too: see
    :func:`chi2_applies`.

    Example:
        >>> [round(chi2_bound(100, 0.1, v), 1) for v in ("sub_gaussian", "notes")]
        [49.0, 69.2]
        >>> round(chi2_bound(100, 0.1), 1)
        40.6

    :covers: chi-square-concentration
    :erratum: [missing hypothesis] (12.8) is stated for all k and gamma; it holds for
        k >= log(2/gamma) and fails for small k: k = 1, gamma = 1e-6 has exact failure probability
        5.6e-5, and k = 1, gamma = 1e-4 has 2.3e-4.
    """
    log = _checked_log(k, 2 / gamma if gamma > 0 else math.inf, gamma)
    if version == "laurent_massart":
        return 2 * math.sqrt(k * log) + 2 * log
    if version == "notes":
        return 4 * math.sqrt(k * log)
    if version == "sub_gaussian":
        return math.sqrt(8 * k * log)
    raise InputError(f"version is laurent_massart, notes or sub_gaussian, not '{version}'")


def chi2_applies(k: int, gamma: float | int, version: Version = "laurent_massart") -> bool:
    """Whether the theorem behind a version of the bound covers this k and gamma.

    Example:
        >>> chi2_applies(1, 1e-6, "notes"), chi2_applies(1, 1e-6)
        (False, True)

    :covers: chi-square-concentration
    """
    log = _checked_log(k, 2 / gamma if gamma > 0 else math.inf, gamma)
    least = {"laurent_massart": 0.0, "notes": log, "sub_gaussian": 8 * log}[version]
    return k > least if version == "sub_gaussian" else k >= least


def chi2_tail(k: int, deviation: float | int) -> float:
    """The exact probability that a chi-square variable is off its mean by at least this.

    Example:
        >>> round(chi2_tail(2, 2.0), 4)  # below 0 or above 4: exp(-2)
        0.1353

    :covers: chi-square-concentration
    """
    from scipy.special import chdtr, chdtrc

    return float(chdtrc(k, k + deviation) + (chdtr(k, k - deviation) if deviation < k else 0.0))


def _checked_log(k: int, ratio: float, gamma: float | int) -> float:
    if k < 1:
        raise InputError(f"at least one variable is needed, got k = {k}")
    if not 0 < gamma < 1:
        raise InputError(f"expected a probability gamma between 0 and 1, got {gamma}")
    return math.log(ratio)


def _check_constants(s2: float | int, c: float | int) -> None:
    if not (s2 > 0 and c >= 0):
        raise InputError(f"the moment condition needs s2 > 0 and c >= 0, got s2={s2}, c={c}")
