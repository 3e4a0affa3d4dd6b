"""Sections of a very large page, compressed together.

A page of hundreds of statements would be several megabytes of text that is alike. Beyond
:data:`LIMIT` the sections of what holds are packed into one block, which the page's script opens
with the browser's own ``DecompressionStream``; what does not hold stays plain, so that it can be
read without any script.
"""

import base64
import json
import zlib

LIMIT = 1_400_000  # bytes; smaller pages are plain


def packed(bodies: list[str]) -> str:
    """The sections as one block of ASCII."""
    text = json.dumps(bodies, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("utf-8", errors="replace"), 9)).decode()


def unpacked(block: str) -> list[str]:
    """The inverse of :func:`packed`, as the page's script does it.

    Example:
        >>> unpacked(packed(["<p>ε</p>", ""]))
        ['<p>ε</p>', '']
    """
    out: list[str] = json.loads(zlib.decompress(base64.b64decode(block)))
    return out
