"""``corollary check``: check claims, show their verdicts, write results and a report."""

import itertools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corollary.cli.options import (
    Cluster,
    complete_area,
    complete_name,
    complete_suite,
    known_area,
    split_words,
)

if TYPE_CHECKING:
    from rich.console import Console

    from corollary.registry import Entry
    from corollary.run.results import Run

A_SCREEN = 60  # results of which each gets a row


def check(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]... [--PARAMETER VALUE]...",
            help="Claims and their parameters (`corollary show NAME` lists them).",
            autocompletion=complete_name,
        ),
    ] = None,
    area: Annotated[
        list[str] | None,
        typer.Option(
            help="Check all claims of this area; may be repeated.", autocompletion=complete_area
        ),
    ] = None,
    suite: Annotated[
        str,
        typer.Option(
            help="Check a suite: quick, full, or the name of an area.",
            autocompletion=complete_suite,
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    jobs: Annotated[int, typer.Option(help="Number of processes.", min=1)] = 1,
    cluster: Cluster = "",
    timeout: Annotated[
        float | None,
        typer.Option(
            help="Time limit per claim in seconds. Default: ten times its cost + 60.", min=0.001
        ),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", help="Write the results to this file (- for standard output)."),
    ] = None,
    report_file: Annotated[
        Path | None, typer.Option("--report", help="Write an HTML report to this file.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an interrupted run of the same command.")
    ] = False,
) -> None:
    """Check claims by name, area or suite (default: the suite `quick`)."""
    from corollary.run.files import check_writable
    from corollary.run.journal import Journal, remember

    names, options = split_words(words or [])
    chosen = _chosen(names, area or [], suite)
    to_stdout = json_file is not None and str(json_file) == "-"
    for path in (json_file, report_file):
        if path is not None and str(path) != "-":
            check_writable(path)

    from corollary.core import Result  # torch is imported here and not before
    from corollary.core.progress import progress_bar
    from corollary.run.check import run
    from corollary.run.cluster import joined
    from corollary.run.results import environment, write_results

    journal = Journal.of(
        warn=lambda sentence: print(f"corollary: {sentence}", file=sys.stderr),
        names=[e.name for e in chosen],
        seed=seed,
        options=options,
        environment=environment(),
    )
    if not resume:
        journal.clear()
    with progress_bar(len(chosen)) as show:
        finished = itertools.count(1)

        def progress(entry: "Entry", result: Result, seconds: float) -> None:
            show(f"{entry.stem}: {result.verdict.value}", next(finished))

        try:
            with joined(cluster, jobs) as workers:
                done = run(
                    chosen,
                    seed=seed,
                    jobs=workers,
                    timeout=timeout,
                    options=options,
                    journal=journal,
                    progress=progress,
                )
        except KeyboardInterrupt:
            kept = len(journal.read(Result))
            print(
                f"corollary: interrupted; {kept} of {len(chosen)} results are saved: "
                "run the same command with --resume to continue",
                file=sys.stderr,
            )
            raise typer.Exit(130) from None
    if to_stdout:
        _print_json(done)
    elif json_file is not None:
        write_results(done, json_file)
    if report_file is not None:
        from corollary.report.html import write_report

        write_report(done, report_file)
    journal.clear()
    remember(done)
    if not to_stdout:
        _print_results(done, report_file)
    raise typer.Exit(done.exit_code)


def _chosen(names: list[str], areas: list[str], suite_name: str) -> "list[Entry]":
    from corollary.registry import find
    from corollary.suites import suite

    chosen = [find(name) for name in names]
    for area in areas:
        chosen += suite(known_area(area))
    if suite_name:
        chosen += suite(suite_name)
    if not chosen:
        chosen += suite("quick")
    return list({entry.name: entry for entry in chosen}.values())


def _print_json(run: "Run") -> None:
    import json

    typer.echo(json.dumps(run.to_json(), indent=1, allow_nan=False))


def _print_results(run: "Run", report_file: Path | None) -> None:
    """Print one result with its figure, several as a table."""
    from rich.console import Console

    from corollary.report.terminal import result_lines

    console = Console(highlight=False)
    if len(run.results) == 1:
        dots = console.encoding.lower().startswith("utf")
        for line in result_lines(run.results[0], console.width, picture=dots):
            console.print(line, soft_wrap=True)
    else:
        _print_table(run, console)
    if report_file is not None:
        console.print(f"Report: {report_file}", soft_wrap=True, markup=False)


def _print_table(run: "Run", console: "Console") -> None:
    """One row per result. If there are many, a row per area and the results that do not hold."""
    from rich.table import Table
    from rich.text import Text

    from corollary.report.signs import VERDICT_COLOURS

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(ratio=1)
    shown = list(run.results)
    if len(shown) > A_SCREEN:
        for area, (held, total) in _by_area(run).items():
            table.add_row(Text("holds", VERDICT_COLOURS["holds"]), area, f"{held} of {total}")
        shown = [result for result in shown if result.verdict.value != "holds"]
    for result in shown:
        verdict = result.verdict.value
        said = result.sentence.removeprefix(f"{verdict}: ")
        table.add_row(
            Text(verdict, VERDICT_COLOURS[verdict]), result.name.split("/")[1], Text(said)
        )
    console.print(table)
    console.print(run.tally, style="bold")


def _by_area(run: "Run") -> dict[str, tuple[int, int]]:
    """For each area, the number of claims that hold and the number of claims."""
    counts: dict[str, tuple[int, int]] = {}
    for result in run.results:
        area = result.name.split("/")[0]
        held, total = counts.get(area, (0, 0))
        counts[area] = held + (result.verdict.value == "holds"), total + 1
    return counts
