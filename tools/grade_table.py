"""The graders' confusion table: what they say about right, wrong and hostile answers.

An answer file of ``tests/exercises/answers`` has one right function per part, and functions named
``<function>__<mistake>`` that are wrong. All functions of a file run in one process. The files of
``tests/exercises/hostile`` try to get points for exercise 5.8.2 without an answer; each has a
process of its own, since most of them end it. Every right function is also spoiled in the ways of
``SPOILED``.

Run ``python tools/grade_table.py``; ``-v`` prints every wrong answer with what is said about it.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from corollary.exercises.catalogue import Exercise, all_exercises, find_exercise
from corollary.run import grade as grading
from corollary.run.grade import Mark, grade, grade_functions

FOLDER = Path(__file__).parents[1] / "tests" / "exercises"
TARGET = "5.8.2"  # of the hostile answers
SEED = 7

SPOILED = "negated tenth_more not_a_number text nothing".split()
STILL_RIGHT = ("maximizer__negated",)  # of a vector whose sign is free
SPOIL = """

def _spoil(function, how):
    def change(value):
        if hasattr(value, "to"):  # a step of a chain
            return type(value)(value.relation, change(value.to), value.by)
        if hasattr(value, "tex"):
            return type(value)(value.tex, change(value.value))
        if isinstance(value, dict):
            return {key: change(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [change(one) for one in value]
        if isinstance(value, str):
            return value
        return np.asarray(value) * {"negated": -1.0, "tenth_more": 1.1, "not_a_number": np.nan}[how]

    def spoiled(**given):
        value = function(**given)
        if how == "text":
            return repr(value)
        if how == "nothing":
            return None
        return (change(line) for line in value) if hasattr(value, "__next__") else change(value)

    return spoiled
"""


@dataclass(frozen=True)
class Outcome:
    """One answer to one part, and its mark."""

    number: str
    part: str
    kind: str  # right, wrong or hostile
    name: str
    mark: Mark


def answers(exercise: Exercise) -> Path:
    """The file of right and wrong answers."""
    return FOLDER / "answers" / f"{exercise.entry.name}.py"


def outcomes(exercise: Exercise, seed: int = SEED) -> Iterator[Outcome]:
    """All answers of one file, graded in one process."""
    text = answers(exercise).read_text("utf-8")
    names = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    wanted = {part.function for part in exercise.parts}
    spoiled = [f"{name}__{how}" for name in names if name in wanted for how in SPOILED]
    spoiled = [name for name in spoiled if name not in STILL_RIGHT]
    text += SPOIL + "".join(
        f"{name} = _spoil({name.partition('__')[0]}, {name.partition('__')[2]!r})\n"
        for name in spoiled
    )
    asked = [
        (part, name)
        for part in exercise.parts
        for name in [*names, *spoiled]
        if part.signature and name.partition("__")[0] == part.function
    ]
    marks = grade_functions(exercise, text, asked, seed)
    for (part, name), mark in zip(asked, marks, strict=True):
        kind = "wrong" if "__" in name else "right"
        yield Outcome(exercise.number, part.letter, kind, name, mark)


def hostile(path: Path, seed: int = SEED) -> Iterator[Outcome]:
    """A file that wants points without an answer."""
    exercise, _ = find_exercise(TARGET)
    grading.SECONDS = 1  # of an endless loop
    for mark in grade(exercise, path, seed=seed).marks:
        yield Outcome(TARGET, mark.part, "hostile", path.stem, mark)


def table(found: list[Outcome]) -> list[str]:
    """The confusion table as lines of text."""
    rows = [f"{'answers':10}{'accepted':>10}{'refused':>10}"]
    for kind in ("right", "wrong", "hostile"):
        marks = [one.mark.right for one in found if one.kind == kind]
        rows.append(f"{kind:10}{sum(marks):10}{len(marks) - sum(marks):10}")
    return rows


def main() -> None:
    """Grade everything and print the table."""
    found = [one for exercise in all_exercises() for one in outcomes(exercise)]
    found += [one for path in sorted((FOLDER / "hostile").glob("*.py")) for one in hostile(path)]
    for one in found:
        if "-v" in sys.argv or one.mark.right != (one.kind == "right"):
            print(f"{one.number}{one.part}  {one.kind}  {one.name}: {one.mark.sentence}")
    print("\n".join(table(found)))


if __name__ == "__main__":
    main()
