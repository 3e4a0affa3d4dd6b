"""Named lists of catalogue entries."""

from corollary.errors import UnknownNameError
from corollary.registry import COSTS, Entry, entries

QUICK_PER_AREA = 12  # keeps `quick` under a minute on two cores when every chapter is there


def suites() -> tuple[str, ...]:
    """The names: ``quick``, ``full``, and one per area."""
    return ("quick", "full", *_chapters())


def suite(name: str) -> tuple[Entry, ...]:
    """The claims of a suite.

    ``quick`` takes instant claims spread over each chapter, ``full`` takes all, and an area's name
    takes that area.
    """
    claims = [e for e in entries() if not e.is_exam]
    if name == "full":
        return tuple(claims)
    if name == "quick":
        instant = [e for e in claims if e.cost == COSTS[0]]
        return tuple(e for a in _chapters() for e in _spread([x for x in instant if x.area == a]))
    if name in _chapters():
        return tuple(e for e in claims if e.area == name)
    raise UnknownNameError(
        f"there is no suite called '{name}'; the suites are {', '.join(suites())}"
    )


def _chapters() -> tuple[str, ...]:
    return tuple(sorted({e.area for e in entries() if not e.is_exam}))


def _spread(found: list[Entry]) -> list[Entry]:
    """At most ``most`` entries, evenly spread over the list."""
    count = min(QUICK_PER_AREA, len(found))
    return [found[i * len(found) // count] for i in range(count)]
