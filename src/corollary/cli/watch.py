"""``corollary watch``: the record of a watched run as a page or as text."""

from pathlib import Path
from typing import Annotated

import typer


def watch(
    record: Annotated[Path, typer.Argument(help="A file that corollary.watch(...) has written.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Write the page to this file. Default: the record's name with .html."),
    ] = None,
    text: Annotated[
        bool, typer.Option("--text", help="Print the report as text instead of writing a page.")
    ] = False,
    fail_on: Annotated[
        str,
        typer.Option(
            help="Exit with code 1 if a finding has this severity or more: low, medium, "
            "high or never."
        ),
    ] = "never",
) -> None:
    """Turn the record of a watched training run into one self-contained HTML page."""
    from corollary.errors import OptionError
    from corollary.examine.modules import must_exist

    if fail_on not in ("low", "medium", "high", "never"):
        raise OptionError(f"expected --fail-on to be low, medium, high or never, got '{fail_on}'")
    must_exist(record)

    from corollary.core.finding import Severity
    from corollary.report.watch_page import headline, watch_text, write_watch
    from corollary.watch.record import read_run

    run = read_run(record)
    if text:
        typer.echo(watch_text(run))
    else:
        page = write_watch(run, out or record.with_suffix(".html"))
        typer.echo(f"{headline(run)}\nReport: {page}")
    if fail_on != "never" and run.worst().rank >= Severity(fail_on).rank:
        raise typer.Exit(1)
