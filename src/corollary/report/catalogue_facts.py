"""What ``list`` and ``show`` say of entries, as plain data; nothing is imported or run."""

from dataclasses import dataclass, fields
from typing import Any

from corollary.registry import Entry, Option, entries
from corollary.run.journal import last_outcomes


@dataclass(frozen=True)
class Listed:
    """A summary of a catalogue entry."""

    name: str  # area and file, as in connectionism/novikoff
    title: str
    kind: str  # bound, identity, rate, limit, construction, ...; empty for an exam
    cost: str  # how long it takes to check: instant, seconds, minutes or long
    source: str  # where the statement comes from
    erratum: str  # what the notes say, and what is true; empty if the notes are right
    covers: tuple[str, ...]  # results of the notes that the claim shows


@dataclass(frozen=True)
class Listing:
    """The entries that match the request."""

    entries: tuple[Listed, ...]


@dataclass(frozen=True)
class Explained:
    """An entry of the catalogue in full."""

    name: str  # area and file, as in connectionism/novikoff
    title: str
    statement: str  # as reStructuredText, formulas in LaTeX
    hypotheses: tuple[str, ...]  # the assumptions, one sentence each
    kind: str
    cost: str
    source: str
    beyond: str  # for a claim that is not in the lecture notes: why it is included; otherwise empty
    erratum: str
    covers: tuple[str, ...]
    uses: tuple[str, ...]  # claims used by the proof or argument
    proof: str  # the idea of the proof; empty if corollary has no proof
    options: tuple[Option, ...]  # parameters, with type, default, meaning and range
    last: dict[str, str] | None  # the last result on this machine; null if there is none


def listed(entry: Entry) -> Listed:
    """A summary of an entry."""
    return Listed(**{f.name: getattr(entry, f.name) for f in fields(Listed)})


def explained(entry: Entry) -> Explained:
    """An entry in full, with its last verdict on this machine."""
    other: dict[str, Any] = {
        "proof": entry.proof.title if entry.proof else "",
        "last": last_outcomes().get(entry.name),
    }
    names = (f.name for f in fields(Explained) if f.name not in other)
    return Explained(**{name: getattr(entry, name) for name in names}, **other)


def matching(
    text: str = "", area: str = "", kind: str = "", cost: str = "", erratum: bool = False
) -> list[Entry]:
    """The entries that contain a text and have this area, kind and cost; "" matches all.

    Example:
        >>> [entry.stem for entry in matching("novikoff", area="connectionism", kind="bound")]
        ['novikoff', 'perceptron_alignment', 'perceptron_norm']
    """

    def wanted(entry: Entry) -> bool:
        words = f"{entry.name} {entry.docstring}".lower()
        return (
            (not area or entry.area == area)
            and (not kind or entry.kind == kind)
            and (not cost or entry.cost == cost)
            and (not erratum or bool(entry.erratum))
            and text.lower() in words
        )

    return [entry for entry in entries() if wanted(entry)]
