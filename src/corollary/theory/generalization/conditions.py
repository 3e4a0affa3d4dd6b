"""What every bound of this folder asks of its numbers, with one sentence when it is not so."""

import math

from corollary.errors import InputError

Number = int | float


def check_sample(name: str, n: Number) -> None:
    """Refuse a number of samples (or functions, or parameters) below 1.

    Example:
        >>> check_sample("n", 10)
    """
    if not 1 <= n < math.inf:
        raise InputError(f"{name} must be at least 1 and finite, got {n:g}")


def check_delta(delta: Number) -> None:
    """Refuse a failure probability outside (0, 1).

    Example:
        >>> check_delta(0.05)
    """
    if not 0 < delta < 1:
        raise InputError(f"expected a probability of failure delta in (0, 1), got {delta:g}")


def check_range(a: Number, b: Number) -> None:
    """Refuse an interval of values without length.

    Example:
        >>> check_range(0.0, 1.0)
    """
    if not (a < b and math.isfinite(b - a)):
        raise InputError(f"values must lie in [a, b] with a < b, got a={a:g} and b={b:g}")


def check_nonnegative(name: str, value: Number) -> None:
    """Refuse a negative number, NaN and infinity.

    Example:
        >>> check_nonnegative("eps", 0.1)
    """
    if not 0 <= value < math.inf:
        raise InputError(f"{name} must be a finite number >= 0, got {value:g}")
