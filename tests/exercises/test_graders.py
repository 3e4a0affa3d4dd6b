"""Right answers get their points; wrong and hostile ones get none."""

from collections import Counter

import grade_table
import pytest

from corollary.exercises.catalogue import all_exercises
from corollary.exercises.stubs import stub_text
from corollary.run import grade as grading
from corollary.run.grade import grade

EXERCISES = [pytest.param(e, id=e.number) for e in all_exercises()]
HOSTILE = sorted((grade_table.FOLDER / "hostile").glob("*.py"))


@pytest.mark.parametrize("exercise", EXERCISES)
def test_right_answers_are_accepted_and_wrong_ones_refused(exercise):
    found = list(grade_table.outcomes(exercise))
    confused = [one for one in found if one.mark.right != (one.kind == "right")]
    assert not confused
    graded = {part.letter for part in exercise.parts if part.signature}
    assert {one.part for one in found if one.kind == "right"} == graded
    wrong = Counter(one.part for one in found if one.kind == "wrong")
    assert all(wrong[letter] >= 7 for letter in graded)  # spoiled, and at least 3 typical


@pytest.mark.parametrize("exercise", EXERCISES)
def test_a_head_states_every_part(exercise):
    assert exercise.entry.source.startswith("Notes, Section ") and exercise.entry.statement
    for part in exercise.parts:
        assert part.task and bool(part.signature) != bool(part.ungraded)
        assert (1 <= len(part.hints) <= 3) if part.signature else not part.hints
    module = exercise.entry.load()
    made = {name[5:] for name in vars(module) if name.startswith("part_")}
    assert made == {part.letter for part in exercise.parts if part.signature}


def test_a_stub_can_be_graded_and_gets_no_points(tmp_path):
    for exercise in all_exercises()[:2]:
        path = tmp_path / f"{exercise.number}.py"
        path.write_text(stub_text(exercise, exercise.parts), "utf-8")
        made = grade(exercise, path)
        assert made.score == 0 and all(mark.answered for mark in made.marks)


@pytest.mark.parametrize("path", HOSTILE, ids=lambda path: path.stem)
def test_a_hostile_answer_gets_no_points(path, monkeypatch):
    monkeypatch.setattr(grading, "SECONDS", 1)
    assert not [one for one in grade_table.hostile(path) if one.mark.right]


def test_a_part_that_ends_its_process_costs_no_part_before_it():
    exercise = next(e for e in all_exercises() if e.number == "5.8.2")
    text = grade_table.answers(exercise).read_text("utf-8")
    text += "\n\ndef hessian(X, y, w):\n    import os\n\n    os._exit(3)\n"
    asked = [(part, part.function) for part in exercise.parts]
    marks = grading.grade_functions(exercise, text, asked, 0)
    assert [mark.right for mark in marks] == [True, False, False, False, False]
    assert marks[1].sentence == "the process ended with exit code 3"


def test_the_seed_decides_on_the_cases():
    exercise = next(e for e in all_exercises() if e.number == "5.8.2")
    path = grade_table.answers(exercise)
    assert grade(exercise, path, letters="d", seed=3) == grade(exercise, path, letters="d", seed=3)
    assert grade(exercise, path, letters="d").score == 1
