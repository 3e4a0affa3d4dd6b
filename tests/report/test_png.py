import base64
import math
import struct
import zlib

from corollary.report.inks import ColourScale
from corollary.report.png import LARGEST, png_uri, pooled


def chunks(uri):
    data = base64.b64decode(uri.partition(",")[2])[8:]
    while data:
        (size,) = struct.unpack(">I", data[:4])
        kind, body = data[4:8], data[8 : 8 + size]
        assert struct.unpack(">I", data[8 + size : 12 + size])[0] == zlib.crc32(kind + body)
        yield kind, body
        data = data[12 + size :]


def test_pixels_come_back_and_what_is_not_finite_is_transparent():
    parts = dict(chunks(png_uri([[0.0, 1.0], [math.nan, 0.5]], [(0, 0, 0)] * 3)))
    assert struct.unpack(">II", parts[b"IHDR"][:8]) == (2, 2)
    assert zlib.decompress(parts[b"IDAT"]) == bytes([0, 1, 3, 0, 0, 2])
    assert parts[b"tRNS"] == b"\0"


def test_a_large_matrix_is_averaged_down():
    rows = [[1.0] * 300 for _ in range(500)]
    small = pooled(rows)
    assert (len(small), len(small[0])) == (LARGEST, LARGEST)
    assert all(v == 1.0 for row in small for v in row)


def test_a_scale_with_both_signs_is_symmetric_about_zero():
    scale = ColourScale.of([-1.0, 3.0, math.inf])
    assert scale.share(0.0) == 0.5
    assert ColourScale.of([]).share(0.0) == 0.0
