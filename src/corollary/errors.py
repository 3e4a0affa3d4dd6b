"""Every exception corollary raises on purpose.

A message says what was expected, what was given, and what to do about it, in the user's own names.
The command line prints it as one sentence and leaves with exit code 2.
"""

import re
from typing import Any

# All but tab and newline; and what turns the direction of writing.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class CorollaryError(Exception):
    """Base of all errors raised on purpose."""


class InputError(CorollaryError, ValueError):
    """A value lies outside the range that the mathematics or the code accepts."""


class InputTypeError(CorollaryError, TypeError):
    """A value is of the wrong type."""


class OptionError(InputError):
    """A claim's parameter has a wrong type or lies outside its range."""


class UnknownNameError(CorollaryError, LookupError):
    """No catalogue entry, suite or data set has this name."""


class ResultsFileError(InputError):
    """A results file cannot be read or written."""


class MissingExtraError(CorollaryError, ImportError):
    """An optional dependency is needed and not installed."""


class DataUnavailableError(CorollaryError, FileNotFoundError):
    """A real data set is neither on disk nor reachable."""


class NotFiniteError(CorollaryError, ArithmeticError):
    """A computation gave NaN or infinity; the message says where."""

    history: Any = None  # of the run so far, if it was training


class TimeLimitError(CorollaryError, TimeoutError):
    """An entry ran past its time limit."""


class LostProcessError(CorollaryError, RuntimeError):
    """Another process of the run has ended, so this process cannot continue."""


class NotApplicableError(CorollaryError):
    """An exam or an instrument does not apply to this module; the message says why."""


class TooMuchWorkError(NotApplicableError):
    """An exam applies, but needs more work than the effort allows.

    Args:
        seconds: The time that the exam would take on the nominal machine.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"this exam needs about {duration(seconds)} of work, more than this effort allows"
        )
        self.seconds = seconds


def duration(seconds: float) -> str:
    """A time in seconds, minutes or hours, depending on its size.

    Example:
        >>> duration(45.2), duration(600), duration(8000)
        ('45 s', '10 min', '2.2 h')
    """
    if seconds < 120:
        return f"{seconds:.2g} s" if seconds < 1 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.2g} h"


def printable(text: str) -> str:
    r"""An external text without the control characters that a terminal would execute.

    Example:
        >>> printable("a\x1b[2J\u202eb\n")
        'a�[2J�b\n'
    """
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str, most: int = 400) -> str:
    r"""An external message as one line of bounded length.

    Example:
        >>> one_line("size mismatch:\n    expected 2")
        'size mismatch: expected 2'
    """
    folded = " ".join(printable(text).split())
    return folded if len(folded) <= most else folded[: most - 4] + " ..."
