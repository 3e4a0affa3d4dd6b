"""How loose are the bounds of learning theory? One row per bound, from the claims' own runs."""

from collections.abc import Mapping, Sequence

from corollary.registry import Entry
from corollary_docs import rst
from corollary_docs.outcomes import Outcome

INTRO = """\
A true bound may still say little. Each claim below is a bound, and the columns compare
the measured value with the bound: they show the smaller of the two divided by the larger.
*Attained* is this ratio at the tightest known instance; 1 means equality. *Typical* is this ratio
at the default, random instance. If no instance comes within a factor of two, the last column says
why.
"""
HEAD = ("bound", "attained", "typical", "why it is loose")


def tightness_page(entries: Sequence[Entry], outcomes: Mapping[str, Outcome]) -> str:
    """The table, tightest first."""
    found = [(e, outcomes[e.name]) for e in entries if e.name in outcomes]
    bounds = [(e, o) for e, o in found if o.attained is not None]
    bounds.sort(key=lambda pair: -(pair[1].attained or 0.0))
    rows = [_row(entry, outcome) for entry, outcome in bounds]
    parts = [rst.heading("How loose are the bounds of learning theory?"), INTRO]
    if rows:
        tight = sum((o.attained or 0.0) >= 0.5 for _, o in bounds)
        parts += [
            f"For {tight} of {len(bounds)} bounds, the measured value comes within a factor of two "
            "of the bound.\n"
        ]
        parts += [rst.table(HEAD, rows, "40 12 12 36")]
    return "\n".join(parts)


def _row(entry: Entry, outcome: Outcome) -> list[str]:
    link = f":doc:`{rst.escaped(entry.title)} </generated/claims/{entry.name}>`"
    ratio = abs(outcome.ratio or 0.0)
    typical = min(ratio, 1 / ratio) if ratio else 0.0
    loose = rst.prose(entry.fields.get("loose", ""))
    return [link, f"{outcome.attained:.2g}", f"{typical:.2g}", loose]
