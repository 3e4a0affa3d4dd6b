"""``corollary report``: a results file as a page or as text."""

from pathlib import Path
from typing import Annotated

import typer


def report(
    results: Annotated[Path, typer.Argument(help="A file written by `corollary check --json`.")],
    out: Annotated[
        Path | None,
        typer.Option(help="The page to write. Default: the results file with the suffix .html."),
    ] = None,
    text: Annotated[
        bool, typer.Option("--text", help="Print the results as text and write no page.")
    ] = False,
) -> None:
    """Turn a results file into one self-contained HTML page."""
    from corollary.run.results import read_results

    run = read_results(results)
    if text:
        from corollary.report.text import run_text

        typer.echo(run_text(run))
        return
    from corollary.report.html import write_report

    page = out or results.with_suffix(".html")
    write_report(run, page)
    typer.echo(f"Report: {page}")
