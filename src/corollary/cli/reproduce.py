"""``corollary reproduce``: train on real data and compare the figures with the published ones."""

import itertools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corollary.cli.options import Cluster

if TYPE_CHECKING:
    from corollary.registry import Entry
    from corollary.run.reproduction import Line, Reproduction


def complete_experiment(start: str) -> list[str]:
    """Names of experiments, for the shell."""
    from corollary.registry import experiments

    return [e.stem for e in experiments() if e.stem.startswith(start)]


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="Experiments or families. Default: list them.",
            autocompletion=complete_experiment,
        ),
    ] = None,
    all_of_them: Annotated[bool, typer.Option("--all", help="Run every experiment.")] = False,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Run at small size with one seed, as a quick test."),
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option(help="Number of seeds per row. Default: chosen by the experiment.", min=1),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Number of processes.", min=1)] = 1,
    cluster: Cluster = "",
    json_file: Annotated[
        Path | None,
        typer.Option("--json", help="Write the runs to this file (- for standard output)."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write an HTML page with table and figures."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an interrupted run of the same command.")
    ] = False,
    add: Annotated[
        Path | None,
        typer.Option(
            "--add", help="Keep all runs in this file, and run only what it lacks.", metavar="FILE"
        ),
    ] = None,
) -> None:
    """Train on real data and compare with the published figures."""
    chosen = _chosen(names or [], everything=all_of_them or quick and not names)
    if not chosen and add is None:
        _print_list()
        return
    from corollary.run.files import check_writable
    from corollary.run.journal import Journal

    for path in (json_file, out, add):
        if path is not None and str(path) != "-":
            check_writable(path)

    from corollary.core.progress import progress_bar  # torch is imported here and not before
    from corollary.run import reproduce as running
    from corollary.run.cluster import joined
    from corollary.run.reproduction import Job, write_reproduction
    from corollary.run.results import environment
    from corollary.run.run_file import RunFile

    short_lived = Journal.of(
        warn=lambda sentence: print(f"corollary: {sentence}", file=sys.stderr),
        experiments=[e.name for e in chosen],
        quick=quick,
        seeds=seeds,
        environment=environment(),
    )
    if not resume:
        short_lived.clear()
    journal = RunFile(add, quick=quick) if add is not None else short_lived
    planned = list(running.plans(chosen, quick=quick, seeds=seeds))
    total = len(planned)

    def kept() -> int:
        return len(
            {Job(e.name, row, seed).name for e, row, seed in planned} & set(journal.read(Job))
        )

    with progress_bar(total) as show:
        finished = itertools.count(kept() + 1)

        def progress(job: Job) -> None:
            show(job.name, next(finished))

        try:
            with joined(cluster, jobs) as workers:
                done = running.reproduce(
                    chosen,
                    quick=quick,
                    seeds=seeds,
                    jobs=workers,
                    journal=journal,
                    progress=progress,
                )
        except KeyboardInterrupt:
            again = "the same command" if add is not None else "the same command with --resume"
            print(
                f"corollary: interrupted; {kept()} of {total} runs are saved: "
                f"run {again} to continue",
                file=sys.stderr,
            )
            raise typer.Exit(130) from None
    if isinstance(journal, RunFile):
        done = journal.done
    if str(json_file) == "-":
        import json

        typer.echo(json.dumps(done.to_json(), indent=1, allow_nan=False))
    else:
        if json_file is not None:
            write_reproduction(done, json_file)
        _print_table(done)
    if out is not None:
        from corollary.report.reproduction_page import write_reproduction_page

        write_reproduction_page(done, out)
        typer.echo(f"Page: {out}")
    short_lived.clear()
    raise typer.Exit(3 if any(job.error for job in done.jobs) else 0)


def _chosen(names: list[str], *, everything: bool) -> "list[Entry]":
    from corollary.registry import experiments, find_experiment

    if everything:
        return list(experiments())
    families = {e.area for e in experiments()}
    chosen = [
        entry
        for name in names
        for entry in (
            [e for e in experiments() if e.area == name]
            if name in families
            else [find_experiment(name)]
        )
    ]
    return list({entry.name: entry for entry in chosen}.values())


def _print_list() -> None:
    from corollary.registry import experiments

    for entry in experiments():
        typer.echo(f"{entry.name:32} {entry.title}")
    typer.echo(
        "\nRun experiments by name or family, or all of them with --all. With --quick, this "
        "takes minutes."
    )


def _print_table(done: "Reproduction") -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("", "published", "ours (95 % interval)", "seeds", "CPU s per seed", ""):
        table.add_column(name)
    missing = []
    for line in done.lines():
        *numbers, verdict = cells(line)
        if not line.values:
            missing.append(f"{line.row}: {verdict}")
            verdict = "not run"
        table.add_row(*numbers, verdict)
    console = Console(highlight=False)
    console.print(table)
    for sentence in missing:
        console.print(sentence, style="dim", soft_wrap=True, markup=False)


def cells(line: "Line") -> tuple[str, ...]:
    """A line of the table as text."""
    published = f"{line.published.value:g}" if line.published else ""
    count = str(len(line.values))
    return line.row, published, line.number, count, f"{line.seconds:.3g}", line.verdict
