"""``corollary list``: the catalogue, or which module implements each result of the notes."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from corollary.cli.options import complete_area, known_area

if TYPE_CHECKING:
    from rich.console import Console

    from corollary.registry import Entry

Row = tuple[str, str, str, str]
AREAS: Row = ("area", "what it is about", "claims", "errata")
QUESTIONS: Row = ("question", "exams that `corollary examine` runs", "exams", "")
NEXT = (
    "Next: corollary list --area kernels, corollary list dropout,\n"
    "      corollary show novikoff, corollary check novikoff"
)
NARROW = 100  # columns; below, the kind of a statement is left out


def list_entries(
    text: Annotated[str, typer.Argument(help="Only entries that contain this text.")] = "",
    area: Annotated[
        str, typer.Option(help="Only entries of this area.", autocompletion=complete_area)
    ] = "",
    kind: Annotated[
        str, typer.Option(help="Only claims of this kind: bound, identity, rate, ...")
    ] = "",
    cost: Annotated[
        str, typer.Option(help="Only claims of this cost: instant, seconds, minutes or long.")
    ] = "",
    erratum: Annotated[
        bool, typer.Option("--erratum", help="Only claims that correct the lecture notes.")
    ] = False,
    map_: Annotated[
        bool,
        typer.Option("--map", help="Show where each result of the lecture notes is implemented."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the areas, or with a filter the claims and exams."""
    from corollary.report.catalogue_facts import listed, matching

    if area:
        known_area(area)
    if map_:
        _print_map(text, as_json)
        return
    found = matching(text, area, kind, cost, erratum)
    if as_json:
        typer.echo(json.dumps([vars(listed(entry)) for entry in found], indent=1))
    elif any((text, area, kind, cost, erratum)):
        _print_entries(found)
    else:
        _print_areas(found)


def _print_areas(found: "list[Entry]") -> None:
    """One line per area: what it is about, and how much it has."""
    from rich.console import Console

    from corollary.registry import chapter, question

    console = Console(highlight=False)
    for exams, head in ((False, AREAS), (True, QUESTIONS)):
        groups: dict[str, list[Entry]] = {}
        for entry in found:
            if entry.is_exam is exams:
                groups.setdefault(entry.area, []).append(entry)
        rows = [
            (
                area,
                question(area) if exams else chapter(area).split(": ", 1)[-1],
                str(len(group)),
                str(sum(bool(e.erratum) for e in group) or ""),
            )
            for area, group in sorted(groups.items())
        ]
        _print_lines(console, head, rows)
        console.print()
    console.print(NEXT, style="dim")


def _print_entries(found: "list[Entry]") -> None:
    """One line per entry."""
    from rich.console import Console

    console = Console(highlight=False)
    several = len({entry.area for entry in found}) > 1
    narrow = console.is_terminal and console.width < NARROW
    rows = [
        (
            (e.name if several else e.stem) + (" *" if e.erratum else ""),
            e.title,
            "" if narrow else e.kind,
            e.cost,
        )
        for e in found
    ]
    if found:
        _print_lines(console, ("name", "statement", "" if narrow else "kind", "cost"), rows)
    noun = "entry" if len(found) == 1 else "entries"
    star = "; * corrects the lecture notes" if any(e.erratum for e in found) else ""
    stated, needed = (sum(len(n) for n in names) for names in _hypotheses(found))
    if stated:
        shown = f"{needed} of {stated} hypotheses are shown to be necessary by a counterexample"
        console.print(shown, style="dim")
    console.print(f"{len(found)} {noun}; `corollary show NAME` explains one{star}", style="dim")


def _hypotheses(found: "list[Entry]") -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """The hypotheses of the claims, and those shown to be necessary."""
    claims = [entry for entry in found if not entry.is_exam]
    return [e.hypotheses for e in claims], [e.needed for e in claims]


def _print_lines(console: "Console", head: Row, rows: list[Row]) -> None:
    """One line per row; on a terminal the second column takes the remaining width."""
    from rich.text import Text

    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(4)]
    if console.is_terminal:
        rest = sum(width + 2 for width in (widths[0], *widths[2:]) if width)
        widths[1] = min(widths[1], max(10, console.width - rest))
    for row in (head, *rows):
        cells = [_fitted(cell, width) for cell, width in zip(row, widths, strict=True) if width]
        style = "bold" if row is head else ""
        line = Text.assemble((cells[0], style or "cyan"), ("  " + "  ".join(cells[1:]), style))
        line.rstrip()
        console.print(line, soft_wrap=True)


def _fitted(cell: str, width: int) -> str:
    if len(cell) > width:
        return cell[: width - 1] + "…"
    return cell.rjust(width) if cell.isdigit() else cell.ljust(width)


def _print_map(text: str, as_json: bool) -> None:
    from corollary.registry import places

    found = [p for p in places() if text.lower() in f"{p.slug} {p.module}".lower()]
    if as_json:
        rows = [{"result": p.slug, "module": p.module, "object": p.object} for p in found]
        typer.echo(json.dumps(rows, indent=1))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("result of the notes", style="cyan", no_wrap=True)
    table.add_column("implemented in", no_wrap=True)
    for place in found:
        home = place.module + (f".{place.object}" if place.object else "")
        table.add_row(place.slug, home)
    Console().print(table)
    typer.echo(
        f"{len({p.slug for p in found})} results of the notes, implemented in {len(found)} places"
    )
