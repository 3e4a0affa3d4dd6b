"""The exercises, read from the heads of files: parts, signatures, hints. Imports no grader.

The field ``:a:`` of a head is part a. It begins with the signature of the function that answers
it, in double backquotes; ``:a-hints:`` has up to three hints between vertical bars. A part without
a signature is not graded, and ``:a-ungraded:`` says why.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from corollary.errors import UnknownNameError
from corollary.registry import Entry, exercises

_SIGNATURE = re.compile(r"``((\w+)\((.*?)\))``\s*")
_BAR = re.compile(r"(?<!\S)\|(?!\S)")  # that of a norm has no white space around it
_NUMBER = re.compile(r"(\d+)\.(\d+)\.(\d+)([a-z]?)")


@dataclass(frozen=True)
class Part:
    """One part of a problem."""

    letter: str
    signature: str  # empty: it is not graded
    task: str  # as reStructuredText
    hints: tuple[str, ...] = ()
    ungraded: str = ""  # why it is not graded

    @property
    def function(self) -> str:
        """The name of the function that answers this part."""
        return self.signature.partition("(")[0]


@dataclass(frozen=True)
class Exercise:
    """One problem; everything but :meth:`Entry.load` is read as text."""

    entry: Entry

    @property
    def number(self) -> str:
        """Section and problem, as in 5.8.2."""
        return ".".join(re.findall(r"\d+", self.entry.name))

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts in their order."""
        return tuple(_parts(self.entry.fields))

    def part(self, letter: str) -> Part:
        """The part of this letter.

        Raises:
            UnknownNameError: if there is none.
        """
        for part in self.parts:
            if part.letter == letter:
                return part
        letters = ", ".join(part.letter for part in self.parts)
        raise UnknownNameError(
            f"exercise {self.number} has no part '{letter}'; its parts are {letters}"
        )


def all_exercises() -> tuple[Exercise, ...]:
    """Every exercise, in the order of the notes."""
    found = map(Exercise, exercises())
    return tuple(sorted(found, key=lambda e: [int(n) for n in e.number.split(".")]))


def find_exercise(number: str) -> tuple[Exercise, str]:
    """The exercise of this number, and the letter of the part if one is given.

    Example:
        >>> exercise, letter = find_exercise("5.8.2c")
        >>> exercise.entry.title, letter
        ('Gradient descent for least squares', 'c')

    Raises:
        UnknownNameError: with the nearest numbers, if there is none.
    """
    match = _NUMBER.fullmatch(number.strip().lower())
    wanted = ".".join(match.groups()[:3]) if match else number
    for exercise in all_exercises():
        if match and exercise.number == wanted:
            if match[4]:
                exercise.part(match[4])
            return exercise, match[4]
    known = [exercise.number for exercise in all_exercises()]
    near = " or ".join(get_close_matches(wanted, known, n=2, cutoff=0.5) or known[:2])
    raise UnknownNameError(
        f"there is no exercise '{number}'; expected a section, a problem and optionally a "
        f"part, such as {near}"
    )


def _parts(fields: dict[str, str]) -> Iterator[Part]:
    for letter, text in fields.items():
        if len(letter) != 1:
            continue
        match = _SIGNATURE.match(text)
        hints = (hint.strip() for hint in _BAR.split(fields.get(f"{letter}-hints", "")))
        yield Part(
            letter,
            match[1] if match else "",
            text[match.end() :] if match else text,
            tuple(filter(None, hints)),
            fields.get(f"{letter}-ungraded", ""),
        )
