"""Courses and lectures as lists of steps, made from the heads of claims and exercises.

A step is a claim, with its proof and its erratum, or an exercise. Claims of a section stand in the
order of the notes, but never before one of the same section that they rest on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache

from corollary.courses import notes as sets
from corollary.courses import ours
from corollary.courses.dependencies import graph
from corollary.courses.places import Place, places
from corollary.errors import UnknownNameError
from corollary.exercises.catalogue import Exercise, all_exercises, find_exercise
from corollary.registry import Entry, entries, find

MINUTES = {"claim": 4, "proof": 6, "part": 10}  # to read, to follow, to solve: a rule of thumb
OWN = "paths"  # the course that our own paths form


@dataclass(frozen=True)
class Step:
    """A claim or an exercise on a path."""

    claim: Entry | None = None
    exercise: Exercise | None = None

    @property
    def name(self) -> str:
        """The claim's full name, or ``exercise 5.8.2``."""
        return self.claim.name if self.claim else f"exercise {self._exercise.number}"

    @property
    def title(self) -> str:
        """The title."""
        return (self.claim or self._exercise.entry).title

    @property
    def minutes(self) -> int:
        """How long it takes, by a rule of thumb."""
        if self.claim:
            return MINUTES["claim"] + (MINUTES["proof"] if self.claim.proof else 0)
        return MINUTES["part"] * len(self._exercise.parts)

    @property
    def command(self) -> str:
        """The command that runs it."""
        if self.claim:
            return f"corollary check {self.claim.stem}"
        return f"corollary exercise {self._exercise.number}"

    @property
    def corrections(self) -> tuple[Entry, ...]:
        """The claims that correct the notes here: itself, or those of the exercise."""
        found = (self.claim,) if self.claim else claims_of(self._exercise)
        return tuple(entry for entry in found if entry.erratum)

    @property
    def _exercise(self) -> Exercise:
        assert self.exercise is not None, "a step is a claim or an exercise"
        return self.exercise


@dataclass(frozen=True)
class Section:
    """Steps under one heading."""

    title: str
    steps: tuple[Step, ...]
    words: str = ""


@dataclass(frozen=True)
class Lecture:
    """A path that one can walk from start to end."""

    course: str
    number: str  # of the chapter; the path's own name if there is none
    title: str
    sections: tuple[Section, ...]
    about: str = ""

    @property
    def name(self) -> str:
        """What the command line takes: ``lucchi-2025/5`` or ``why-does-it-train``."""
        return self.number if self.course == OWN else f"{self.course}/{self.number}"

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps in their order."""
        return tuple(step for section in self.sections for step in section.steps)

    @property
    def claims(self) -> tuple[Entry, ...]:
        """The claims in their order."""
        return tuple(step.claim for step in self.steps if step.claim)

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        """The exercises in their order."""
        return tuple(step.exercise for step in self.steps if step.exercise)

    @property
    def minutes(self) -> int:
        """How long it takes, by a rule of thumb."""
        return sum(step.minutes for step in self.steps)

    @cached_property
    def prerequisites(self) -> tuple[Entry, ...]:
        """Claims of other lectures that its claims rest on, each after those it rests on itself."""
        names = [claim.name for claim in self.claims]
        return tuple(find(name) for name in graph().below(*names) if name not in names)


@dataclass(frozen=True)
class Course:
    """Lectures in their order."""

    name: str
    title: str
    lectures: tuple[Lecture, ...]


@lru_cache(maxsize=1)
def all_courses() -> tuple[Course, ...]:
    """Our own paths, then the sets of notes."""
    own = Course(OWN, "Questions", tuple(map(_own, ours.ALL)))
    return (own, *map(_course, sets.ALL))


def all_lectures() -> tuple[Lecture, ...]:
    """Every lecture of every course."""
    return tuple(lecture for course in all_courses() for lecture in course.lectures)


def find_course(name: str) -> Course | Lecture:
    """The course or the lecture of this name.

    Example:
        >>> find_course("lucchi-2025/5").title
        'Optimization'

    Raises:
        UnknownNameError: with the nearest names, if there is none.
    """
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-").rstrip("?/")
    known: dict[str, Course | Lecture] = {course.name: course for course in all_courses()}
    known |= {lecture.name: lecture for lecture in all_lectures()}
    if wanted in known:
        return known[wanted]
    near = get_close_matches(wanted, known, n=3, cutoff=0.4) or list(known)[1:4]
    raise UnknownNameError(f"there is no course called '{name}'; did you mean {', '.join(near)}?")


@lru_cache(maxsize=64)
def claims_of(exercise: Exercise) -> tuple[Entry, ...]:
    """The claims whose source names this exercise."""
    number = exercise.number
    return tuple(e for e in _claims() if any(p.exercise == number for p in places(e, sets.LUCCHI)))


def _claims() -> list[Entry]:
    return [entry for entry in entries() if not entry.is_exam]


def _own(path: ours.Path) -> Lecture:
    sections = tuple(
        Section(
            part.title,
            tuple(
                [Step(claim=find(name)) for name in part.claims.split()]
                + [Step(exercise=find_exercise(n)[0]) for n in part.exercises.split()]
            ),
            part.words,
        )
        for part in path.parts
    )
    return Lecture(OWN, path.name, path.title, sections, path.about)


def _course(notes: sets.Notes) -> Course:
    placed = [(place, e) for e in _claims() for place in places(e, notes)]
    lectures = tuple(
        Lecture(notes.name, str(chapter), title, tuple(_sections(notes, chapter, placed)))
        for chapter, title in notes.chapters.items()
    )
    return Course(notes.name, notes.title, lectures)


def _sections(
    notes: sets.Notes, chapter: int, placed: Sequence[tuple[Place, Entry]]
) -> Iterator[Section]:
    here = [(place, e) for place, e in placed if place.chapter == chapter]
    titles = {n: title for n, title in notes.sections.items() if n[0] == chapter}
    titles |= {(chapter, k): t for k, t in enumerate(notes.topics.get(chapter, ()), start=1)}
    for number, title in ({(chapter,): "Introduction"} | titles).items():
        found = sorted((p, e.name) for p, e in here if (p.section + (0,))[:2] == (*number, 0)[:2])
        steps = [Step(claim=find(name)) for name in ordered([name for _, name in found])]
        if notes is sets.LUCCHI and len(number) == 2:
            prefix = ".".join(map(str, number)) + "."
            steps += [Step(exercise=e) for e in all_exercises() if e.number.startswith(prefix)]
        if steps:
            shown = ".".join(map(str, number)) + " " if notes.sections and len(number) == 2 else ""
            yield Section(shown + title, tuple(steps))


def ordered(names: Sequence[str]) -> list[str]:
    """The names in this order, but each after those among them that it rests on.

    Example:
        >>> ordered(["connectionism/novikoff", "connectionism/perceptron_norm"])
        ['connectionism/perceptron_norm', 'connectionism/novikoff']
    """
    left, out = list(names), list[str]()
    while left:
        ready = next(n for n in left if not set(graph().below(n)) & set(left))
        left.remove(ready)
        out.append(ready)
    return out
