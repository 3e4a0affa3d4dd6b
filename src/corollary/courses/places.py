"""Where in the notes a claim stands, read from its source."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from corollary.courses.notes import Notes
from corollary.registry import Entry

_NUMBERS = r"\d+(?:\.\d+)*(?:(?:, | and |, and | to )\d+(?:\.\d+)*)*"
_SECTIONS = re.compile(rf"(?:Sections?|Chapter) ({_NUMBERS})")
_NUMBERED = re.compile(r"(Theorems?|Lemma|Proposition|Corollary|Definitions?) (\d+)(?:\.(\d+))?")
_EQUATION = re.compile(r"\((\d+)\.\d+\)|(?:Equations?|Figures?|Table) (\d+)\.\d+")
Numbered = tuple[str, int, str | None]  # kind, number, and what follows its point
_PROBLEM = re.compile(r"(?:Problem|Exercise) (\d)")


@dataclass(frozen=True, order=True)
class Place:
    """A section of the notes, with the number of the result if it has one."""

    section: tuple[int, ...]
    result: int = 10_000  # those without a number come last
    exercise: str = ""  # the problem that asks for it, as in 5.8.2

    @property
    def chapter(self) -> int:
        """The chapter or lecture."""
        return self.section[0]


def places(entry: Entry, notes: Notes) -> tuple[Place, ...]:
    """The places of these notes that the source of a claim names, one per chapter.

    A claim that an exercise asks for stands in the section that states it, if there is one.

    Example:
        >>> from corollary.courses.notes import LUCCHI
        >>> from corollary.registry import find
        >>> places(find("maurey_lemma"), LUCCHI)
        (Place(section=(4, 1), result=28, exercise='4.4.2'),)
    """
    cited = [p.strip().rstrip(".") for p in entry.source.split(";")]
    found: dict[int, Place] = {}
    for part in cited:
        if part.startswith(notes.cited):
            for place in _places(part.removeprefix(notes.cited), notes):
                found.setdefault(place.chapter, place)
    return tuple(found.values())


def _places(text: str, notes: Notes) -> Iterator[Place]:
    if notes.topics:
        yield from _topics(text, notes)
        return
    numbered = [(m[1].rstrip("s"), int(m[2]), m[3]) for m in _NUMBERED.finditer(text)]
    named, problem = list(_sections(text)), _PROBLEM.search(text)
    asked = {s[0]: e for s in named if problem and (e := _exercises(notes, s[0]))}
    stated = [s for s in named if s not in asked.values() and not (s[0] in asked and len(s) == 1)]
    found = [*stated, *_located(text, notes), *_of_results(numbered, notes), *asked.values()]
    for section in found or _equations(text):
        exercise = ".".join(map(str, asked.get(section[0], ())))
        number = f"{exercise}.{problem[1]}" if problem and exercise else ""
        yield Place(section, _first(numbered), number)


def _sections(text: str) -> Iterator[tuple[int, ...]]:
    for match in _SECTIONS.finditer(text):
        for number in re.findall(r"[\d.]*\d", match[1]):
            yield tuple(map(int, number.split(".")))


def _exercises(notes: Notes, chapter: int) -> tuple[int, int] | None:
    """The section of a chapter that has its exercises."""
    found = (s for s, title in notes.sections.items() if s[0] == chapter and title == "Exercises")
    return next(found, None)


def _located(text: str, notes: Notes) -> Iterator[tuple[int, ...]]:
    """Where figures, tables and results stand whose numbers do not say it."""
    for phrase, section in notes.located.items():
        if re.search(rf"{phrase}(?!\.?\d)", text):
            yield section


def _of_results(numbered: list[Numbered], notes: Notes) -> Iterator[tuple[int, ...]]:
    """Where numbered results stand; numbers with a point begin with the chapter."""
    for kind, number, dotted in numbered:
        section = (number,) if dotted else notes.section_of(kind, number)
        if section:
            yield section


def _equations(text: str) -> Iterator[tuple[int, ...]]:
    for match in _EQUATION.finditer(text):
        yield (int(match[1] or match[2]),)


def _topics(text: str, notes: Notes) -> Iterator[Place]:
    """Slides have no numbers: the title of a slide says where it stands."""
    for lecture, titles in notes.topics.items():
        for k, title in enumerate(titles, start=1):
            if re.search(rf"(?:\), |, |^ ){re.escape(title)}(?=$|[,.])", text):
                yield Place((lecture, k))


def _first(numbered: list[Numbered]) -> int:
    numbers = [int(dotted or number) for kind, number, dotted in numbered if kind != "Definition"]
    return min(numbers, default=10_000)
