"""Colours of marks and maps.

Lines and dots use CSS variables with a fallback that is legible on white and on black; maps use
fixed colours.
"""

import math
from dataclasses import dataclass

from corollary.core.figure import (
    Band,
    Curve,
    Figure,
    HeatMap,
    Histogram,
    Image,
    Level,
    Mark,
    Points,
    Regions,
)
from corollary.report.ticks import SMALL

RGB = tuple[int, int, int]

PREDICTED, MEASURED = "var(--predicted,#d1603d)", "var(--measured,#3a7ebf)"
OTHERS = ("#5b9a6f", "#9a6fb8", "#b98a2f", "#4fa3a5", "#b0627c", "#84888f")
_DASHES = ("", "7 3", "2 3", "9 3 2 3")
_SEQUENTIAL: tuple[RGB, ...] = (
    (38, 30, 84),
    (47, 79, 140),
    (45, 130, 152),
    (96, 178, 141),
    (190, 214, 122),
    (252, 240, 170),
)
_DIVERGING: tuple[RGB, ...] = (
    (33, 82, 143),
    (104, 157, 203),
    (238, 236, 230),
    (222, 137, 99),
    (160, 54, 38),
)


@dataclass(frozen=True)
class Ink:
    """How one mark is drawn."""

    colour: str
    dash: str = ""
    opacity: float = 1.0
    square: bool = False  # the shape of dots
    halo: bool = False  # dots lie on a filled plane and need an edge to be visible

    @property
    def line(self) -> str:
        """Attributes for a stroke."""
        dash = f' stroke-dasharray="{self.dash}"' if self.dash else ""
        opacity = f' stroke-opacity="{self.opacity:g}"' if self.opacity < 1 else ""
        return f'style="stroke:{self.colour}"{dash}{opacity}'


def inks(figure: Figure) -> list[Ink]:
    """One per mark: the role decides the colour; a second line of the same colour is dashed."""
    out, seen, others = [], dict[tuple[str, str], int](), 0
    halo = any(isinstance(m, HeatMap | Image | Regions) for m in figure.marks)
    for mark in figure.marks:
        role, kind = getattr(mark, "role", "other"), _kind(mark)
        rank = seen.get((role, kind), 0)
        seen[role, kind] = rank + 1
        if role == "other":
            colour, rank, others = _other(others), 0, others + 1
        else:
            colour = PREDICTED if role == "predicted" else MEASURED
        dashed = bool(getattr(mark, "dashed", False)) or isinstance(mark, Level)
        dash = _DASHES[(rank + dashed) % len(_DASHES)] if kind == "line" else ""
        out.append(Ink(colour, dash, max(0.55, 1 - 0.15 * rank), rank % 2 == 1, halo))
    return out


def _kind(mark: Mark) -> str:
    if isinstance(mark, Curve | Level):
        return "line"
    return "dots" if isinstance(mark, Points) else "area" if isinstance(mark, Band) else "else"


def _other(rank: int) -> str:
    rank %= len(OTHERS)
    return f"var(--other-{rank + 1},{OTHERS[rank]})"


def filled(mark: Mark) -> bool:
    """Whether the mark covers an area, so that its sample in the legend is a box."""
    return isinstance(mark, Band | Histogram)


@dataclass(frozen=True)
class ColourScale:
    """Values to colours: from dark to light, or from blue to red about zero."""

    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> "ColourScale":
        """The scale that shows all finite values; about zero if there are both signs."""
        fit = [min(1e300, max(-1e300, v)) for v in values if math.isfinite(v)] or [0.0]
        low, high = min(fit), max(fit)
        if high - low < SMALL:
            return cls(low, low + (abs(low) if abs(low) > SMALL else 1.0))
        if low < 0 < high:
            size = max(-low, high)
            return cls(-size, size)
        return cls(low, high)

    def share(self, value: float) -> float:
        """The position of the value between the ends, from 0 to 1."""
        return (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)

    def rgb(self, share: float) -> RGB:
        """The colour at a share of the scale."""
        stops = _DIVERGING if self.low < 0 < self.high else _SEQUENTIAL
        at = min(1.0, max(0.0, share)) * (len(stops) - 1)
        k = min(int(at), len(stops) - 2)
        a, b = stops[k], stops[k + 1]
        r, g, blue = (round(p + (q - p) * (at - k)) for p, q in zip(a, b, strict=True))
        return r, g, blue

    def hex(self, share: float) -> str:
        """The colour as CSS has it."""
        return "#{:02x}{:02x}{:02x}".format(*self.rgb(share))
