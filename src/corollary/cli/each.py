"""``corollary examine --each``: the checkpoints of a run in one table and page."""

import json
from pathlib import Path
from typing import Any

import typer


def examine_files(
    order: dict[str, Any],
    pattern: str,
    jobs: int,
    out: Path | None,
    json_file: Path | None,
    fail_on: str | None,
) -> int:
    """Examine, print and write; gives the exit code."""
    from corollary import __version__
    from corollary.core import Severity
    from corollary.core.progress import progress_bar
    from corollary.examine.many import Examined, examine_each, files_of
    from corollary.report.series import series_text, write_series
    from corollary.run.files import write_atomically
    from corollary.run.journal import Journal

    files = files_of(pattern)
    stamps = [(str(f.absolute()), f.stat().st_mtime_ns, f.stat().st_size) for f in files]
    journal = Journal.of(each=stamps, order=order, version=__version__)
    done = len(journal.read(Examined))
    if done:
        typer.echo(f"Resumed: {done} of {len(files)} files were examined before.", err=True)
    with progress_bar(len(files), "examining") as show:

        def advance(row: Examined) -> None:
            nonlocal done
            done += 1
            show(row.name, done)

        series = examine_each(order, files, jobs=jobs, journal=journal, progress=advance)
    text = json.dumps(series.to_json(), indent=1, allow_nan=False) + "\n"
    if json_file is not None and str(json_file) == "-":
        typer.echo(text, nl=False)
    else:
        if json_file is not None:
            write_atomically(json_file, text)
        typer.echo(series_text(series))
    if out is not None:
        write_series(series, out)
        typer.echo(f"Report: {out}", err=True)
    journal.clear()
    worst = [row.examination.worst().rank for row in series.rows if row.examination]
    if fail_on is not None and max(worst, default=0) >= Severity(fail_on).rank:
        return 1
    return 3 if any(row.examination is None for row in series.rows) else 0
