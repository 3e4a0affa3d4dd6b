"""The map of the notes and the page of errata."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from corollary.registry import Entry, Place
from corollary.report.typed_math import with_formulas
from corollary_docs import rst
from corollary_docs.claims import chapter_docstring
from corollary_docs.scan import Erratum

MAP_INTRO = """\
Every result of the lecture notes has a short name. This page says where each
result is in the package, and which claim or test shows it. The page is generated from the
``:covers:`` fields of docstrings. ``corollary list --map`` prints the same table.
"""

MAP_HEAD = ("result", "lives in", "shown by")
UNCLAIMED = "Layers, losses and data that are shown by tests only"

ERRATA_INTRO = """\
corollary grew out of lecture notes and slides that their authors share freely,
and nothing here would exist without them. Two of the sources are a student's notes that invite
corrections, so this page is meant as a contribution. It lists each place where our numbers and the
text disagree, what we think is true, and the code that shows it. The page names the places but does
not reprint them. If we are wrong, tell us: a claim is quickly changed.
"""

SECTIONS = {  # tag: heading, introduction
    "wrong": ("Wrong", "The statement is false as printed; the corrected statement is a claim."),
    "missing hypothesis": (
        "Missing hypothesis",
        "The statement needs a hypothesis that the text does not mention; the claim runs a "
        "counterexample without this hypothesis.",
    ),
    "loose": (
        "Loose",
        "The statement is true, but a constant, a rate or a wording can be sharper.",
    ),
    "code bug": ("Code", "A code listing does not do what the text says."),
    "typo": (
        "Slips of the pen",
        "A sign, an index or a factor is wrong; the argument itself is right.",
    ),
    "notation": (
        "Notation",
        "A letter changes its meaning, or two letters stand for the same thing.",
    ),
    "possible OCR artefact": (
        "Places to compare with the original page",
        "We worked from text extracted from PDF files. These places may be errors of the "
        "extraction, not of the authors.",
    ),
}


def map_page(
    places: Iterable[Place],
    entries: Iterable[Entry],
    tests: Path | None = None,
    areas: Sequence[str] = (),
) -> str:
    """Result by result: where it lives, which claim and which test file show it.

    Args:
        places: Where results live.
        entries: The claims.
        tests: The folder of tests.
        areas: The chapters in their order; others follow by name.
    """
    claims = {entry.module: entry for entry in entries}
    titles = {e.area: chapter_title(e) for e in claims.values()}
    grouped: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        grouped[place.slug].append(place)
    chapters: dict[str, list[list[str]]] = {area: [] for area in areas}
    for slug, found in sorted(grouped.items()):
        row = [
            f".. _result-{slug}:\n\n``{slug}``",
            _joined(link(p.module, p.object, claims) for p in _home(found, claims)),
            _joined(_shown(found, claims, tests)),
        ]
        chapters.setdefault(_chapter(found, claims, chapters), []).append(row)
    parts = [rst.heading("Map of the notes"), MAP_INTRO, f"{len(grouped)} results are covered.\n"]
    for area, rows in chapters.items():
        if rows:
            title = titles.get(area, UNCLAIMED)
            table = rst.table(MAP_HEAD, rows, "34 36 30")
            parts += [rst.heading(title, "-"), rst.directive("rst-class", "map"), table]
    return "\n".join(parts)


def chapter_title(entry: Entry) -> str:
    """The name of the chapter that a claim stands in."""
    return chapter_docstring(entry).partition("\n")[0].rstrip(".").partition(":")[0]


def _chapter(found: list[Place], claims: Mapping[str, Entry], known: Iterable[str]) -> str:
    """The chapter of a result: that of its claim, else that of the folder it lives in."""
    for place in found:
        if place.module in claims:
            return claims[place.module].area
    folders = {part for place in found for part in place.module.split(".")}
    return next((area for area in known if area in folders), UNCLAIMED)


def errata_page(errata: Iterable[Erratum], entries: Iterable[Entry]) -> str:
    """All errata by tag; possible faults of scanning stand apart, at the end."""
    claims = {entry.module: entry for entry in entries}
    grouped: dict[str, list[list[Erratum]]] = defaultdict(list)
    for places in told_once(errata, claims):
        grouped[places[0].tag].append(places)
    parts = [rst.directive("role", "place"), rst.heading("Errata"), ERRATA_INTRO]
    for tag, (title, intro) in SECTIONS.items():
        if grouped[tag]:
            parts += [rst.heading(title, "-"), intro + "\n"]
            parts.append(rst.bullets(_told(places, claims) for places in grouped[tag]))
    return "\n".join(parts)


def link(module: str, name: str, claims: dict[str, Entry]) -> str:
    """A reference to a claim's page, or to an object of the API reference."""
    if module in claims:
        entry = claims[module]
        return f":doc:`{rst.escaped(entry.title)} </generated/claims/{entry.name}>`"
    target = f"{module}.{name}" if name else module
    # A line may be broken after a dot: names are longer than a column of a table.
    shown = target.removeprefix("corollary.").replace(".", ".\u200b")
    return f":py:{'obj' if name else 'mod'}:`{shown} <{target}>`"


def told_once(errata: Iterable[Erratum], claims: Mapping[str, Entry]) -> list[list[Erratum]]:
    """Errata of one tag about one result, in different modules, are one; a claim tells it best."""
    merged: list[list[Erratum]] = []
    for erratum in sorted(errata, key=lambda e: e.module not in claims):
        for places in merged:
            first = places[0]
            same = first.tag == erratum.tag and set(first.covers) & set(erratum.covers)
            if same and erratum.module not in {e.module for e in places}:
                places.append(erratum)
                break
        else:
            merged.append([erratum])
    return merged


def _told(places: list[Erratum], claims: dict[str, Entry]) -> str:
    """The text, and links: claims show, other code computes."""
    links = list(dict.fromkeys(link(e.module, e.object, claims) for e in places))
    shown = "Shown in" if places[0].module in claims else "See"
    where = next((e.where for e in places if e.where), "")
    told = f"{rst.prose(with_formulas(places[0].text))} {shown} {' and '.join(links)}."
    return f"{told} :place:`{rst.escaped(where)}`" if where else told


def _home(found: list[Place], claims: dict[str, Entry]) -> list[Place]:
    """Where the code is: the objects of theory, models and data; else the claim itself."""
    return [place for place in found if place.module not in claims] or found


def _shown(found: list[Place], claims: dict[str, Entry], tests: Path | None) -> Iterator[str]:
    for module in dict.fromkeys(place.module for place in found):
        if module in claims:
            yield link(module, "", claims)
    if tests:
        for place in found:
            yield from (
                f":path:`tests/{path}`" for path in tests_of(place.module, place.object, tests)
            )


def tests_of(module: str, name: str, tests: Path) -> list[str]:
    """The mirrored test file of a module; else the files that import the object."""
    *rooms, stem = module.split(".")[1:]
    mirror = Path(*rooms, f"test_{stem}.py")
    if (tests / mirror).exists():
        return [mirror.as_posix()]
    wanted = (f"from {module} import", name.partition(".")[0])
    found = (path for path, text in _test_texts(tests) if all(w in text for w in wanted))
    return [path.relative_to(tests).as_posix() for path in found]


@cache
def _test_texts(tests: Path) -> list[tuple[Path, str]]:
    return [(path, path.read_text(encoding="utf-8")) for path in sorted(tests.rglob("test_*.py"))]


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(dict.fromkeys(parts)) or "–"
