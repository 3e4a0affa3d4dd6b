"""All generated pages, by name; and the writing of them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from corollary.registry import ROOT, entries, places
from corollary_docs import rst
from corollary_docs.api import api_pages
from corollary_docs.claims import chapter_page, claim_page
from corollary_docs.exams import exam_pages
from corollary_docs.faults import Row, faults_page, rows
from corollary_docs.notes import errata_page, map_page
from corollary_docs.outcomes import Outcome
from corollary_docs.scan import errata

DOCS = Path(__file__).parents[2]


def pages(
    outcomes: Mapping[str, Outcome] | None = None, faults: Sequence[Row] | None = None
) -> Iterator[tuple[str, str]]:
    """Names without suffix, and texts, of every page that docstrings give."""
    found = outcomes or {}
    claims = [e for e in entries() if not e.is_exam and e.path.is_relative_to(ROOT)]
    areas = list(dict.fromkeys(e.area for e in claims))
    for entry in claims:
        yield f"claims/{entry.name}", claim_page(entry, found.get(entry.name), DOCS)
    for area in areas:
        chapter = [e for e in claims if e.area == area]
        yield f"chapters/{area}", chapter_page(area, chapter, found)
    yield "chapters/index", chapters_page(areas)
    yield "map", map_page(places(), claims, DOCS.parent / "tests")
    yield "errata", errata_page(errata(), claims)
    exams = [e for e in entries() if e.is_exam and e.path.is_relative_to(ROOT)]
    for name, text in exam_pages(exams):
        yield f"exams/{name}", text
    yield "exams/faults", faults_page(rows(run=False) if faults is None else faults)
    for name, text in api_pages():
        yield f"api/{name}", text


def chapters_page(areas: list[str]) -> str:
    """The table of contents of the chapters."""
    intro = (
        "A chapter is a folder of claims; each claim is a statement that runs. Chapters are added\n"
        "one by one: what is listed here is what is there.\n"
    )
    tree = rst.toctree([f"/generated/chapters/{a}" for a in areas], maxdepth=2)
    return "\n".join([rst.heading("Chapters"), intro, tree if areas else ""])


def write(
    folder: Path,
    outcomes: Mapping[str, Outcome] | None = None,
    faults: Sequence[Row] | None = None,
) -> list[Path]:
    """Write every page; leave a page that did not change, and remove what is no longer made."""
    wanted = {folder / f"{name}.rst": text for name, text in pages(outcomes, faults)}
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in set(folder.rglob("*.rst")) - set(wanted):
        path.unlink()
    return list(wanted)
