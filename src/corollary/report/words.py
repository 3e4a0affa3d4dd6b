"""Text inside a drawing: escaped for XML, its width guessed, broken into lines."""

import re
from html import escape

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NARROW, _WIDE = set("ijlftrI.,:;'|!()[]{} 1"), set("mwMW@%—")


def xml(text: str) -> str:
    r"""Escaped for XML and HTML, without the characters that XML cannot carry.

    Example:
        >>> xml("a < b\x00")
        'a &lt; b'
    """
    return escape(_ILLEGAL.sub("", text))


def width(text: str, size: float) -> float:
    """About how wide the text is in a sans-serif font of ``size`` pixels."""
    return size * sum(map(_em, text))


def _em(c: str) -> float:
    if 0x300 <= ord(c) < 0x370:
        return 0.0  # an accent stands on the letter before
    if ord(c) > 0x2000:
        return 0.8  # mathematics
    return 0.36 if c in _NARROW else 0.92 if c in _WIDE else 0.61


def lines(text: str, size: float, room: float) -> list[str]:
    """The words of the text on as few lines of width ``room`` as it takes; a long word is cut."""
    out: list[str] = []
    for word in text.split():
        if width(word, size) > room:
            word = word[: max(1, int(room / (0.6 * size)) - 1)] + "…"
        if out and width(f"{out[-1]} {word}", size) <= room:
            out[-1] = f"{out[-1]} {word}"
        else:
            out.append(word)
    return out
