"""The amount of work of an examination, which is the same on every machine."""

from enum import StrEnum

from corollary.errors import InputError


class Effort(StrEnum):
    """The effort of an examination."""

    quick = "quick"
    standard = "standard"
    thorough = "thorough"


# Seconds of the nominal machine (corollary.exams.work), and the time after which the examination
# is cut short on any machine: far longer, for machines are slow and busy, and what is found must
# not depend on that.
WORK = {Effort.quick: 20.0, Effort.standard: 100.0, Effort.thorough: 1000.0}
LIMIT = {Effort.quick: 1800.0, Effort.standard: 7200.0, Effort.thorough: 36000.0}


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
