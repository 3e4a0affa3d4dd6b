"""Checkpoints of a run in one table and page: what changed over training, which one is sick."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from corollary.core import Severity
from corollary.report.comparison import changes, named
from corollary.report.page import asset, policy, script, template, typeface, write_page

if TYPE_CHECKING:
    from corollary.examine.many import Examined, Series

COUNTED = (Severity.HIGH, Severity.MEDIUM, Severity.LOW)


def series_text(series: "Series") -> str:
    """The table, the changes from each checkpoint to the next, and the verdict."""
    rows = [_facts(row) for row in series.rows]
    width = max(len(row["name"]) for row in rows)
    head = f"{'checkpoint':<{max(width, 10)}}  high  medium  low  main cause"
    lines = [head]
    for row in rows:
        counts = f"{row['high']!s:>4}  {row['medium']!s:>6}  {row['low']!s:>3}"
        lines.append(f"{row['name']:<{max(width, 10)}}  {counts}  {row['cause']}")
    for step in _steps(series):
        lines += ["", f"{step['before']} to {step['after']}:"]
        lines += [f"  {line}" for line in step["changes"]]
    return "\n".join([*lines, "", verdict(series)])


def verdict(series: "Series") -> str:
    """Which checkpoints to look at, in one sentence."""
    sick = [row.name for row in series.sick()]
    if not sick:
        return f"No finding of high severity in {len(series.rows)} checkpoints."
    return f"Checkpoints to look at: {', '.join(sick)} ({len(sick)} of {len(series.rows)})."


def write_series(series: "Series", path: str | os.PathLike[str]) -> Path:
    """Write the page."""
    return write_page(series_page(series), path)


def series_page(series: "Series") -> str:
    """The whole page as text."""
    return template("series.html.jinja").render(
        target=series.target,
        verdict=verdict(series),
        sick=bool(series.sick()),
        rows=[_facts(row) for row in series.rows],
        steps=_steps(series),
        policy=policy([script()]),
        style=Markup(typeface() + asset("report.css") + asset("scale.css")),
        script=Markup(script()),
    )


def _facts(row: "Examined") -> dict[str, Any]:
    if row.examination is None:
        counts: dict[str, Any] = {s.value: "-" for s in COUNTED}
        return {"name": row.name, "cause": f"not examined: {row.why}", "sick": True, **counts}
    found = row.examination.findings
    counts = {s.value: sum(f.severity is s for f in found) for s in COUNTED}
    causes = row.examination.causes()
    cause = named(causes[0].finding) if causes else ""
    return {"name": row.name, "cause": cause, "sick": row.sick, **counts}


def _steps(series: "Series") -> list[dict[str, Any]]:
    """What changed from each checkpoint that was examined to the next."""
    known = [(row.name, row.examination) for row in series.rows if row.examination is not None]
    return [
        {"before": a, "after": b, "changes": changes(first, second)}
        for (a, first), (b, second) in zip(known, known[1:], strict=False)
    ]
