"""All generated pages, by name; and the writing of them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from corollary.courses.dependencies import graph_of
from corollary.registry import ROOT, Entry, entries, places, reading_turn
from corollary_docs import rst
from corollary_docs.api import api_pages
from corollary_docs.claims import chapter_docstring, chapter_page, claim_page
from corollary_docs.courses import course_pages
from corollary_docs.dependencies import dependencies_page
from corollary_docs.exams import exam_pages
from corollary_docs.faults import Row, faults_page, listed
from corollary_docs.notes import errata_page, map_page
from corollary_docs.outcomes import Outcome
from corollary_docs.proofs import proofs_page
from corollary_docs.reproduced import reproduced_page
from corollary_docs.scan import errata
from corollary_docs.tightness import tightness_page

DOCS = Path(__file__).parents[2]


def pages(
    outcomes: Mapping[str, Outcome] | None = None,
    faults: Sequence[Row] | None = None,
    proofs: Mapping[str, str] | None = None,
) -> Iterator[tuple[str, str]]:
    """Names without suffix, and texts, of every page that docstrings give."""
    found = outcomes or {}
    claims = [e for e in entries() if not e.is_exam and e.path.is_relative_to(ROOT)]
    areas = sorted({e.area for e in claims}, key=reading_turn)
    for entry in claims:
        yield f"claims/{entry.name}", claim_page(entry, found.get(entry.name), DOCS, proofs)
    for area in areas:
        chapter = [e for e in claims if e.area == area]
        yield f"chapters/{area}", chapter_page(area, chapter, found)
    yield "chapters/index", chapters_page(areas, claims)
    yield "map", map_page(places(), claims, DOCS.parent / "tests", areas)
    yield "errata", errata_page(errata(), claims)
    yield "proofs", proofs_page(claims)
    yield "dependencies", dependencies_page(graph_of(claims))
    yield from course_pages()
    yield "tightness", tightness_page(claims, found)
    exams = [e for e in entries() if e.is_exam and e.path.is_relative_to(ROOT)]
    for name, text in exam_pages(exams):
        yield f"exams/{name}", text
    yield "exams/faults", faults_page(listed() if faults is None else faults)
    yield "reproduced", reproduced_page()
    for name, text in api_pages():
        yield f"api/{name}", text


def chapters_page(areas: Sequence[str], claims: Sequence[Entry]) -> str:
    """The table of contents of the chapters."""
    intro = (
        "Each chapter has several claims. A claim is a statement that runs, with its\n"
        "hypotheses, a verdict, a figure and a counterexample. If the notes have an error, the\n"
        "claim corrects it.\n"
    )
    rows = [_chapter(area, [e for e in claims if e.area == area]) for area in areas]
    head = [
        "chapter",
        "what it is about",
        "claims",
        "corrections",
        "hypotheses shown to be necessary",
    ]
    parts = [rst.heading("Chapters"), intro, rst.table(head, rows, "20 42 10 12 16")]
    names = [f"/generated/chapters/{a}" for a in areas]
    return "\n".join([*parts, rst.toctree(names, hidden=True)] if areas else parts[:2])


def _chapter(area: str, claims: Sequence[Entry]) -> list[str]:
    title, _, about = chapter_docstring(claims[0]).partition("\n")[0].rstrip(".").partition(":")
    about = about.strip()
    link = f":doc:`{rst.escaped(title)} </generated/chapters/{area}>`"
    corrected = sum(bool(e.erratum) for e in claims)
    stated, needed = (
        sum(map(len, n)) for n in zip(*((e.hypotheses, e.needed) for e in claims), strict=True)
    )
    numbers = str(len(claims)), str(corrected), f"{needed} of {stated}"
    return [link, about[:1].upper() + about[1:], *numbers]


def write(
    folder: Path,
    outcomes: Mapping[str, Outcome] | None = None,
    faults: Sequence[Row] | None = None,
    proofs: Mapping[str, str] | None = None,
) -> list[Path]:
    """Write every page; leave a page that did not change, and remove what is no longer made."""
    wanted = {folder / f"{name}.rst": text for name, text in pages(outcomes, faults, proofs)}
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in set(folder.rglob("*.rst")) - set(wanted):
        path.unlink()
    return list(wanted)
