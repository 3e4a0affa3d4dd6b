"""A proof for readers: each step with its numbers and its slack."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from rich.console import Group
from rich.table import Table
from rich.text import Text

from corollary.core.derivation import Break, Derivation, Link
from corollary.report.latex import readable, scripts
from corollary.report.numerals import numeral
from corollary.report.page import asset, template
from corollary.report.statement import displayed, inline_html

NOTHING = 1e-6  # a slack below this is rounding
_SIGNS = {"=": "=", "≤": r"\le", "≥": r"\ge"}


@dataclass(frozen=True)
class Row:
    """One step as it is displayed."""

    number: int
    words: str
    tex: str
    values: str
    slack: str
    share: float  # of the larger side that is left over
    by: str
    holds: bool
    loosest: bool


def rows(derivation: Derivation, *, printed: bool = False) -> list[Row]:
    """The steps of the proof, or of the one that is printed in the notes."""
    links = derivation.printed if printed else derivation.links
    return [
        Row(
            number=number,
            words=scripts(link.words),
            tex=_tex(link),
            values=_values(link),
            slack=_slack(link),
            share=max(0.0, link.slack) if link.holds else 0.0,
            by=scripts(link.by),
            holds=link.holds,
            loosest=not printed and number - 1 == derivation.loosest,
        )
        for number, link in enumerate(links, start=1)
    ]


def _tex(link: Link) -> str:
    """The relation; within a chain the left side is that of the line above."""
    left = link.left if link.begins else r"\quad"
    return f"{left} {_SIGNS[link.relation]} {link.right}"


def _values(link: Link) -> str:
    if link.values is None:
        return "symbols"
    left, right = map(numeral, link.values)
    sign = link.relation if link.holds else {"=": "≠", "≤": "≰", "≥": "≱"}[link.relation]
    more = f" and {link.entries - 1} more" if link.entries > 1 else ""
    return f"{left} {sign} {right}{more}"


def _slack(link: Link) -> str:
    """The slack of a step, in per cent of the larger side."""
    if not link.holds:
        return "not true"
    if link.relation == "=":
        return ""
    share = 100 * link.slack
    if link.slack <= NOTHING:
        return "0 %"
    return f"{share:.0f} %" if share >= 10 else f"{share:.2g} %"


def told(one: Break) -> str:
    """The step that needs a hypothesis."""
    if one.step is None:
        where = "every step still holds in this instance"
    elif one.error:
        where = f"the proof cannot continue at step {one.step + 1} ({one.error})"
    else:
        where = f"step {one.step + 1} is not true"
    return scripts(f"Without “{one.hypothesis}”, {where}. {one.words}".strip())


def summary(derivation: Derivation) -> str:
    """A sentence on where the bound loses most."""
    if not derivation.holds:
        wrong = next(k for k, link in enumerate(derivation.links, 1) if not link.holds)
        return f"Step {wrong} is not true in this run."
    count, at = len(derivation.links), derivation.loosest
    if all(link.relation == "=" for link in derivation.links):
        return f"All {count} steps hold."
    if at is None:
        return f"All {count} steps hold, and every inequality is attained."
    return f"All {count} steps hold. Step {at + 1} has the largest slack."


def proof_html(derivation: Derivation) -> str:
    """The proof as a fragment of a page; formulas are spans that the page may render."""
    page = template("proof.html.jinja")
    facts = {
        "idea": Markup(inline_html(derivation.idea)),
        "rows": rows(derivation),
        "printed": rows(derivation, printed=True),
        "erratum": scripts(derivation.erratum),
        "summary": summary(derivation),
        "without": list(map(told, derivation.without)),
        "formal": derivation.formal,
        "math": _math,
    }
    return str(page.render(facts))


def proof_cell(derivation: Derivation) -> str:
    """The proof for a notebook cell."""
    return f"<style>{asset('proof.css')}</style>{proof_html(derivation)}"


def _math(tex: str) -> Markup:
    span = Markup('<span class="math" data-tex="{}">{}</span>')
    return span.format(displayed(tex), readable(tex))


def proof_text(derivation: Derivation, width: int = 100) -> str:
    """The proof as plain text."""
    from rich.console import Console

    console = Console(width=width, color_system=None, highlight=False)
    with console.capture() as capture:
        console.print(proof_lines(derivation))
    return capture.get().rstrip()


def proof_lines(derivation: Derivation) -> Group:
    """The proof for a terminal."""
    return Group(*_parts(derivation))


def _parts(derivation: Derivation) -> Iterator[Any]:
    yield Text(derivation.idea)
    yield from _chain(rows(derivation))
    yield Text()
    yield Text(summary(derivation), style="green" if derivation.holds else "red")
    for one in derivation.without:
        yield Text("- " + told(one))
    if derivation.printed:
        yield Text()
        yield Text.assemble(("As printed in the notes: ", "bold"), scripts(derivation.erratum))
        yield from _chain(rows(derivation, printed=True))
    if derivation.formal:
        yield Text()
        yield Text.assemble(("Formal proof: ", "bold"), derivation.formal)


def _chain(shown: list[Row]) -> Iterator[Any]:
    table = None
    for row in shown:
        if row.words or table is None:
            if table is not None:
                yield table
            yield Text()
            if row.words:
                yield Text(row.words, style="italic")
            table = _table()
        style = "red" if not row.holds else "bold" if row.loosest else ""
        formula = readable(row.tex.replace(r"\quad", "")).strip()
        indent = "  " if row.tex.startswith(r"\quad") else ""
        cells = f"{row.number}", indent + formula, row.values, row.slack, row.by
        table.add_row(*map(Text, cells), style=style)  # as it is: brackets are not markup
    if table is not None:
        yield table


def _table() -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False, expand=False)
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(ratio=None, overflow="fold")
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold", style="dim")
    return table
