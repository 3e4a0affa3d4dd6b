"""Sphinx extension: pages made from the catalogue, and formulas drawn by a local KaTeX.

Before Sphinx reads anything, chapters, claims, exams, courses, the map of the notes, the errata and
the API reference are written to ``generated/`` as reStructuredText, and lectures as slides and
notebooks beside them. They come from docstrings alone, so adding a file to the package adds its
page. Instant claims are checked on the way, and their verdict and figure stand on the page; what
was checked is kept until the code changes.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

from corollary_docs import docstrings, faults, katex, lectures, navigation, pages
from corollary_docs.kept import kept
from corollary_docs.outcomes import Outcome, outcomes
from corollary_docs.proofs import proofs
from corollary_docs.reproduced import write_galleries

log = logging.getLogger(__name__)


def generate(app: Sphinx) -> None:
    """Write all generated pages; a claim that does not hold is a warning of the build."""
    from corollary.registry import ROOT, entries

    if app.config.corollary_run_claims:
        folder = Path(app.doctreedir) / "kept"
        found = checked(folder, [ROOT])
        table = kept("faults", folder, [ROOT, faults.BENCHMARKS], faults.examined)
        shown = kept("proofs", folder, [ROOT], lambda: proofs(entries()))
        executed = kept("notebooks", folder, [ROOT], lectures.executed_notebooks)
    else:
        found, table, shown, executed = {}, faults.listed(), {}, {}
    for name, outcome in found.items():
        if not outcome.good:
            log.warning("%s: %s", name, outcome.sentence, type="corollary", subtype="claim")
    rows = [faults.Row(*row) for row in table]
    written = pages.write(Path(app.srcdir) / "generated", found, rows, shown)
    if app.builder.format == "html":
        lectures.write_lectures(Path(app.outdir), found, shown, executed)
        write_galleries(Path(app.outdir))
    log.info("corollary: %d pages generated, %d claims checked", len(written), len(found))


def checked(folder: Path, sources: list[Path]) -> dict[str, Outcome]:
    """What came of the instant claims, by name; kept if all of them hold."""
    from corollary.registry import entries

    def compute() -> dict[str, Any]:
        return {name: asdict(outcome) for name, outcome in outcomes(entries()).items()}

    def good(value: dict[str, Any]) -> bool:
        return all(Outcome(**o).good for o in value.values())

    found = kept("claims", folder, sources, compute, good)
    return {name: Outcome(**outcome) for name, outcome in found.items()}


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the generator and the renderer of formulas."""
    app.add_config_value("corollary_run_claims", True, "env", bool)
    app.connect("builder-inited", generate)
    app.connect("html-page-context", lectures.add_scripts)
    docstrings.setup(app)
    katex.setup(app)
    navigation.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


__all__ = ["Outcome", "generate", "setup"]
