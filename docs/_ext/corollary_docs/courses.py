"""Pages of courses, lectures and exercises, which one can walk through from start to end."""

import json
from collections.abc import Iterator, Sequence
from html import escape
from urllib.parse import quote

from corollary.courses.catalogue import (
    OWN,
    Course,
    Lecture,
    Section,
    Step,
    all_courses,
    all_lectures,
    claims_of,
)
from corollary.exercises.catalogue import Exercise, Part, all_exercises
from corollary_docs import rst
from corollary_docs.dependencies import claim_link

INTRO = """\
A path goes through claims, proofs and exercises in a good order for reading. There is
one path for each lecture of each set of notes, and three more paths begin with a question. The
minutes are estimates: 4 to read a claim, 6 to follow a proof, 10 to solve a part of an exercise. On
the command line, ``corollary course`` shows the same paths and stores your progress.
"""
HEAD = ("lecture", "claims", "proofs", "exercises", "errata", "hours")


def course_pages() -> Iterator[tuple[str, str]]:
    """Names without suffix, and texts: all courses, each lecture, each exercise."""
    lectures = all_lectures()
    names = [f"/generated/courses/{page_name(lecture)}" for lecture in lectures]
    tables = [part for course in all_courses() for part in _table(course)]
    parts = [rst.heading("Courses"), INTRO, *tables, rst.toctree(names, hidden=True)]
    yield "courses/index", "\n".join(parts)
    for k, lecture in enumerate(lectures):
        after = lectures[k + 1] if k + 1 < len(lectures) else None
        yield f"courses/{page_name(lecture)}", lecture_page(lecture, after)
    yield "exercises/index", exercises_page(all_exercises())
    for exercise in all_exercises():
        yield f"exercises/{exercise_name(exercise)}", exercise_page(exercise)


def page_name(lecture: Lecture) -> str:
    """The name of a lecture's page, slides and notebook, without suffix."""
    return lecture.name.replace("/", "-")


def exercise_name(exercise: Exercise) -> str:
    """The name of an exercise's page, without suffix."""
    return exercise.number.replace(".", "-")


def _table(course: Course) -> Iterator[str]:
    yield rst.heading(course.title, "-")
    yield rst.table(HEAD, map(_row, course.lectures), "40 12 12 12 12 12")


def _row(lecture: Lecture) -> list[str]:
    number = "" if lecture.course == OWN else f"{lecture.number}. "
    link = f":doc:`{number}{lecture.title} </generated/courses/{page_name(lecture)}>`"
    proofs = sum(bool(claim.proof) for claim in lecture.claims)
    errata = sum(bool(claim.erratum) for claim in lecture.claims)
    counts = (len(lecture.claims), proofs, len(lecture.exercises), errata)
    return [link, *(str(count or "") for count in counts), f"{lecture.minutes / 60:.1f}"]


def lecture_page(lecture: Lecture, after: Lecture | None = None) -> str:
    """What a lecture needs, its steps, its slides and its notebook."""
    course = next(c for c in all_courses() if c.name == lecture.course)
    parts = [rst.heading(lecture.title)]
    parts += [rst.directive("rst-class", "claim-line")]
    parts += [
        f":doc:`{course.title} </generated/courses/index>` · {len(lecture.steps)} steps · "
        f"about {lecture.minutes} minutes\n"
    ]
    parts += [lecture.about + "\n"] if lecture.about else []
    parts += [rst.raw_html(_buttons(lecture))]
    if lecture.prerequisites:
        links = ", ".join(claim_link(entry.name) for entry in lecture.prerequisites)
        words = f"Prerequisites: {len(lecture.prerequisites)} claims of other lectures"
        parts += [rst.raw_html(f'<details class="code"><summary>{words}</summary>'), f"{links}.\n"]
        parts += [rst.raw_html("</details>")]
    first = 1
    for section in lecture.sections:
        parts += [rst.heading(rst.escaped(section.title), "-")]
        parts += [section.words + "\n"] if section.words else []
        parts += [rst.raw_html(_steps(lecture, section, first))]
        first += len(section.steps)
    if after:
        link = f":doc:`{after.title} </generated/courses/{page_name(after)}>`"
        parts += [rst.heading("Next", "-"), f"{link}\n"]
    parts += [rst.heading("On the command line", "-")]
    walk = f"$ corollary course {lecture.name} --walk\n$ corollary course {lecture.name} --done"
    return "\n".join([*parts, rst.code("console", walk)])


def _buttons(lecture: Lecture) -> str:
    name, first = page_name(lecture), escape(address(lecture, 1))
    return (
        f'<p class="path-buttons"><a class="start" href="../{first}">Start at step 1</a> '
        f'<a href="../../slides/{name}.html">Slides</a> '
        f'<a href="../../notebooks/{name}.ipynb" download>Notebook</a></p>'
    )


def address(lecture: Lecture, step: int) -> str:
    """Where a step is read, below ``generated/``, with its path in the address."""
    return f"{_page(lecture, step)}?path={quote(page_name(lecture))}&step={step}"


def _page(lecture: Lecture, step: int) -> str:
    one = lecture.steps[step - 1]
    if one.exercise:
        return f"exercises/{exercise_name(one.exercise)}.html"
    return f"claims/{one.name}.html"


def _steps(lecture: Lecture, section: Section, first: int) -> str:
    rows = []
    for number, step in enumerate(section.steps, start=first):
        title, *words = _told(step)
        href = escape(f"../{address(lecture, number)}")
        rows.append(
            f'<li data-step="{escape(step.name)}"><a href="{href}">{escape(title)}</a> '
            f"<small>{escape(' · '.join([*words, f'{step.minutes} min']))}</small></li>"
        )
    return f'<ol class="path-steps" start="{first}">{"".join(rows)}</ol>'


def _told(step: Step) -> Iterator[str]:
    """The title of a step, and what there is to it."""
    if step.exercise:
        yield f"Exercise {step.exercise.number}: {step.title}"
        yield f"{len(step.exercise.parts)} parts"
    elif step.claim:
        yield step.title
        yield step.claim.kind
        yield from ["proof"] if step.claim.proof else []
    yield from ["erratum"] if step.corrections else []


def paths_script() -> str:
    """The steps of all paths, as a script that pages of claims and exercises load."""
    paths = {
        page_name(lecture): {
            "title": lecture.title,
            "steps": [
                [_page(lecture, k), step.title, step.name]
                for k, step in enumerate(lecture.steps, start=1)
            ],
        }
        for lecture in all_lectures()
    }
    data = json.dumps(paths, ensure_ascii=False, separators=(",", ":"))
    return f"window.corollaryPaths = {data};\n"


def exercises_page(exercises: Sequence[Exercise]) -> str:
    """All exercises with their parts."""
    rows = [
        [
            f":doc:`{e.number} {e.entry.title} </generated/exercises/{exercise_name(e)}>`",
            "".join(part.letter for part in e.parts if part.signature),
            "".join(part.letter for part in e.parts if not part.signature),
        ]
        for e in exercises
    ]
    names = [f"/generated/exercises/{exercise_name(e)}" for e in exercises]
    intro = (
        "This page lists the exercises of the notes. :doc:`/howto/exercises` says how answers are "
        "graded.\n"
    )
    table = rst.table(["exercise", "graded parts", "not graded"], rows, "64 18 18")
    return "\n".join([rst.heading("Exercises"), intro, table, rst.toctree(names, hidden=True)])


def exercise_page(exercise: Exercise) -> str:
    """The problem, its parts with their hints, and the claims it is about."""
    parts = [rst.heading(f"Exercise {exercise.number}: {exercise.entry.title}")]
    parts += [exercise.entry.statement + "\n"]
    for part in exercise.parts:
        parts += _part(part)
    parts += [rst.heading("Get your answer graded", "-")]
    number = exercise.number
    shell = f"$ corollary exercise {number} --stub answer.py"
    parts += [rst.code("console", f"{shell}\n$ corollary exercise {number} --check answer.py")]
    links = ", ".join(claim_link(claim.name) for claim in claims_of(exercise))
    parts += [rst.heading("What it is about", "-"), f"{links}.\n"]
    if any(claim.erratum for claim in claims_of(exercise)):
        parts += ["The pages of these claims correct the notes and reveal a part of the answer.\n"]
    return "\n".join([*parts, rst.prose(exercise.entry.source) + "\n"])


def _part(part: Part) -> Iterator[str]:
    yield rst.heading(f"Part {part.letter}", "-")
    yield f"``{part.signature}``\n" if part.signature else ""
    yield part.task + "\n"
    if part.ungraded:
        yield f"Not graded: {part.ungraded}\n"
    for k, hint in enumerate(part.hints, start=1):
        yield rst.raw_html(f'<details class="code"><summary>Hint {k}</summary>')
        yield hint + "\n"
        yield rst.raw_html("</details>")
