"""The possible outcomes of a comparison of theory with measurement."""

from enum import StrEnum


class Verdict(StrEnum):
    """The outcome of a check; ``meaning`` is the sentence shown to a reader.

    Example:
        >>> Verdict("holds").meaning
        'the measurement agrees with the prediction'
        >>> Verdict.FAILS.exit_code
        1
    """

    HOLDS = "holds"
    FAILS = "fails"
    VACUOUS = "vacuous"
    INAPPLICABLE = "inapplicable"
    INCONCLUSIVE = "inconclusive"
    CRASHED = "crashed"

    @property
    def meaning(self) -> str:
        """One sentence for a reader."""
        return _MEANINGS[self]

    @property
    def exit_code(self) -> int:
        """The exit code of the command line if this is the worst verdict of a run."""
        if self is Verdict.FAILS:
            return 1
        return 0 if self in (Verdict.HOLDS, Verdict.VACUOUS) else 3


_MEANINGS = {
    Verdict.HOLDS: "the measurement agrees with the prediction",
    Verdict.FAILS: "the measurement contradicts the prediction",
    Verdict.VACUOUS: (
        "the statement is true, but its prediction is no better than a trivial prediction"
    ),
    Verdict.INAPPLICABLE: (
        "a hypothesis does not hold, so the statement says nothing about this instance"
    ),
    Verdict.INCONCLUSIVE: "the budget was used up before the comparison was decided",
    Verdict.CRASHED: "the code raised an error before prediction and measurement could be compared",
}
