"""The report as plain text: a summary of a run, and one result in a few lines."""

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from corollary.core.result import Result
from corollary.core.verdict import Verdict
from corollary.errors import printable
from corollary.report.latex import scripts
from corollary.report.numerals import numeral
from corollary.report.signs import VERDICT_SIGNS
from corollary.report.view import ORDER, command, entry_of, headline, reason, rows, without

if TYPE_CHECKING:
    from corollary.run.results import Run

WIDTH = 100


def run_text(run: "Run") -> str:
    """Summary first, then every result, then the environment."""
    parts = [summary_text(run), *map(result_text, run.results), _environment(run)]
    return printable("\n\n".join(parts))  # a results file may be of somebody else


def summary_text(run: "Run") -> str:
    """Counts, and a line for each result that needs attention."""
    counts = run.counts()
    lines = [headline(counts) + "."]
    lines += [f"  {counts[v]:4d} {v}: {v.meaning}" for v in ORDER if counts.get(v)]
    for verdict in ORDER:
        found = [r for r in run.results if r.verdict is verdict]
        if verdict is not Verdict.HOLDS and found:
            lines += ["", f"{verdict.capitalize()}:"]
            lines += [
                _wrapped(f"{VERDICT_SIGNS[verdict]} {r.name}: {reason(r)}", "  ") for r in found
            ]
    return "\n".join(lines)


def result_text(result: Result) -> str:
    """One result: verdict, numbers, hypotheses, counterexample, the command to repeat it."""
    head = f"{VERDICT_SIGNS[result.verdict]} {scripts(result.title)}  ({result.name})"
    return "\n".join([head, *(_wrapped(line, "  ") for line in _facts(result))])


def _facts(result: Result) -> Iterator[str]:
    yield f"{result.verdict}: {reason(result)}"
    for h in result.hypotheses:
        yield f"[{'x' if h.holds else ' '}] {h.statement}" + (f" ({h.detail})" if h.detail else "")
    shown, left = rows(result)
    for row in shown:
        known = f" {row.interval}" if row.interval else ""
        label = f"{row.label}: " if row.label else ""
        yield f"{label}predicted {row.predicted}, measured {row.measured}{known}, ratio {row.ratio}"
    if left:
        worst = "" if result.ratio is None else f"; the deciding ratio is {numeral(result.ratio)}"
        yield f"and {left} more comparisons{worst}"
    if result.tolerance:
        yield f"tolerance: {result.tolerance}"
    yield from map(without, result.counterexamples)
    yield command(result, entry_of(result))


def _environment(run: "Run") -> str:
    facts = ", ".join(f"{key} {value}" for key, value in run.environment.items())
    return _wrapped(f"Seed {run.seed}; {facts}.", "")


def _wrapped(text: str, indent: str) -> str:
    after = indent + "    "
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=after)
