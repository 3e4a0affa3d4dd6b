"""A lecture as a Jupyter notebook: statements to read, claims to check, exercises to solve."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corollary.courses.catalogue import Lecture, Step, find_course
from corollary.exercises.catalogue import Exercise
from corollary.exercises.stubs import stub_text
from corollary.registry import COSTS, Entry
from corollary.report.markdown import markdown
from corollary.report.symbols import in_symbols
from corollary.report.typed_math import with_formulas
from corollary.run.files import write_atomically

FORMAT = {"nbformat": 4, "nbformat_minor": 5}
PYTHON = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_COSTS = {"seconds": "below 10 s", "minutes": "a few minutes", "long": "longer than 5 minutes"}


def write_notebook(lecture: Lecture, path: str | os.PathLike[str]) -> tuple[Path, int]:
    """Write the notebook, and say how many cells it has.

    Raises:
        ResultsFileError: if the file cannot be written there.
    """
    made, target = notebook(lecture), Path(path)
    write_atomically(target, json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    return target, len(made["cells"])


def notebook(lecture: Lecture) -> dict[str, Any]:
    """The notebook as plain data, in version 4.5 of the format."""
    cells = [
        _cell(k, kind, source)
        for k, (kind, source) in enumerate([*_opening(lecture), *_sections(lecture)])
    ]
    return {"cells": cells, "metadata": PYTHON, **FORMAT}


def _cell(number: int, kind: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell | {"source": source.splitlines(keepends=True)}


def _opening(lecture: Lecture) -> Iterator[tuple[str, str]]:
    course = find_course(lecture.course).title
    words = [f"# {lecture.title}", f"*{course}*", lecture.about]
    if lecture.prerequisites:
        names = ", ".join(f"`{entry.stem}`" for entry in lecture.prerequisites)
        words.append(f"This lecture uses {names}. `corollary show NAME` explains each claim.")
    words.append(
        "Each statement is a *claim*. The cell below it draws an instance, tests the assumptions, "
        "and compares prediction and measurement. Change a seed or a parameter and run it again."
    )
    yield "markdown", "\n\n".join(filter(None, words))
    yield (
        "code",
        "import sys\n\n"
        "import corollary  # on a hosted machine, install it first: see the README\n"
        "from corollary.run.prove import prove\n\n"
        "print(corollary.__version__)",
    )


def _sections(lecture: Lecture) -> Iterator[tuple[str, str]]:
    for section in lecture.sections:
        yield "markdown", "\n\n".join(filter(None, [f"## {section.title}", section.words]))
        for step in section.steps:
            yield from _of_step(step)


def _of_step(step: Step) -> Iterator[tuple[str, str]]:
    if step.exercise:
        yield from _of_exercise(step.exercise)
    elif step.claim:
        yield "markdown", _told(step.claim)
        yield "code", _checked(step.claim)
        if step.claim.proof:
            yield "markdown", f"**Proof.** {markdown(step.claim.proof.title + '.')}"
            yield "code", f'prove("{step.claim.stem}")'


def _told(entry: Entry) -> str:
    words = [f"### {markdown(entry.title)}", markdown(entry.statement)]
    if entry.erratum:
        said = markdown(in_symbols(with_formulas(entry.erratum)))
        words.append("> **Erratum.** " + said.replace("\n", "\n> "))
    words.append(f"<small>{markdown(entry.source)}</small>")
    return "\n\n".join(words)


def _checked(entry: Entry) -> str:
    options = ", ".join(
        f"{o.name}={o.default!r}" for o in entry.options[:2] if o.kind in ("int", "float")
    )
    cost = "" if entry.cost == COSTS[0] else f"  # {_COSTS[entry.cost]}"
    return f'corollary.claim("{entry.stem}")({options}).check(seed=0){cost}'


def _of_exercise(exercise: Exercise) -> Iterator[tuple[str, str]]:
    words = [f"### Exercise {exercise.number}: {exercise.entry.title}"]
    words.append(markdown(exercise.entry.statement))
    for part in exercise.parts:
        asked = f"`{part.signature}` " if part.signature else ""
        words.append(f"**{part.letter})** {asked}{markdown(part.task)}")
    yield "markdown", "\n\n".join(words)
    file = f"answer_{exercise.number.replace('.', '_')}.py"
    yield "code", f"%%writefile {file}\n{stub_text(exercise, list(exercise.parts))}"
    yield "code", f"!{{sys.executable}} -m corollary exercise {exercise.number} --check {file}"
