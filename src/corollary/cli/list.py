"""``corollary list``: the catalogue, or the map from the notes' results to where they live."""

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from corollary.cli.options import complete_area, known_area

if TYPE_CHECKING:
    from corollary.registry import Entry


def list_entries(
    text: Annotated[
        str, typer.Argument(help="Only entries with this in name, title, statement or slug.")
    ] = "",
    area: Annotated[str, typer.Option(help="Only this area.", autocompletion=complete_area)] = "",
    kind: Annotated[str, typer.Option(help="Only this kind: bound, identity, rate, ...")] = "",
    cost: Annotated[str, typer.Option(help="Only this cost: instant, seconds, ...")] = "",
    erratum: Annotated[
        bool, typer.Option("--erratum", help="Only where the notes are corrected.")
    ] = False,
    map_: Annotated[
        bool, typer.Option("--map", help="Each result of the notes and where it lives.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the areas there are, or with any filter the claims and exams."""
    from corollary.registry import entries

    if area:
        known_area(area)
    if map_:
        _print_map(text, as_json)
        return

    def wanted(entry: "Entry") -> bool:
        words = f"{entry.name} {entry.docstring}".lower()
        return (
            (not area or entry.area == area)
            and (not kind or entry.kind == kind)
            and (not cost or entry.cost == cost)
            and (not erratum or bool(entry.erratum))
            and text.lower() in words
        )

    found = [entry for entry in entries() if wanted(entry)]
    if as_json:
        keys = ("name", "title", "kind", "cost", "source", "erratum", "covers")
        typer.echo(json.dumps([{k: getattr(e, k) for k in keys} for e in found], indent=1))
    elif any((text, area, kind, cost, erratum)):
        _print_entries(found)
    else:
        _print_areas(found)


def _print_areas(found: "list[Entry]") -> None:
    """One line per area: what it is about, and how much it has."""
    from rich.console import Console
    from rich.table import Table

    from corollary.registry import chapter, question

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("area", style="cyan", no_wrap=True)
    table.add_column("what it is about", ratio=1, no_wrap=True)
    table.add_column("entries", justify="right", min_width=7)
    table.add_column("errata", justify="right", min_width=6)
    groups: dict[tuple[bool, str], list[Entry]] = {}
    for entry in found:
        groups.setdefault((entry.is_exam, entry.area), []).append(entry)
    for (is_exam, area), group in sorted(groups.items()):
        about = question(area) if is_exam else chapter(area).split(": ", 1)[-1]
        corrected = sum(bool(e.erratum) for e in group)
        table.add_row(area, about, str(len(group)), str(corrected or ""))
    exams = sum(entry.is_exam for entry in found)
    console = Console()
    console.print(table)
    console.print(
        f"{len(found) - exams} claims, and {exams} exams that `corollary examine` puts to your "
        "network.\nNext: `corollary list --area kernels`, `corollary list dropout`, "
        "`corollary show novikoff`",
        style="dim",
    )


def _print_entries(found: "list[Entry]") -> None:
    """One line per entry on a terminal."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    widths = {k: max((len(getattr(e, k)) for e in found), default=1) for k in ("stem", "kind")}
    table.add_column("name", style="cyan", no_wrap=True, min_width=widths["stem"])
    table.add_column("statement", ratio=1, no_wrap=console.is_terminal)
    table.add_column("kind", no_wrap=True, min_width=widths["kind"])
    table.add_column("cost", no_wrap=True, min_width=7)
    areas = dict.fromkeys(entry.area for entry in found)
    for area in areas:
        if len(areas) > 1:
            table.add_row(f"[bold]{area}[/bold]")
        for entry in (e for e in found if e.area == area):
            mark = "[dim](erratum)[/dim] " if entry.erratum else ""
            table.add_row(entry.stem, mark + escape(entry.title), entry.kind, entry.cost)
    if found:
        console.print(table)
    noun = "entry" if len(found) == 1 else "entries"
    console.print(f"{len(found)} {noun}; `corollary show NAME` explains one", style="dim")


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
    table.add_column("where it lives", no_wrap=True)
    for place in found:
        home = place.module + (f".{place.object}" if place.object else "")
        table.add_row(place.slug, home)
    Console().print(table)
    typer.echo(f"{len({p.slug for p in found})} results in {len(found)} places")
