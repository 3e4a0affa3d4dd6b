"""``corollary exercise 5.8.2c``: a task to solve, hints, and a grade for an answer."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corollary.errors import InputError, OptionError

if TYPE_CHECKING:
    from corollary.exercises.catalogue import Exercise, Part
    from corollary.registry import Entry

WRONG = 1


def exercise(
    number: Annotated[
        str,
        typer.Argument(help="An exercise, such as 5.8.2 or 5.8.2a. Default: list all."),
    ] = "",
    stub: Annotated[
        Path | None, typer.Option(help="Write a file with functions to fill in.")
    ] = None,
    check: Annotated[Path | None, typer.Option(help="Grade this file.")] = None,
    hint: Annotated[int, typer.Option(help="Show this many hints for a part.", max=3)] = 0,
    seed: Annotated[
        int | None,
        typer.Option(help="Random seed of the test cases. Default: a new one.", min=0),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON; with --check, in the format of Gradescope.")
    ] = False,
    as_otter: Annotated[
        bool,
        typer.Option("--otter", help="With --check: print results as Otter-Grader reads them."),
    ] = False,
) -> None:
    """Show an exercise of the notes, give hints, and grade an answer on fresh cases."""
    from corollary.exercises.catalogue import find_exercise

    if not number:
        _list(as_json)
        return
    found, letter = find_exercise(number)
    if check is not None:
        _check(found, letter, check, seed, as_json, as_otter)
    elif stub is not None:
        _write_stub(found, letter, stub)
    elif hint:
        _hints(found, letter, hint)
    else:
        _show(found, letter, as_json)


def _chosen(found: "Exercise", letter: str) -> "list[Part]":
    return [part for part in found.parts if letter in ("", part.letter)]


def _list(as_json: bool) -> None:
    from corollary.exercises.catalogue import all_exercises

    rows = [
        {
            "number": e.number,
            "title": e.entry.title,
            "graded": "".join(p.letter for p in e.parts if p.signature),
            "not graded": "".join(p.letter for p in e.parts if not p.signature),
        }
        for e in all_exercises()
    ]
    if as_json:
        typer.echo(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    for head, style in (("exercise", "cyan"), ("title", ""), ("graded", ""), ("not graded", "dim")):
        table.add_column(head, style=style, no_wrap=head == "exercise")
    for row in rows:
        table.add_row(*row.values())
    console = Console(highlight=False)
    console.print(table)
    graded, others = (sum(len(row[key]) for row in rows) for key in ("graded", "not graded"))
    console.print(f"{len(rows)} problems: {graded} parts are graded, {others} are not", style="dim")


def _show(found: "Exercise", letter: str, as_json: bool) -> None:
    from corollary.courses.catalogue import claims_of

    parts = _chosen(found, letter)
    if as_json:
        facts: dict[str, Any] = {"number": found.number, "title": found.entry.title}
        facts |= {"setting": found.entry.statement, "source": found.entry.source}
        keys = ("letter", "signature", "task", "ungraded")
        facts["errata"] = {c.name: c.erratum for c in claims_of(found) if c.erratum}
        facts["parts"] = [{key: getattr(part, key) for key in keys} for part in parts]
        typer.echo(json.dumps(facts, indent=1, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.padding import Padding

    from corollary.report.statement import terminal_text

    console = Console(highlight=False)
    console.print(f"[bold]{found.entry.title}[/bold]  [cyan]{found.number}[/cyan]", soft_wrap=True)
    console.print(found.entry.source, style="dim", markup=False)
    console.print()
    console.print(Padding(terminal_text(found.entry.statement), (0, 0, 1, 2)), markup=False)
    for part in parts:
        console.print(f"[bold]{part.letter})[/bold] [cyan]{part.signature}[/cyan]")
        console.print(Padding(terminal_text(part.task), (0, 0, 0, 3)), markup=False)
        if part.ungraded:
            why = terminal_text(part.ungraded)
            console.print(Padding(f"Not graded: {why}", (0, 0, 0, 3)), style="dim", markup=False)
        console.print()
    if wrong := tuple(claim for claim in claims_of(found) if claim.erratum):
        console.print(corrected(wrong), soft_wrap=True)
        console.print()
    name = found.number + letter
    console.print(f"corollary exercise {name} --stub answer.py", style="dim", markup=False)
    console.print(f"corollary exercise {name} --check answer.py", style="dim", markup=False)


def corrected(claims: "tuple[Entry, ...]") -> str:
    """The names of the errata; their text would reveal the answer."""
    names = ", ".join(f"corollary show {claim.stem}" for claim in claims)
    return (
        f"The notes have an erratum here. Its text reveals part of the answer: [dim]{names}[/dim]"
    )


def _hints(found: "Exercise", letter: str, most: int) -> None:
    from corollary.report.statement import terminal_text

    if not letter:
        raise OptionError(f"expected a part, such as {found.number}a, with --hint")
    hints = found.part(letter).hints
    for k, hint in enumerate(hints[:most], start=1):
        typer.echo(f"{k}. {terminal_text(hint)}")
    if len(hints) < most:
        typer.echo(f"Part {letter} has {len(hints)} hints." if hints else "There are no hints.")


def _write_stub(found: "Exercise", letter: str, path: Path) -> None:
    from corollary.exercises.stubs import stub_text

    if path.exists():
        raise InputError(f"{path} exists already; delete it, or choose another name")
    try:
        path.write_text(stub_text(found, _chosen(found, letter)), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    typer.echo(f"{path} is written; fill in your answer")


def _check(
    found: "Exercise", letter: str, path: Path, seed: int | None, as_json: bool, as_otter: bool
) -> None:
    from corollary.run.grade import grade

    made = grade(found, path, letters=letter, seed=seed)
    if as_json or as_otter:
        results = made.to_otter() if as_otter else made.to_json()
        typer.echo(json.dumps(results, indent=1, ensure_ascii=False))
    else:
        for mark in made.marks:
            sign = "right" if mark.right else "wrong" if mark.answered else "empty"
            typer.echo(f"{made.number}{mark.part}  {sign}  {mark.sentence}")
        typer.echo(f"{made.score} of {len(made.marks)} points, seed {made.seed}")
    if made.score < len(made.marks):
        raise typer.Exit(WRONG)
