"""``corollary course`` on the command line."""

import json

import nbformat
import pytest
from typer.testing import CliRunner

from corollary.cli import app
from corollary.courses.catalogue import all_lectures


def call(*words):
    return CliRunner().invoke(app, ["course", *words])


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("COROLLARY_CACHE", str(tmp_path / "cache"))


def test_all_lectures_are_listed():
    output = call().output
    assert all(lecture.name in output for lecture in all_lectures())
    data = json.loads(call("--json").output)
    assert sum(len(course["lectures"]) for course in data) == len(all_lectures())
    assert "Optimization" in call("lucchi-2025").output


def test_a_lecture_is_shown_with_what_it_rests_on():
    output = call("lucchi-2025/5").output
    assert "5.6 Convergence without convexity" in output and "Uses" in output
    data = json.loads(call("why-does-it-train", "--json").output)
    assert data["sections"][0]["steps"][0] == "prerequisites/chain_rule"


def test_progress_is_kept_and_can_be_forgotten():
    first = json.loads(call("lucchi-2025/9", "--walk", "--json").output)
    assert first["step"] == "generalization/change_of_measure"
    second = json.loads(call("lucchi-2025/9", "--done", "--json").output)
    assert second["step"] != first["step"] and second["left"] == first["left"] - 1
    assert "step 2 of" in call("lucchi-2025/9", "--walk").output
    assert "✓ change_of_measure" in call("lucchi-2025/9").output
    assert json.loads(call("lucchi-2025/9", "--reset", "--json").output) == first


def test_a_path_ends():
    for _ in range(2):
        done = call("mathematical-foundations/3", "--done")
    assert "are done" in done.output
    assert "are done" in call("mathematical-foundations/3", "--done").output


def test_an_exercise_on_the_way_does_not_give_its_answer_away():
    from corollary.courses.catalogue import find_course
    from corollary.run.walked import mark_done

    lecture = find_course("lucchi-2025/11")
    mark_done(step.name for step in lecture.steps if step.claim)
    shown = " ".join(call("lucchi-2025/11", "--walk").output.split())
    assert "exercise 11.3.1" in shown and "corollary show ridge_shrinkage" in shown
    assert "denominator" not in shown


def test_a_notebook_is_valid(tmp_path):
    path = tmp_path / "lecture.ipynb"
    assert call("lucchi-2025/11", "--notebook", str(path)).exit_code == 0
    made = nbformat.read(path, as_version=4)
    nbformat.validate(made)
    text = "\n".join(cell.source for cell in made.cells)
    assert 'corollary.claim("ridge_shrinkage")' in text and "%%writefile answer_11_3_1.py" in text


def test_slides_are_one_file(tmp_path):
    path = tmp_path / "slides.html"
    done = call("mathematical-foundations/7", "--slides", str(path), "--no-run")
    page = path.read_text("utf-8")
    assert f"has {page.count('<section class=')} slides" in done.output
    assert "src=" not in page.split("<body")[1].split("<script>")[0]
    assert "Linear regions of deep networks (Montufar)" in page


def test_a_course_is_not_a_lecture():
    assert "expected one lecture" in str(call("lucchi-2025", "--walk").exception)
    assert "did you mean" in str(call("lucchi").exception)
