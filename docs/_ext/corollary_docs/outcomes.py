"""Checks the instant claims for their pages, and keeps what a page shows of them."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from joblib import cpu_count

from corollary.registry import Entry

PATIENCE = 300.0  # seconds that a claim may take on a machine that does other things as well


@dataclass(frozen=True)
class Outcome:
    """One claim, checked at its defaults with seed 0."""

    verdict: str
    sentence: str
    counterexample: str  # empty if there is none
    hypotheses: tuple[str, ...]  # sentences with a tick or a cross
    figures: tuple[str, ...]  # inline SVG
    relation: str = ""
    tolerance: str = ""
    ratio: float | None = None  # measured over predicted
    attained: float | None = None  # of a bound: how tight it is at its tightest instance

    @property
    def good(self) -> bool:
        """Whether the page may be published as it is."""
        return self.verdict in ("holds", "vacuous")

    def badge(self) -> str:
        """The verdict as a coloured word."""
        word = escape(self.verdict)
        return f'<span class="verdict verdict-{word}">{word}</span>'

    def html(self) -> str:
        """Verdict, sentence and figures."""
        head = f'<p class="outcome">{self.badge()} {escape(self.sentence)}</p>'
        drawn = "".join(f'<div class="claim-figure">{svg}</div>' for svg in self.figures)
        return f"{head}\n{drawn}"


def outcomes(entries: Iterable[Entry], *, seed: int = 0) -> dict[str, Outcome]:
    """Check the instant claims among ``entries``; a crash is an outcome as well."""
    from corollary.run.check import run

    instant = [e for e in entries if e.cost == "instant" and not e.is_exam]
    with warnings.catch_warnings():
        # joblib replaces a process whose memory has grown, and no result is lost.
        warnings.filterwarnings("ignore", "A worker stopped", UserWarning)
        checked = run(instant, seed=seed, jobs=cpu_count(), timeout=PATIENCE)
    return {e.name: _outcome(r) for e, r in zip(instant, checked.results, strict=True)}


def _outcome(result: Any) -> Outcome:
    from corollary.report.svg import figure_svg
    from corollary.report.view import reason, without

    return Outcome(
        verdict=str(result.verdict),
        sentence=reason(result),
        counterexample=" ".join(map(without, result.counterexamples)),
        hypotheses=tuple(_ticked(h) for h in result.hypotheses),
        figures=tuple(figure_svg(figure) for figure in result.figures),
        relation=result.relation,
        tolerance=result.tolerance,
        ratio=result.ratio,
        attained=result.attained,
    )


def _ticked(hypothesis: Any) -> str:
    detail = f" ({hypothesis.detail})" if hypothesis.detail else ""
    return f"{'✓' if hypothesis.holds else '✗'} {hypothesis.statement}{detail}"
