"""A claim's own figure: a method that yields the marks, with a declared title and axes.

The core draws what most claims need (:mod:`corollary.core.shows`); this is for the others.
Everything needed for a picture can be imported from here::

    @picture("Eigenvalues of {n} matrices", x="Re λ", y="Im λ", equal=True)
    def spectrum(self, trial: Trial[Given]) -> Marks:
        yield unit_circle("modulus 1")
        yield scatter(trial.kept.values, "eigenvalues")
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from corollary.core.dots import band_of_runs, over_runs, scatter, unit_circle, with_intervals
from corollary.core.figure import (
    Band,
    Curve,
    Figure,
    Graph,
    HeatMap,
    Histogram,
    Image,
    Level,
    Mark,
    Points,
    Regions,
    Role,
)
from corollary.core.trial import Trial

if TYPE_CHECKING:
    from corollary.core.claim import Claim

__all__ = [
    "Band",
    "Curve",
    "Figure",
    "Graph",
    "HeatMap",
    "Histogram",
    "Image",
    "Level",
    "Mark",
    "Marks",
    "Points",
    "Regions",
    "Role",
    "band_of_runs",
    "over_runs",
    "picture",
    "scatter",
    "unit_circle",
    "with_intervals",
]

Marks = Iterator[Mark]
Log = Literal["", "x", "y", "xy"]  # which axes are logarithmic
M = TypeVar("M", bound=Callable[..., Marks])


@dataclass(frozen=True)
class Frame:
    """Title and axes. In title and caption ``{n}`` is a field of claim, measurement or given."""

    title: str
    _: KW_ONLY
    x: str = ""
    y: str = ""
    log: Log = ""
    caption: str = ""

    def frame(
        self, claim: "Claim[Any]", trial: Trial[Any], marks: Iterable[Mark], **other: Any
    ) -> Figure:
        """The marks in the frame; axes without a label have the claim's symbols."""
        facts = _Facts(claim, trial)
        words: dict[str, Any] = {
            "title": self.title.format_map(facts),
            "x": self.x or claim.symbols[0],
            "y": self.y or claim.symbols[1],
            "log_x": "x" in self.log,
            "log_y": "y" in self.log,
            "caption": self.caption.format_map(facts),
        }
        return Figure(marks=tuple(marks), **(words | other))


@dataclass(frozen=True)
class Picture(Frame):
    """The frame of a method's marks."""

    equal: bool = False
    names: tuple[str, ...] = ()
    each: int = 0  # so many trials without a hypothesis have the same picture

    def draw(self, claim: "Claim[Any]", trial: Trial[Any], marks: Any) -> Iterator[Figure]:
        """The picture of the trial, and of some trials without a hypothesis."""
        for shown in (trial, *trial.without[: self.each]):
            yielded = tuple(marks(claim, shown))
            own = {"title": shown.words.rstrip(".")} if shown.words else {}
            if yielded:  # there may be nothing to see, as in dimensions other than two
                words = {"equal": self.equal, "names": self.names} | own
                yield self.frame(claim, shown, yielded, **words)


def picture(title: str, *, x: str = "", y: str = "", **other: Any) -> Callable[[M], M]:
    """Draw the marks that a claim's method yields for a trial; see :class:`Picture`."""

    def decorated(method: M) -> M:
        method.picture = Picture(title, x=x, y=y, **other)  # type: ignore[attr-defined]
        return method

    return decorated


class _Facts(dict[str, Any]):
    """Fields by name, from claim, measurement or given instance."""

    def __init__(self, claim: "Claim[Any]", trial: Trial[Any]) -> None:
        self.places = claim, trial.kept, trial.given, trial

    def __missing__(self, name: str) -> Any:
        return next(getattr(place, name) for place in self.places if hasattr(place, name))
