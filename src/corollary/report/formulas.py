"""KaTeX inside a page: its script, its style sheet and the fonts that the formulas need.

The files come from ``tools/fetch_assets.py`` and are part of the wheel. Where they are missing the
page shows the readable text of each formula instead.
"""

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

FOLDER = Path(__file__).parent / "assets" / "katex"
_FACE = re.compile(r"@font-face\{[^}]*?src:url\(fonts/(KaTeX_[\w-]+)\.woff2\)[^}]*\}")
_ALWAYS = {"Main-Regular", "Math-Italic", *(f"Size{i}-Regular" for i in range(1, 5))}
_NEEDED_BY = {
    "AMS-Regular": r"\\(mathbb|Bbb|mathbbm|lesssim|gtrsim|leqslant|geqslant|varnothing|nmid|square)"
    r"|\\(blacksquare|checkmark|complement|eth|hbar|top|triangleq|because|therefore|curlyeq|prec)",
    "Caligraphic-Regular": r"\\(mathcal|cal)\b",
    "Fraktur-Regular": r"\\(mathfrak|frak)\b",
    "Script-Regular": r"\\mathscr\b",
    "SansSerif-Regular": r"\\(mathsf|textsf|sf)\b",
    "Typewriter-Regular": r"\\(mathtt|texttt|tt)\b",
    "Main-Bold": r"\\(mathbf|textbf|bf|boldsymbol|bm)\b",
    "Math-BoldItalic": r"\\(boldsymbol|bm)\b",
    "Main-Italic": r"\\(mathit|textit|it|emph)\b",
}


@dataclass(frozen=True)
class Renderer:
    """What a page embeds to render formulas; both empty if KaTeX is not there."""

    script: str
    style: str


def renderer(formulas: Iterable[str], folder: Path = FOLDER) -> Renderer:
    """KaTeX for these formulas: nothing if there are none, or if its files are missing."""
    tex = "\n".join(formulas)
    if not tex or not (folder / "katex.min.js").is_file():
        return Renderer("", "")
    script, style = _files(folder)
    return Renderer(script, _FACE.sub(lambda m: _face(m, fonts(tex), folder), style))


def fonts(tex: str) -> set[str]:
    r"""The KaTeX fonts that the formulas use.

    Example:
        >>> sorted(fonts(r"\mathbb{R}") - fonts("x"))
        ['AMS-Regular']
    """
    return _ALWAYS | {font for font, used in _NEEDED_BY.items() if re.search(used, tex)}


@lru_cache(maxsize=2)
def _files(folder: Path) -> tuple[str, str]:
    script = (folder / "katex.min.js").read_text(encoding="utf-8").replace("</script", r"<\/script")
    return script, (folder / "katex.min.css").read_text(encoding="utf-8")


def _face(match: re.Match[str], needed: set[str], folder: Path) -> str:
    """The font rule with the font inside, or nothing if no formula uses it."""
    name = match.group(1).removeprefix("KaTeX_")
    file = folder / f"{match.group(1)}.woff2"
    if name not in needed or not file.is_file():
        return ""
    data = base64.b64encode(file.read_bytes()).decode()
    rule = match.group(0)
    return rule[: rule.index("src:")] + f"src:url(data:font/woff2;base64,{data})" + "}"
