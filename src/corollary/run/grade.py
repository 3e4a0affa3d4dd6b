"""Grade an answer to an exercise: draw cases, run it in a child process, judge its values."""

import itertools
import json
import os
import secrets
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corollary.errors import InputError, one_line
from corollary.exercises.catalogue import Exercise, Part
from corollary.exercises.judging import Case
from corollary.run import workers

HERE = Path(__file__).parent
PACKAGE = HERE.parent
SECONDS = 10  # of processor time for all calls of one answer
PATIENCE = 60.0  # seconds of wall time, for machines that are busy
MOST = 16 << 20  # bytes that an answer may return in all


@dataclass(frozen=True)
class Mark:
    """The grade of one part."""

    part: str
    right: bool
    sentence: str
    answered: bool = True


@dataclass(frozen=True)
class Grade:
    """The grade of an answer, part by part."""

    number: str
    title: str
    seed: int
    marks: tuple[Mark, ...]

    @property
    def score(self) -> int:
        """One point per part that is right in every case."""
        return sum(mark.right for mark in self.marks)

    def to_json(self) -> dict[str, Any]:
        """The ``results.json`` of Gradescope."""
        return {
            "score": float(self.score),
            "output": f"Exercise {self.number}, {self.title}: seed {self.seed}",
            "stdout_visibility": "hidden",
            "tests": [
                {
                    "name": f"{self.number}{mark.part}",
                    "number": f"{self.number}{mark.part}",
                    "score": float(mark.right),
                    "max_score": 1.0,
                    "status": "passed" if mark.right else "failed",
                    "output": mark.sentence,
                    "visibility": "visible",
                }
                for mark in self.marks
            ],
        }

    def to_otter(self) -> dict[str, Any]:
        """The results for Otter-Grader, which reads them with ``GradingResults.from_ottr_json``."""
        return {
            "test_file_results": [
                {
                    "filename": f"{self.number}{mark.part}.py",  # shown without its ending
                    "points": 1.0,
                    "test_case_results": [_otter_case(mark)],
                }
                for mark in self.marks
            ]
        }


def _otter_case(mark: Mark) -> dict[str, Any]:
    return {
        "passed": mark.right,
        "error": "" if mark.right else mark.sentence,
        "test_case": {
            "name": f"part {mark.part}",
            "code": "",
            "hidden": False,
            "points": 1.0,
            "success_message": mark.sentence if mark.right else None,
            "failure_message": None if mark.right else mark.sentence,
        },
    }


def grade(exercise: Exercise, answer: Path, *, letters: str = "", seed: int | None = None) -> Grade:
    """Grade the file ``answer``, all parts or only those in ``letters``, on fresh cases.

    Raises:
        InputError: if the file cannot be read.
    """
    try:
        text = answer.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"expected a Python file, got {answer}: {one_line(str(error))}") from None
    parts = [p for p in exercise.parts if p.signature and (not letters or p.letter in letters)]
    chosen = secrets.randbelow(10**6) if seed is None else seed
    marks = grade_functions(exercise, text, [(p, p.function) for p in parts], chosen)
    return Grade(exercise.number, exercise.entry.title, chosen, tuple(marks))


def grade_functions(
    exercise: Exercise, text: str, asked: Sequence[tuple[Part, str]], seed: int
) -> list[Mark]:
    """Grade the functions of one answer in one process, each as the part given with it."""
    drawn = {part: list(_cases(exercise, part, seed)) for part in dict(asked)}
    calls = [
        {"function": function, "given": _sent(case.given)}
        for part, function in asked
        for case in drawn[part]
    ]
    replies, why = run_answer(text, calls)
    number = itertools.count()
    return [
        _mark(part, [(case, replies.get(next(number))) for case in drawn[part]], why)
        for part, _ in asked
    ]


def _cases(exercise: Exercise, part: Part, seed: int) -> Iterator[Case]:
    rng = np.random.default_rng([seed, ord(part.letter)])
    yield from getattr(exercise.entry.load(), f"part_{part.letter}")(rng)


def run_answer(text: str, calls: list[Any]) -> tuple[dict[int, dict[str, Any]], str]:
    """What each call returned, or why it returned nothing."""
    reading, writing = os.pipe()
    order = {
        "answer": text,
        "calls": calls,
        "steps": str(PACKAGE / "core" / "proof.py"),
        "package": str(PACKAGE),
        "seconds": SECONDS,
    }
    words = [sys.executable, "-I", "-B", str(HERE / "answer_child.py"), str(writing)]
    quiet = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    child = subprocess.Popen(
        words,
        pass_fds=(writing,),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=quiet,
        cwd="/",
    )
    os.close(writing)
    try:
        assert child.stdin
        with child.stdin as orders:
            orders.write(json.dumps(order).encode())
        replies, why = _read(reading)
    except BrokenPipeError:
        replies, why = {}, ""
    finally:
        os.close(reading)
        workers.stop_process(child, patience=1.0)
    return replies, why or _cause(child.returncode)


def _cause(code: int) -> str:
    if code == -24 or code == -9:  # SIGXCPU, or the kill that follows it
        return f"the answer used more than {SECONDS} s of CPU time"
    return workers.cause_of_death(code)


def _read(pipe: int) -> tuple[dict[int, dict[str, Any]], str]:
    ends, data = time.monotonic() + PATIENCE, b""
    why = ""
    while not why:
        left = ends - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            why = f"the answer did not end within {PATIENCE:.0f} s"
            break
        chunk = os.read(pipe, 1 << 16)
        if not chunk:
            break
        data += chunk
        if len(data) > MOST:
            why = "the answer returned more data than the grader reads"
    replies: dict[int, dict[str, Any]] = {}
    for said in _objects(data):
        why = str(said.get("broken", "")) or why
        number = said.get("number")
        if isinstance(number, int):
            replies.setdefault(number, said)
    return replies, why


def _objects(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.split(b"\n")[:-1]:
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            return  # nothing after it is trusted
        if isinstance(said, dict):
            yield said


def _mark(part: Part, found: list[tuple[Case, dict[str, Any] | None]], why: str) -> Mark:
    """All cases must be right; if not, an ordinary case is reported before an edge case."""
    if all(said and "missing" in said for _, said in found):
        return Mark(part.letter, False, f"there is no function {part.function}", answered=False)
    for case, said in sorted(found, key=lambda pair: bool(pair[0].edge)):
        if wrong := _judged(case, said, why):
            special = f"edge case, {case.edge}: " if case.edge else ""
            return Mark(part.letter, False, special + wrong)
    return Mark(part.letter, True, f"correct in {len(found)} cases")


def _judged(case: Case, said: dict[str, Any] | None, why: str) -> str:
    if said is None:
        return one_line(why)
    if "value" not in said:
        return one_line(str(said.get("error", "it returned nothing")))
    try:
        return case.judge(said["value"])
    except ValueError as error:
        return one_line(str(error))
    except (TypeError, KeyError, IndexError, ArithmeticError, AttributeError, RecursionError):
        return "the answer does not have the form that the exercise asks for"


def _sent(given: Any) -> dict[str, Any]:
    return {
        name: {"array": value.tolist(), "shape": value.shape}
        if isinstance(value, np.ndarray)
        else value
        for name, value in given.items()
    }
