"""``corollary show NAME``: a claim explained, without running it."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corollary.cli.options import complete_name

if TYPE_CHECKING:
    from corollary.registry import Entry


def show(
    name: Annotated[str, typer.Argument(help="A claim's name.", autocompletion=complete_name)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Explain a claim: statement, hypotheses, options, source, erratum, last verdict."""
    from corollary.registry import find
    from corollary.report.catalogue_facts import explained

    entry = find(name)
    told = explained(entry)
    if as_json:
        typer.echo(json.dumps(asdict(told), indent=1, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.padding import Padding

    from corollary.report.statement import terminal_text
    from corollary.report.symbols import in_symbols
    from corollary.report.typed_math import with_formulas

    console = Console(highlight=False)
    console.print(f"[bold]{entry.title}[/bold]  [cyan]{entry.name}[/cyan]", soft_wrap=True)
    console.print(f"{entry.kind}, {entry.cost}", style="dim")
    console.print()
    console.print(Padding(terminal_text(entry.statement), (0, 0, 1, 2)), markup=False)
    if entry.hypotheses:
        console.print("[bold]Assumptions[/bold]")
        for sentence in entry.hypotheses:
            text = terminal_text(in_symbols(with_formulas(sentence)))
            console.print("  - " + text.replace("\n", "\n    "), markup=False)
        console.print()
    if entry.options:
        console.print("[bold]Options[/bold]")
        console.print(_option_table(entry))
        console.print()
    parts = ("Source", entry.source), ("Beyond the notes", entry.beyond), ("Erratum", entry.erratum)
    for head, text in parts:
        if text:
            console.print(f"[bold]{head}[/bold]")
            shown = terminal_text(in_symbols(with_formulas(text)) if head == "Erratum" else text)
            console.print(Padding(shown, (0, 0, 1, 2)), markup=False)
    if entry.uses:
        console.print(f"[bold]Uses[/bold]\n  {', '.join(entry.uses)}\n")
    last = told.last
    said = (
        f"{last['sentence']} (seed {last['seed']})" if last else "not checked on this machine yet"
    )
    console.print("[bold]Last verdict[/bold]  ", end="")
    console.print(said, markup=False)
    console.print(f"[dim]corollary check {entry.stem}[/dim]")
    if entry.proof:
        console.print(f"[dim]corollary prove {entry.stem}[/dim]  {entry.proof.title}")
    if not entry.is_exam:
        console.print(
            f"[dim]corollary map {entry.stem}[/dim]  shows which claims it uses, and which "
            "claims use it"
        )


def _option_table(entry: "Entry") -> Any:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="cyan", no_wrap=True)
    for option in entry.options:
        limits = ""
        if option.low is not None or option.high is not None:
            low = "" if option.low is None else f"{option.low:g}"
            high = "" if option.high is None else f"{option.high:g}"
            limits = f" from {low} to {high}" if low and high else f" >= {low}{high}"
        default = option.default
        if isinstance(default, tuple):
            default = ",".join(map(str, default))
        flag = f"  --{option.name.replace('_', '-')}"
        table.add_row(flag, option.meaning, f"{option.kind}{limits}, default {default}")
    return table
