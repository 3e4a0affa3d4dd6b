"""The questions of the exams in order, and the selection of exams."""

from collections.abc import Sequence

from corollary.errors import UnknownNameError
from corollary.registry import Entry, entries, question

CUT_SHORT = "examination/cut_short"  # the note that not all exams could run
# What is asked first: whether the rest means anything. Answers that are equally severe follow suit.
QUESTIONS = ("soundness", "trainability", "learning", "function", "generalization", "robustness")


def chosen_exams(only: str | Sequence[str] | None) -> list[Entry]:
    """The exams asked for: all, some questions, or single exams.

    Raises:
        UnknownNameError: if a name is neither.
    """
    exams = sorted((e for e in entries() if e.is_exam), key=lambda e: turn(e.area))
    if only is None:
        return exams
    wanted = [only] if isinstance(only, str) else list(only)
    for name in wanted:
        if not any(name in (e.area, e.name, e.stem) for e in exams):
            known = ", ".join(dict.fromkeys(e.area for e in exams))
            raise UnknownNameError(
                f"there is no question or exam '{name}'; the questions are {known}"
            )
    return [e for e in exams if {e.area, e.name, e.stem} & set(wanted)]


def asked(name: str) -> str:
    """A question in full."""
    return "Was the examination complete?" if name == CUT_SHORT.split("/")[0] else question(name)


def turn(name: str) -> int:
    """The position of a question; one that is not listed comes last."""
    return QUESTIONS.index(name) if name in QUESTIONS else len(QUESTIONS)
