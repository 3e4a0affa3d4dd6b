"""A matrix as a small PNG in a data URI, with the standard library alone."""

import base64
import math
import struct
import zlib
from collections.abc import Sequence

from corollary.core.numbers import Rows
from corollary.report.inks import RGB

LEVELS = 64  # colours; the eye tells no more apart in a map, and the file is half as large
LARGEST = 128  # pixels per side; larger matrices are averaged down


def png_uri(shares: Rows, palette: Sequence[RGB]) -> str:
    """The picture of ``shares`` in [0, 1], row 0 on top; what is not finite is transparent."""
    rows = pooled(shares)
    top = len(palette) - 1
    lines = b"".join(
        b"\0" + bytes(0 if not math.isfinite(v) else 1 + round(_unit(v) * top) for v in row)
        for row in rows
    )
    size = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0)
    colours = b"\0\0\0" + b"".join(bytes(c) for c in palette)
    body = (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", size)
        + _chunk(b"PLTE", colours)
        + _chunk(b"tRNS", b"\0")
        + _chunk(b"IDAT", zlib.compress(lines, 9))
        + _chunk(b"IEND", b"")
    )
    return "data:image/png;base64," + base64.b64encode(body).decode()


def pooled(rows: Rows) -> list[list[float]]:
    """At most :data:`LARGEST` rows and columns: means over blocks."""
    n, d = len(rows), max((len(row) for row in rows), default=0)
    if n == 0 or d == 0:
        return [[math.nan]]
    even = [[*row, *[math.nan] * (d - len(row))] for row in rows]
    if n <= LARGEST and d <= LARGEST:
        return even
    r, c = min(n, LARGEST), min(d, LARGEST)
    return [
        [_mean([even[i][j] for i in _block(a, n, r) for j in _block(b, d, c)]) for b in range(c)]
        for a in range(r)
    ]


def _block(k: int, size: int, parts: int) -> range:
    return range(k * size // parts, max(k * size // parts + 1, (k + 1) * size // parts))


def _mean(values: list[float]) -> float:
    fit = [v for v in values if math.isfinite(v)]
    return sum(fit) / len(fit) if fit else math.nan


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
