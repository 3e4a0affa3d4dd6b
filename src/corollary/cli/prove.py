"""``corollary prove NAME``: the proof of a claim, step by step, on the numbers it draws."""

import json
from collections import Counter
from typing import Annotated

import typer

from corollary.cli.options import complete_name

REFUTED = 1


def prove(
    name: Annotated[
        str,
        typer.Argument(help="A claim's name. Default: list proofs.", autocompletion=complete_name),
    ] = "",
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Carry out a proof: show the slack of each step, and which step needs which hypothesis."""
    if not name:
        _list(as_json)
        return
    from corollary.registry import find
    from corollary.run.prove import prove as carry_out

    made = carry_out(name, seed=seed)
    if as_json:
        typer.echo(json.dumps(made.to_json(), indent=1, ensure_ascii=False))
    else:
        from rich.console import Console

        from corollary.report.proof import proof_lines

        entry, console = find(name), Console(highlight=False)
        console.print(f"[bold]{entry.title}[/bold]  [cyan]{entry.name}[/cyan]", soft_wrap=True)
        console.print(proof_lines(made))
    if not made.holds:
        raise typer.Exit(REFUTED)


def _list(as_json: bool) -> None:
    from corollary.registry import proofs

    found = {e.name: e.proof.title for e in proofs() if e.proof}
    if as_json:
        typer.echo(json.dumps(found, indent=1, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="cyan", no_wrap=True)
    for name, idea in found.items():
        table.add_row(name, idea)
    console = Console(highlight=False)
    console.print(table)
    areas = Counter(name.split("/")[0] for name in found)
    counts = ", ".join(f"{area} {count}" for area, count in areas.items())
    console.print(f"{len(found)} proofs: {counts}", style="dim")
