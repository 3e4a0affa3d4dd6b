"""The ticks of an axis, and how they are written.

Linear axes have steps of 1, 2 or 5 times a power of ten. Log axes have powers of ten; a range of
less than two decades adds 2 and 5, and one without any of these is ticked like a linear axis.
"""

import math

SMALL = 1e-300  # a shorter range has steps that are lost in rounding: it is a point
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def linear_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """About ``count`` round numbers in ``[low, high]``.

    Example:
        >>> linear_ticks(0.0, 97.0)
        [0.0, 20.0, 40.0, 60.0, 80.0]
    """
    span = high - low
    if not SMALL < span < math.inf:
        return [low]
    step = round_step(span / count)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    if last - first > 4 * count:  # the range is so far from zero that steps are lost in rounding
        return [low, high]
    return [k * step for k in range(first, last + 1)] or [low]


def round_step(step: float) -> float:
    """The nearest of 1, 2, 5 times a power of ten that is not much below ``step``."""
    power = 10.0 ** math.floor(math.log10(step))
    lead = step / power
    return power * (1 if lead < 1.5 else 2 if lead < 3.5 else 5 if lead < 7.5 else 10)


def log_ticks(low: float, high: float, count: int = 6) -> tuple[list[float], list[float]]:
    """Ticks with a label, and the small ones between them, for ``0 < low < high``.

    Example:
        >>> log_ticks(1.0, 1000.0)[0]
        [1.0, 10.0, 100.0, 1000.0]
        >>> log_ticks(2.0, 40.0)[0]
        [2.0, 5.0, 10.0, 20.0]
    """
    first = math.ceil(math.log10(low) - 1e-9)
    last = math.floor(math.log10(high) + 1e-9)
    decades = last - first
    if decades >= 2:
        every = max(1, math.ceil((decades + 1) / count))
        powers = [10.0**k for k in range(first, last + 1) if k % every == 0]
        return powers, _between(low, high) if decades <= 4 else []
    some = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1, 2, 5)]
    ticks = [t for t in some if low * (1 - 1e-9) <= t <= high * (1 + 1e-9)]
    return (ticks, _between(low, high)) if len(ticks) >= 3 else (linear_ticks(low, high), [])


def _between(low: float, high: float) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    return [m * 10.0**k for k in powers for m in range(2, 10) if low <= m * 10.0**k <= high]


def labels(ticks: list[float], *, log: bool = False) -> list[str]:
    """The ticks in writing, all with the same number of decimals on a linear axis.

    Example:
        >>> labels([0.0, 0.5, 1.0]), labels([2e6, 4e6]), labels([1.0, 1e3, 1e5], log=True)
        (['0', '0.5', '1'], ['2·10⁶', '4·10⁶'], ['1', '10³', '10⁵'])
    """
    size = max((abs(t) for t in ticks), default=0.0)
    steps = [b - a for a, b in zip(ticks, ticks[1:], strict=False)]
    step = min((s for s in steps if s > 0), default=size)
    if log:
        far = size >= 1e5 or min(ticks, default=1.0) < 1e-3
        return [_scientific(t, t) if far and not 1 <= t <= 10 else f"{t:.6g}" for t in ticks]
    if size >= 1e5 or 0 < size < 1e-3:
        return [_scientific(0.0 if abs(t) < step / 1e6 else t, step) for t in ticks]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9)) if step > 0 else 0
    return [_plain(f"{t:.{min(decimals, 9)}f}", decimals) for t in ticks]


def _plain(text: str, decimals: int) -> str:
    zero = float(text) == 0
    return "0" if zero else (text.rstrip("0").rstrip(".") if decimals else text).replace("-", "−")


def _scientific(value: float, step: float) -> str:
    if value == 0:
        return "0"
    power = math.floor(math.log10(abs(value)) + 1e-12)
    digits = max(0, power - math.floor(math.log10(step) + 1e-9)) if step > 0 else 0
    lead = f"{value / 10.0**power:.{min(digits, 6)}f}" if abs(power) < 300 else f"{value:.2g}"
    lead = (lead.rstrip("0").rstrip(".") if "." in lead else lead).replace("-", "−")
    raised = f"10{str(power).translate(_RAISED)}"
    return {"1": raised, "−1": f"−{raised}"}.get(lead, f"{lead}·{raised}")
