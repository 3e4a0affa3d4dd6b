"""``corollary list``: the catalogue, or the map from the notes' results to where they live."""

import json
from typing import Annotated

import typer

from corollary.cli.options import complete_area, known_area


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
    """List the claims and exams there are."""
    from corollary.registry import Entry, entries

    if area:
        known_area(area)
    if map_:
        _print_map(text, as_json)
        return

    def wanted(entry: Entry) -> bool:
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
        return
    _print_table(found)


def _print_table(found: list) -> None:  # type: ignore[type-arg]
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("name", style="cyan", no_wrap=True)
    table.add_column("statement", ratio=1)
    table.add_column("kind")
    table.add_column("cost")
    area = None
    for entry in found:
        if entry.area != area:
            if area is not None:
                table.add_row()
            area = entry.area
            table.add_row(f"[bold]{area}[/bold]")
        mark = " [dim](erratum)[/dim]" if entry.erratum else ""
        table.add_row("  " + entry.stem, entry.title + mark, entry.kind, entry.cost)
    console = Console()
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
