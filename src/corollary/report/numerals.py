"""Numbers in a report: four digits, powers of ten raised, intervals in brackets."""

import math
import re

from corollary.core.measurement import Reading
from corollary.core.numbers import short

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def numeral(value: float) -> str:
    """A number for a reader.

    Example:
        >>> numeral(17.0), numeral(1.5e-9), numeral(-0.25), numeral(math.inf)
        ('17', '1.5·10⁻⁹', '−0.25', '∞')
    """
    if not math.isfinite(value):
        return "not a number" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    text = re.sub(r"e([+-])0*(\d+)", _power, short(value))
    return text.replace("-", "−")


def _power(match: re.Match[str]) -> str:
    sign = "-" if match.group(1) == "-" else ""
    return "·10" + f"{sign}{match.group(2)}".translate(_RAISED)


def interval(reading: Reading) -> str:
    """The interval of a reading, or nothing if the number is exact.

    Example:
        >>> interval(Reading(0.5, 0.4, 0.6)), interval(Reading(1.0, 1.0, 1.0))
        ('[0.4, 0.6]', '')
    """
    if reading.low == reading.high or math.isnan(reading.low):
        return ""
    return f"[{numeral(reading.low)}, {numeral(reading.high)}]"
