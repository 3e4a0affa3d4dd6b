"""Stored pictures: what a page shows before its first run. ``tools/draw_pictures.py`` draws them.

They take the page's colours, so each serves the light and the dark theme.
"""

from functools import lru_cache
from pathlib import Path

from markupsafe import Markup

HERE = Path(__file__).parent / "drawn"
STORIES, CLAIMS = HERE / "stories", HERE / "claims"


def story_card(name: str) -> Markup:
    """The picture on the card of a story."""
    return _drawn(STORIES / f"{name}.card.svg")


def story_figure(name: str) -> Markup:
    """The live figure of a story, where its sliders start."""
    return _drawn(STORIES / f"{name}.svg")


def claim_figure(name: str) -> Markup:
    """The first figure of a claim at its defaults; nothing for claims that are drawn at once."""
    return _drawn(CLAIMS / f"{name}.svg")


@lru_cache(maxsize=128)
def _drawn(path: Path) -> Markup:
    """Styles under another name, as in a live figure: the script of the page sets them."""
    if not path.is_file():
        return Markup()
    return Markup(path.read_text("utf-8").strip().replace(' style="', ' data-style="'))
