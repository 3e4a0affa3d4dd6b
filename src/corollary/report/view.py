"""The texts that a report shows about a result, shared by page, notebook and plain text.

Numbers and verdict come from the result; statement, source, erratum and cost come from the
catalogue, if the claim is still in it.
"""

import re
import shlex
from dataclasses import dataclass
from typing import Any

from corollary.core.measurement import Reading
from corollary.core.result import Refutation, Result, comparison_words
from corollary.core.verdict import Verdict
from corollary.errors import UnknownNameError
from corollary.registry import Entry, find
from corollary.report.numerals import interval, numeral
from corollary.report.signs import VERDICT_SIGNS

ROWS = 8  # entries of a list that are shown; the results file has all of them
ORDER = tuple(map(Verdict, VERDICT_SIGNS))


@dataclass(frozen=True)
class Row:
    """One entry of a comparison."""

    label: str
    predicted: str
    measured: str
    interval: str
    ratio: str
    decides: bool  # whether this entry gave the verdict


def entry_of(result: Result) -> Entry | None:
    """The catalogue's entry, or None if this catalogue does not have it."""
    try:
        entry = find(result.name)
    except UnknownNameError:
        return None
    return entry if entry.name == result.name else None


def reason(result: Result) -> str:
    """Why the verdict is what it is, on one line."""
    broken = [h.sentence for h in result.hypotheses if not h.holds]
    if result.verdict is Verdict.INAPPLICABLE and broken:
        return "; ".join(broken)
    if result.predicted:
        return _outcome(result) + (f" ({_line(result.note)})" if result.note else "")
    return _line(result.note) or result.verdict.meaning


def _outcome(result: Result) -> str:
    """The comparison on one line; of several entries, the one that decided."""
    worst, count = _worst(result), len(result.predicted)
    predicted, measured = numeral(result.predicted[worst]), numeral(result.measured[worst].value)
    good = result.verdict in (Verdict.HOLDS, Verdict.VACUOUS)
    if count > 1 and good:
        return f"measured {result.relation} predicted, in all {count} comparisons"
    text = comparison_words(result.relation, measured, predicted)
    return text + (f" in the worst of {count} comparisons" if count > 1 else "")


def _worst(result: Result) -> int:
    """The deciding entry; the last one if a results file names one that is not there."""
    return max(0, min(result.worst, len(result.predicted) - 1, len(result.measured) - 1))


def _line(text: str, most: int = 240) -> str:
    """The last line of a note, which in a traceback says what happened, shortened."""
    last = (text.strip().splitlines() or [""])[-1].strip()
    return last if len(last) <= most else last[: most - 1] + "…"


def rows(result: Result) -> tuple[list[Row], int]:
    """The entries to show, the deciding one among them, and how many are left out."""
    pairs = list(zip(result.predicted, result.measured, strict=False))
    shown = sorted({*range(min(ROWS, len(pairs))), *([_worst(result)] if pairs else [])})
    numbered = tuple(f"#{k}" for k in range(1, len(pairs) + 1)) if len(pairs) > 1 else ("",)
    labels = result.rows if len(result.rows) == len(pairs) else numbered
    out = [_row(labels[k], *pairs[k], decides=k == _worst(result)) for k in shown]
    return out, len(pairs) - len(out)


def common_name(shown: list[Row]) -> str:
    """What all labels have before ``=``: the head of their column; empty if they differ.

    Example:
        >>> common_name([Row(f"n = {n}", "", "", "", "", False) for n in (1, 2)])
        'n'
    """
    names = {row.label.rpartition(" = ")[0] for row in shown}
    return names.pop() if len(names) == 1 else ""


def _row(label: str, predicted: float, measured: Reading, *, decides: bool) -> Row:
    ratio = numeral(measured.value / predicted) if predicted else "–"
    known = interval(measured)
    return Row(label, numeral(predicted), numeral(measured.value), known, ratio, decides)


def without(refutation: Refutation) -> str:
    """What happens without a hypothesis, and the numbers that show it."""
    broken = "; ".join(refutation.broken) or "the hypotheses"
    predicted = numeral(refutation.predicted[refutation.worst])
    measured = numeral(refutation.measured[refutation.worst].value)
    text = f"Without “{broken}”: predicted {predicted}, measured {measured}."
    text = f"{refutation.words} {text}".strip()
    return text if refutation.fails else text + " In this instance the conclusion still holds."


def attained(result: Result, entry: Entry | None) -> str:
    """How tight a bound is at its tightest instance, and why it is loose if it is."""
    if result.attained is None:
        return ""
    text = (
        "at the tightest instance, the smaller side of the bound is "
        f"{100 * result.attained:.3g} % of the larger side"
    )
    loose = entry.fields.get("loose", "") if entry else ""
    return f"{text} ({loose.rstrip('.')})" if loose else text


def command(result: Result, entry: Entry | None) -> str:
    """The command that repeats this result; parameters at their defaults are left out."""
    defaults = {o.name: o.default for o in entry.options} if entry else {}
    words = ["corollary", "check", entry.stem if entry else result.name]
    if result.seed is not None:
        words += ["--seed", str(result.seed)]
    for name, value in result.parameters.items():
        if name not in defaults or defaults[name] != value:
            words += ["--" + name.replace("_", "-"), option_text(value)]
    return shlex.join(words)


def option_text(value: Any) -> str:
    """A parameter's value as the command line takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(option_text, value)) if isinstance(value, tuple | list) else str(value)


def parameters(result: Result, entry: Entry | None) -> list[tuple[str, str, str]]:
    """Name, value and meaning of each parameter."""
    meanings = {o.name: o.meaning for o in entry.options} if entry else {}
    return [(k, option_text(v), meanings.get(k, "")) for k, v in result.parameters.items()]


def anchors(names: list[str]) -> list[str]:
    """Fragment identifiers, unique and safe in a URL.

    Example:
        >>> anchors(["area/one", "area/one", "<x>"])
        ['area-one', 'area-one-2', 'x']
    """
    seen: dict[str, int] = {}
    out = []
    for name in names:
        base = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "claim"
        seen[base] = seen.get(base, 0) + 1
        out.append(base if seen[base] == 1 else f"{base}-{seen[base]}")
    return out


def headline(counts: dict[Verdict, int]) -> str:
    """The run in a few words.

    Example:
        >>> headline({Verdict.HOLDS: 3, Verdict.FAILS: 0})
        'All 3 statements hold'
        >>> headline({Verdict.HOLDS: 1, Verdict.FAILS: 1})
        '1 of 2 statements hold'
    """
    total, good = sum(counts.values()), counts.get(Verdict.HOLDS, 0)
    if total == 0:
        return "No claim was checked"
    if total == good:
        return f"All {total} statements hold" if total > 1 else "The statement holds"
    return f"{good or 'None'} of {total} statements hold"
