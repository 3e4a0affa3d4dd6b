"""One self-contained page of a ``corollary reproduce`` run: the table, then every experiment."""

import os
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from corollary.core.numbers import short
from corollary.registry import find_experiment
from corollary.report.page import asset, drawn, policy, script, template, typeface, write_page
from corollary.report.statement import statement_html

if TYPE_CHECKING:
    from corollary.run.reproduction import Line, Reproduction


def write_reproduction_page(done: "Reproduction", path: str | os.PathLike[str]) -> Path:
    """Write the page."""
    return write_page(reproduction_page(done), path)


def reproduction_page(done: "Reproduction") -> str:
    """The whole page as text."""
    lines = list(done.lines())
    judged = [line for line in lines if line.judged]
    return template("reproduction.html.jinja").render(
        lines=lines,
        reached=sum(line.verdict == "reached" for line in judged),
        judged=len(judged),
        quick=done.quick,
        environment=done.environment,
        experiments=[_shown(n, list(g)) for n, g in groupby(lines, lambda line: line.experiment)],
        policy=policy([script()]),
        style=Markup(typeface() + asset("report.css") + asset("reproduction.css")),
        script=Markup(script()),
    )


def _shown(name: str, lines: "list[Line]") -> dict[str, Any]:
    """An experiment with the numbers, figures and samples of the first seed of each row."""
    entry = find_experiment(name)
    first = [next(job for job in line.jobs) for line in lines]
    return {
        "title": entry.title,
        "name": entry.stem,
        "about": Markup(statement_html(entry.statement)),
        "source": entry.source,
        "rows": [
            {
                "row": job.row,
                "numbers": [(name, short(value)) for name, value in job.numbers.items()],
                "figures": [drawn(figure) for figure in job.figures],
                "text": job.text,
            }
            for job in first
        ],
    }
