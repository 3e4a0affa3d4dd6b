"""Sections of a very large page, compressed together.

A page of hundreds of statements would be several megabytes of text that is alike. Beyond
:data:`LIMIT` the sections of what holds are packed into one block, and the script that renders
formulas into another. The page's own script opens them with the browser's ``DecompressionStream``;
what does not hold stays plain, so that it can be read without any script.
"""

import base64
import json
import zlib

LIMIT = 1_400_000  # bytes; smaller pages are plain


def packed(texts: list[str]) -> str:
    """Texts as one block of ASCII."""
    text = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("utf-8", errors="replace"), 9)).decode()


def unpacked(block: str) -> list[str]:
    """The inverse of :func:`packed`, as the page's script does it.

    Example:
        >>> unpacked(packed(["<p>ε</p>", ""]))
        ['<p>ε</p>', '']
    """
    out: list[str] = json.loads(zlib.decompress(base64.b64decode(block)))
    return out
