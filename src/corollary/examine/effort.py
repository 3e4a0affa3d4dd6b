"""How much work an examination is: the same on every machine, whatever else runs there."""

from enum import StrEnum

from corollary.errors import InputError


class Effort(StrEnum):
    """Of an examination."""

    quick = "quick"
    standard = "standard"
    thorough = "thorough"


# Seconds of the nominal machine (corollary.exams.work), and the time in which the examination is
# cut short on any machine: ten times as long and more, for machines are slow and busy.
WORK = {Effort.quick: 15.0, Effort.standard: 100.0, Effort.thorough: 1000.0}
LIMIT = {Effort.quick: 300.0, Effort.standard: 1200.0, Effort.thorough: 10000.0}


def effort_of(name: str) -> Effort:
    """The effort that a name stands for.

    Example:
        >>> effort_of("hard")
        Traceback (most recent call last):
            ...
        corollary.errors.InputError: expected the effort quick, standard or thorough, got 'hard'
    """
    if name not in list(Effort):
        raise InputError(f"expected the effort quick, standard or thorough, got '{name}'")
    return Effort(name)
