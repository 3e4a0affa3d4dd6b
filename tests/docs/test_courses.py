import html
import re

import pytest
from corollary_docs.courses import address, course_pages, page_name, paths_script
from corollary_docs.dependencies import dependencies_page
from corollary_docs.lectures import EXECUTED, write_files

from corollary.courses.catalogue import all_lectures, find_course
from corollary.courses.dependencies import graph
from corollary.exercises.catalogue import all_exercises
from corollary.registry import entries

CLAIMS = {f"claims/{e.name}" for e in entries() if not e.is_exam}


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return dict(course_pages())


def test_every_step_of_every_lecture_leads_to_a_page(made):
    for lecture in all_lectures():
        page = html.unescape(made[f"courses/{page_name(lecture)}"])
        for k in range(1, len(lecture.steps) + 1):
            assert f'href="../{address(lecture, k)}"' in page
            assert address(lecture, k).partition(".html")[0] in CLAIMS | set(made)


def test_every_lecture_and_exercise_is_listed(made):
    for lecture in all_lectures():
        assert f"</generated/courses/{page_name(lecture)}>" in made["courses/index"]
    for exercise in all_exercises():
        page = made[f"exercises/{exercise.number.replace('.', '-')}"]
        assert exercise.entry.statement in page and "denominator of" not in page
        assert all(part.task in page for part in exercise.parts)


def test_the_script_of_paths_has_the_steps_in_order():
    script = paths_script()
    first = find_course("why-does-it-train").steps[0]
    assert script.startswith("window.corollaryPaths = {") and first.title in script
    assert len(re.findall(r'"title":', script)) == len(all_lectures())


def test_the_notebooks_that_are_executed_have_instant_claims_alone():
    for name in EXECUTED:
        assert {claim.cost for claim in find_course(name).claims} == {"instant"}


def test_slides_and_notebooks_are_written(tmp_path, monkeypatch):
    few = [find_course("mathematical-foundations/3")]
    monkeypatch.setattr("corollary_docs.lectures.all_lectures", lambda: few)
    write_files(tmp_path, {}, {})
    names = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*"))
    name = page_name(few[0])
    assert names == [f"notebooks/{name}.ipynb", f"slides/{name}.html"]


def test_the_page_of_the_graph_links_to_the_pages_of_claims():
    page = dependencies_page(graph())
    assert "claims/connectionism/novikoff.html" in page and page.count("data-k=") == len(CLAIMS)
