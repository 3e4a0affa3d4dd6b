"""Pages of the catalogue: one per chapter, one per claim."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from corollary.registry import Entry, Option
from corollary.report.typed_math import with_formulas
from corollary_docs import rst
from corollary_docs.dependencies import uses_section
from corollary_docs.outcomes import Outcome
from corollary_docs.proofs import proof_section
from corollary_docs.scan import docstring, tagged

VERDICTS = ("holds", "fails", "vacuous", "inapplicable", "inconclusive", "crashed")
_COSTS = {
    "instant": "below 1 s",
    "seconds": "below 10 s",
    "minutes": "below 5 min",
    "long": "more than 5 min",
}


def claim_page(
    entry: Entry,
    outcome: Outcome | None = None,
    docs: Path | None = None,
    proofs: Mapping[str, str] | None = None,
) -> str:
    """Statement, hypotheses, verdict, figure, proof, options, source, erratum, how to run it."""
    parts = [
        rst.heading(rst.escaped(entry.title)),
        rst.directive("rst-class", "claim-line"),
        f":doc:`{_chapter_title(entry)} </generated/chapters/{entry.area}>` · {entry.kind} · "
        f"{entry.cost} ({_COSTS[entry.cost]})\n",
        entry.statement + "\n",
        *_supposed(entry, outcome),
        *_checked(outcome),
        *_without(entry, outcome),
        proof_section(entry, proofs or {}),
        *_errata(entry),
        uses_section(entry),
        *_options(entry.options),
        *_how_to_run(entry),
        *_source(entry, docs),
    ]
    return "\n".join(parts)


def chapter_page(
    area: str, entries: Sequence[Entry], outcomes: Mapping[str, Outcome] | None = None
) -> str:
    """The chapter's introduction and a table of its claims."""
    title, _, intro = chapter_docstring(entries[0]).partition("\n")
    rows = [_row(entry, (outcomes or {}).get(entry.name)) for entry in entries]
    names = [f"/generated/claims/{entry.name}" for entry in entries]
    return "\n".join(
        [
            *(
                rst.directive("role", f"verdict-{v}", f":class: verdict verdict-{v}")
                for v in VERDICTS
            ),
            rst.heading(title.rstrip(".").partition(":")[0]),
            _subtitle(title),
            intro.strip() + "\n",
            rst.heading("Claims", "-"),
            f"To check all of these claims, run ``corollary check --area {area}``.\n",
            rst.table(["claim", "kind", "cost", "verdict"], rows, "46 20 14 20"),
            rst.toctree(names, hidden=True),
        ]
    )


def chapter_docstring(entry: Entry) -> str:
    """The docstring of the chapter's folder; its name if it has none."""
    path = entry.path.with_name("__init__.py")
    text = docstring(path) if path.exists() else ""
    return text or entry.area.replace("_", " ").capitalize() + "."


def _chapter_title(entry: Entry) -> str:
    return chapter_docstring(entry).partition("\n")[0].rstrip(".").partition(":")[0]


def _subtitle(title: str) -> str:
    rest = title.rstrip(".").partition(":")[2].strip()
    return f"*{rest[:1].upper()}{rest[1:]}.*\n" if rest else ""


def _row(entry: Entry, outcome: Outcome | None) -> list[str]:
    name = f":doc:`{rst.escaped(entry.title)} </generated/claims/{entry.name}>`"
    if entry.erratum:
        name += " (corrects the notes)"
    verdict = f":verdict-{outcome.verdict}:`{outcome.verdict}`" if outcome else "not run"
    return [name, entry.kind, entry.cost, verdict]


def _supposed(entry: Entry, outcome: Outcome | None) -> Iterator[str]:
    sentences = outcome.hypotheses if outcome else entry.hypotheses
    if sentences:
        yield rst.heading("Assumptions", "-")
        yield rst.directive("rst-class", "hypotheses" if outcome else "supposed")
        yield rst.bullets(rst.prose(with_formulas(s)) for s in sentences)


def _checked(outcome: Outcome | None) -> Iterator[str]:
    yield rst.heading("What is measured", "-")
    if outcome is None:
        yield "This claim takes too long for the build of these pages. Run it as shown below.\n"
        return
    yield rst.raw_html(outcome.html())
    yield f"At the default parameters, with seed 0. Tolerance: {rst.escaped(outcome.tolerance)}.\n"


def _without(entry: Entry, outcome: Outcome | None) -> Iterator[str]:
    reason = entry.fields.get("no-counterexample")
    if reason or (outcome and outcome.counterexample):
        yield rst.heading("What happens without an assumption", "-")
        text = (
            rst.prose(reason) if reason else rst.escaped(outcome.counterexample if outcome else "")
        )
        yield text[:1].upper() + text[1:].rstrip(".") + ".\n"


def _errata(entry: Entry) -> Iterator[str]:
    for tag, text in tagged(entry.erratum) if entry.erratum else ():
        yield rst.directive(
            "admonition", f"Erratum: {tag}", rst.prose(with_formulas(text)), **{"class": "erratum"}
        )


def _options(options: Sequence[Option]) -> Iterator[str]:
    if options:
        yield rst.heading("Parameters", "-")
        rows = [
            [f"``{o.name}``", f"``{_written(o.default)}``", _range(o), rst.escaped(o.meaning)]
            for o in options
        ]
        yield rst.table(["name", "default", "range", "meaning"], rows, "15 20 25 40")


def _written(value: object) -> str:
    """A value as it is typed on the command line."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _range(option: Option) -> str:
    """What an option may be, in words; integers without a range are at least 1."""
    if option.kind.startswith("Literal["):
        return option.kind[len("Literal[") : -1].replace("'", "")
    low, high = option.low, option.high
    if low is None and high is None and option.kind in ("int", "tuple[int, ...]"):
        low = 1
    if low is None and high is None:
        return {"bool": "true or false", "float": "finite"}.get(option.kind, option.kind)
    if low is None or high is None:
        return f"≥ {low:g}" if high is None else f"≤ {high:g}"
    return f"{low:g} to {high:g}"


def _how_to_run(entry: Entry) -> Iterator[str]:
    yield rst.heading("Run it", "-")
    option = next((o for o in entry.options if o.kind in ("int", "float")), None)
    flag = f" --{option.name.replace('_', '-')} {option.default}" if option else ""
    shell = f"$ corollary check {entry.stem}{flag} --seed 1"
    argument = f"{option.name}={option.default!r}" if option else ""
    yield rst.code("console", shell)
    yield rst.code(
        "python",
        f"import corollary\n\nclaim = corollary.claim({entry.name!r})\n"
        f"print(claim({argument}).check(seed=1).sentence)",
    )


def _source(entry: Entry, docs: Path | None) -> Iterator[str]:
    yield rst.heading("Source", "-")
    yield rst.prose(entry.source) + "\n"
    if entry.covers:
        slugs = ", ".join(f":ref:`{slug} <result-{slug}>`" for slug in entry.covers)
        yield f"In the :doc:`map of the notes </generated/map>`: {slugs}.\n"
    if entry.beyond:
        yield f"Not in the notes. {rst.prose(entry.beyond)}\n"
    if docs:
        path = Path(os.path.relpath(entry.path, docs)).as_posix()
        yield rst.raw_html('<details class="code"><summary>The code of this claim</summary>')
        yield rst.directive("literalinclude", f"/{path}", language="python")
        yield rst.raw_html("</details>")
