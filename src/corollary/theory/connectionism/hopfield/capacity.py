r"""How many random patterns a Hopfield network holds, bit by bit.

Store :math:`s` patterns of :math:`n` independent fair signs with zero-diagonal Hebbian couplings.
A bit of a stored pattern is unstable when its crosstalk outweighs its signal. For fixed load
:math:`s/n` the probability of that tends to

.. math:: P(\mathcal N(0, s/n) \ge 1) = \sqrt{\frac{n}{2\pi s}} \int_1^\infty
    e^{-n z^2 / 2s}\, dz = \tfrac12 \operatorname{erfc} \sqrt{n / 2s}.

A whole pattern has :math:`n` bits, so it survives with probability tending to 1 up to
:math:`s = n / (2 \ln n)`: there the expected number of unstable bits is at most
:math:`(4 \pi \ln n)^{-1/2}`. All :math:`s` patterns survive together up to
:math:`n / (4 \ln n)`.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; McEliece, Posner, Rodemich and Venkatesh
    (1987), "The capacity of the Hopfield associative memory"; Hertz, Krogh and Palmer (1991),
    "Introduction to the Theory of Neural Computation", Section 2.2.
:covers: hopfield-bit-error-probability, hopfield-sublinear-capacity
:erratum: [typo] The displayed integral lacks the factor sqrt(n / (2 pi s)); the closed form after
    it is the normalised one and is right (s/n = 0.3: 0.0466 as printed, 0.0339 by either form
    above).
:erratum: [loose] The notes print the capacity n / (2 log_2 n). That is sufficient but smaller than
    the sharp n / (2 ln n) by the factor ln 2 = 0.693; at n = 1e8 the expected number of wrong bits
    is 1.5e-5 there, 0.064 at n / (2 ln n) and 5.1 at 1.3 n / (2 ln n).
"""

import math
from typing import Literal

from scipy.special import betainc, erfc

from corollary.errors import InputError


def bit_error_limit(load: float | int) -> float:
    r"""The limit :math:`\frac12 \operatorname{erfc} \sqrt{1 / (2\,\mathrm{load})}` for fixed load.

    Example:
        >>> round(bit_error_limit(0.3), 4)
        0.0339
    """
    if not load > 0:
        raise InputError(f"load = s/n must be positive, got {load:g}")
    return 0.5 * float(erfc(math.sqrt(0.5 / load)))


def bit_error(n: int, s: int) -> float:
    r"""The probability that a stored bit is unstable, exactly, for finite :math:`n` and :math:`s`.

    :math:`n\,x_{t,i} C_{t,i}` is a sum of :math:`N = (s-1)(n-1)` independent fair signs, and the
    bit flips when it is below :math:`-(n-1)`; a tie flips the -1 and not the +1.

    Example:
        >>> bit_error(100, 1), bit_error(2, 2)  # N = 1: the sum is -1 or +1, a tie or a surplus
        (0.0, 0.25)
    """
    if not (n >= 1 and s >= 1):
        raise InputError(f"a network needs n >= 1 neurons and s >= 1 patterns, got n={n}, s={s}")
    N = (s - 1) * (n - 1)
    if N == 0:
        return 0.0
    ups, odd = divmod(N - (n - 1), 2)  # a tie needs exactly this many signs +1
    if odd:
        return _fair_coin_tail(ups, N)
    return 0.5 * (_fair_coin_tail(ups - 1, N) + _fair_coin_tail(ups, N))


def expected_wrong_bits(n: float | int, s: float | int) -> float:
    r"""The Gaussian count :math:`\frac n2 \operatorname{erfc} \sqrt{n/2s}` of unstable bits.

    Example:
        >>> round(expected_wrong_bits(1e8, hopfield_capacity(1e8)), 3)
        0.064
    """
    return n * bit_error_limit(s / n)


def wrong_bits_bound(n: float | int) -> float:
    r"""Bound :math:`(4\pi \ln n)^{-1/2}` on the unstable bits expected at :math:`n/(2\ln n)`.

    From :math:`P(\mathcal N(0, 1) \ge z) \le e^{-z^2/2} / (z \sqrt{2\pi})` at
    :math:`z = \sqrt{2 \ln n}`.

    Example:
        >>> round(wrong_bits_bound(1e8), 4)
        0.0657
    """
    _check_size(n)
    share: float = (4 * math.pi * math.log(n)) ** -0.5
    return share


def hopfield_capacity(n: float | int, mode: Literal["one", "all"] = "one") -> float:
    r"""Patterns that can be recalled without a wrong bit.

    Args:
        n: Neurons.
        mode: ``one``: a given pattern, :math:`n / (2 \ln n)`; ``all`` of them together,
            :math:`n / (4 \ln n)`.

    Example:
        >>> round(hopfield_capacity(1000)), round(hopfield_capacity(1000, "all"))
        (72, 36)
    """
    _check_size(n)
    if mode not in ("one", "all"):
        raise InputError(f"expected mode to be 'one' or 'all', got {mode!r}")
    return n / ((2 if mode == "one" else 4) * math.log(n))


def _fair_coin_tail(k: int, N: int) -> float:
    """P(at most k heads in N tosses), by the incomplete beta function: N may exceed 2^31."""
    return float(betainc(N - k, k + 1, 0.5)) if k >= 0 else 0.0


def _check_size(n: float | int) -> None:
    if not n >= 2:
        raise InputError(f"n / ln n needs n >= 2 neurons, got n={n:g}")
