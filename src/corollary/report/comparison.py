"""What changed between two examinations of a network."""

from typing import TYPE_CHECKING

from corollary.core.finding import Finding, Severity

if TYPE_CHECKING:
    from corollary.examine.examination import Examination

Key = tuple[str, str, str]


def changes(before: "Examination", after: "Examination") -> list[str]:
    """One line per finding that is new, gone or changed in severity; most severe first."""
    old, new = _grave(before), _grave(after)
    lines: list[tuple[int, str]] = []
    for key in {**old, **new}:
        a, b = old.get(key), new.get(key)
        if a is None and b is not None:
            lines.append((b.severity.rank, f"new: {named(b)} ({b.severity.value})"))
        elif b is None and a is not None:
            lines.append((0, f"gone: {named(a)} (was {a.severity.value})"))
        elif a is not None and b is not None and a.severity is not b.severity:
            word = "worse" if b.severity.rank > a.severity.rank else "better"
            said = f"{word}: {named(b)} ({a.severity.value} before, {b.severity.value} now)"
            lines.append((b.severity.rank, said))
    lines.sort(key=lambda line: -line[0])
    return [text for _, text in lines] or ["nothing changed"]


def _grave(examination: "Examination") -> dict[Key, Finding]:
    return {
        (f.exam, f.title, f.where): f
        for f in examination.findings
        if f.severity is not Severity.NONE
    }


def named(finding: Finding) -> str:
    """The title, and the layer if the finding is about one."""
    return finding.title + (f" in {place(finding.where)}" if finding.where else "")


def place(where: str) -> str:
    """A path in words: the parts of an ``nn.Sequential`` have numbers as names.

    Example:
        >>> place("3"), place("body.3"), place("input 0")
        ('layer 3', 'body.3', 'input 0')
    """
    return f"layer {where}" if where.replace(".", "").isdigit() else where
