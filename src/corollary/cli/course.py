"""``corollary course lucchi-2025/5``: a path through claims, proofs and exercises."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corollary.cli.printed import print_answer
from corollary.errors import OptionError

if TYPE_CHECKING:
    from corollary.courses.catalogue import Course, Lecture, Step


def complete_course(incomplete: str) -> list[str]:
    """Names of courses and lectures for the shell's completion."""
    from corollary.courses.catalogue import all_courses, all_lectures

    names = [c.name for c in all_courses()] + [lecture.name for lecture in all_lectures()]
    return [name for name in names if name.startswith(incomplete)]


def course(
    name: Annotated[
        str,
        typer.Argument(
            help="A course, a lecture or a path. Default: list all.", autocompletion=complete_course
        ),
    ] = "",
    walk: Annotated[bool, typer.Option("--walk", help="Show the next step of the path.")] = False,
    done: Annotated[
        bool, typer.Option("--done", help="Mark the next step as done, and show the step after it.")
    ] = False,
    reset: Annotated[
        bool, typer.Option("--reset", help="Start this path again from the beginning.")
    ] = False,
    slides: Annotated[
        Path | None, typer.Option(help="Write the lecture as slides: one HTML file.")
    ] = None,
    notebook: Annotated[
        Path | None, typer.Option(help="Write the lecture as a Jupyter notebook (.ipynb).")
    ] = None,
    run: Annotated[
        bool,
        typer.Option(
            help="Check the claims that take less than a second, so that the slides have figures."
        ),
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List courses, show a lecture, walk through it, and write slides or a notebook."""
    from corollary.courses.catalogue import Lecture, all_courses, find_course

    found = find_course(name) if name else None
    if walk or done or reset or slides or notebook:
        if not isinstance(found, Lecture):
            few = ", ".join(lecture.name for lecture in _lectures(found)[:3])
            raise OptionError(f"expected one lecture, such as {few}; got '{name}'")
        if slides or notebook:
            _write(found, slides, notebook, run)
        else:
            _walk(found, done, reset, as_json)
    elif isinstance(found, Lecture):
        print_answer(_facts(found), as_json, lambda: _lecture(found))
    else:
        courses = [found] if found else list(all_courses())
        facts = [{"name": c.name, "title": c.title, "lectures": _rows(c)} for c in courses]
        print_answer(facts, as_json, lambda: _list(courses))


def _lectures(found: "Course | None") -> "list[Lecture]":
    from corollary.courses.catalogue import all_lectures

    return list(found.lectures if found else all_lectures())


def _rows(course: "Course") -> list[dict[str, Any]]:
    from corollary.run.walked import walked

    done = walked()
    return [
        {
            "name": lecture.name,
            "title": lecture.title,
            "claims": len(lecture.claims),
            "proofs": sum(bool(c.proof) for c in lecture.claims),
            "exercises": len(lecture.exercises),
            "errata": sum(bool(c.erratum) for c in lecture.claims),
            "minutes": lecture.minutes,
            "done": sum(step.name in done for step in lecture.steps),
            "steps": len(lecture.steps),
        }
        for lecture in course.lectures
    ]


def _list(courses: "list[Course]") -> Iterator[Any]:
    from rich.table import Table

    for course in courses:
        table = Table(box=None, padding=(0, 2, 0, 0), title=course.title, title_justify="left")
        for head in ("name", "title", "claims", "proofs", "exercises", "hours", "done"):
            table.add_column(
                head,
                style="cyan" if head == "name" else "",
                justify="left" if head in ("name", "title") else "right",
                no_wrap=head == "name",
            )
        for row in _rows(course):
            counts = (str(row[key] or "") for key in ("claims", "proofs", "exercises"))
            done = f"{100 * row['done'] // row['steps']} %" if row["done"] else ""
            hours = f"{row['minutes'] / 60:.1f}"
            table.add_row(row["name"], row["title"], *counts, hours, done)
        yield table
        yield ""
    yield (
        "[dim]corollary course NAME shows a course; corollary course NAME --walk goes "
        "through it[/dim]"
    )


def _facts(lecture: "Lecture") -> dict[str, Any]:
    return {
        "name": lecture.name,
        "title": lecture.title,
        "about": lecture.about,
        "minutes": lecture.minutes,
        "prerequisites": [entry.name for entry in lecture.prerequisites],
        "sections": [
            {"title": s.title, "words": s.words, "steps": [step.name for step in s.steps]}
            for s in lecture.sections
        ],
    }


def _lecture(lecture: "Lecture") -> Iterator[Any]:
    from rich.markup import escape

    from corollary.run.walked import walked

    done = walked()
    yield f"[bold]{escape(lecture.title)}[/bold]  [cyan]{lecture.name}[/cyan]"
    yield f"[dim]{len(lecture.steps)} steps, about {lecture.minutes / 60:.1f} hours[/dim]"
    if lecture.about:
        yield f"\n{escape(lecture.about)}"
    if lecture.prerequisites:
        names = ", ".join(entry.stem for entry in lecture.prerequisites)
        yield f"\n[bold]Uses[/bold] {names}"
    for section in lecture.sections:
        yield f"\n[bold]{escape(section.title)}[/bold]"
        if section.words:
            yield escape(section.words)
        for step in section.steps:
            sign = "✓" if step.name in done else "·"
            yield f"  {sign} [cyan]{_short(step)}[/cyan]  {escape(step.title)}{_marks(step)}"
    yield f"\n[dim]corollary course {lecture.name} --walk[/dim]"


def _short(step: "Step") -> str:
    return step.claim.stem if step.claim else step.name


def _marks(step: "Step") -> str:
    words = ["proof"] if step.claim and step.claim.proof else []
    words += ["erratum"] if step.corrections else []
    return f" [dim]({', '.join(words)})[/dim]" if words else ""


def _walk(lecture: "Lecture", done: bool, reset: bool, as_json: bool) -> None:
    from corollary.run.walked import forget, mark_done, walked

    if reset:
        forget(step.name for step in lecture.steps)
    known = walked()
    step = next((s for s in lecture.steps if s.name not in known), None)
    if done and step:
        known = mark_done([step.name])
        step = next((s for s in lecture.steps if s.name not in known), None)
    left = sum(s.name not in known for s in lecture.steps)
    facts = {"lecture": lecture.name, "step": step.name if step else "", "left": left}
    print_answer(facts, as_json, lambda: _step(lecture, step, left))


def _step(lecture: "Lecture", step: "Step | None", left: int) -> Iterator[Any]:
    from rich.markup import escape
    from rich.padding import Padding

    from corollary.cli.exercise import corrected
    from corollary.report.statement import terminal_text
    from corollary.report.symbols import in_symbols
    from corollary.report.typed_math import with_formulas

    total = len(lecture.steps)
    if step is None:
        yield f"All {total} steps of {lecture.name} are done. --reset starts again."
        return
    section = next(s for s in lecture.sections if step in s.steps)
    if section.words and section.steps[0] == step:
        yield f"[bold]{escape(section.title)}[/bold]\n{escape(section.words)}\n"
    yield f"[dim]{escape(section.title)}; step {total - left + 1} of {total}[/dim]"
    yield f"[bold]{escape(step.title)}[/bold]  [cyan]{_short(step)}[/cyan]"
    entry = step.claim or (step.exercise and step.exercise.entry)
    if entry:
        yield Padding(escape(terminal_text(entry.statement)), (1, 0, 1, 2))
    if step.claim and step.claim.erratum:
        said = terminal_text(in_symbols(with_formulas(step.claim.erratum)))
        yield "[bold]In the notes[/bold]"
        yield Padding(escape(said), (0, 0, 1, 2))
    elif step.corrections:
        yield corrected(step.corrections) + "\n"
    yield f"[dim]{step.command}[/dim]"
    if step.claim and step.claim.proof:
        yield f"[dim]corollary prove {step.claim.stem}[/dim]"
    yield f"[dim]corollary course {lecture.name} --done[/dim]"


def _write(lecture: "Lecture", slides: Path | None, notebook: Path | None, run: bool) -> None:
    if slides:
        from corollary.report.slides import shown, write_slides
        from corollary.run.lecture import carry_out

        written, count = write_slides(lecture, slides, shown(carry_out(lecture)) if run else {})
        typer.echo(f"{written} has {count} slides; open it in a browser")
    if notebook:
        from corollary.report.notebook import write_notebook

        written, count = write_notebook(lecture, notebook)
        typer.echo(f"{written} has {count} cells; open it in Jupyter or Colab")
