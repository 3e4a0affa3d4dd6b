"""Carries out the proofs for their pages, and lists them on one of their own."""

import re
from collections.abc import Iterable, Mapping, Sequence

from corollary.registry import Entry
from corollary_docs import rst

_FORMULA = re.compile(r'<span class="math" data-tex="([^"]*)">.*?</span>', re.S)


def proofs(entries: Iterable[Entry]) -> dict[str, str]:
    """The proof of each claim that has one, as HTML for its page."""
    from corollary.report.page import asset
    from corollary.report.proof import proof_html
    from corollary.run.prove import prove

    style = f"<style>{asset('proof.css')}</style>"
    found = {e.name: proof_html(prove(e.name)) for e in entries if e.proof}
    return {name: style + for_katex(html) for name, html in found.items()}


def for_katex(html: str) -> str:
    """Formulas as the renderer of these pages takes them."""
    return _FORMULA.sub(r'<span class="tex notranslate nohighlight">\1</span>', html)


def proof_section(entry: Entry, made: Mapping[str, str]) -> str:
    """What the page of a claim says of its proof."""
    if not entry.proof:
        return ""
    head = rst.heading("Proof", "-")
    shell = rst.code("console", f"$ corollary prove {entry.stem}")
    html = made.get(entry.name, "")
    return "\n".join([head, rst.raw_html(html) if html else entry.proof.title + ".\n", shell])


def proofs_page(claims: Sequence[Entry]) -> str:
    """All proofs, by chapter, with who supplied them."""
    rows = [_row(e, e.proof) for e in claims if e.proof]
    given = sum("supplied" in e.proof.fields for e in claims if e.proof)
    intro = (
        f"These {len(rows)} proofs can be run: each step is evaluated on the random instance of\n"
        "the claim. So you see which step makes a bound loose, and which step fails without a\n"
        f"hypothesis. The notes omit {given} of these proofs or leave them to the reader.\n"
        "``corollary prove`` lists the proofs, and ``corollary prove NAME`` runs one.\n"
    )
    table = rst.table(["claim", "idea", "formal proof"], rows, "34 46 20")
    return "\n".join([rst.heading("Proofs"), intro, table])


def _row(entry: Entry, proof: Entry) -> list[str]:
    link = f":doc:`{rst.escaped(entry.title)} </generated/claims/{entry.name}>`"
    idea = rst.prose(proof.title) + "."
    if "supplied" in proof.fields:
        idea += " *" + rst.prose(proof.fields["supplied"]).rstrip(".") + ".*"
    return [link, idea, rst.prose(proof.fields.get("formal", ""))]
