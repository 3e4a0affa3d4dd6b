"""Joint window means as a compiled loop: one slab of rows at a time, so it stays in cache."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor


def window_means(t, geometry, slab, out):  # noqa: ANN001, ANN201 - typed by numba
    """Means over equal offsets of both positions of ``(pairs, h, w, h', w')``; to be compiled.

    Rows of ``geometry``, for h and for w: size, window, stride, dilation, padding, output size.
    """
    height, kh, sh, dh, ph, oh = geometry[0]
    width, kw, sw, dw, pw, ow = geometry[1]
    share = 1.0 / (kh * kw)
    for p in range(t.shape[0]):
        for i in range(oh):
            slab[:] = 0.0  # (w, h'', w'): rows are summed, columns are not yet
            for a in range(kh):
                r = i * sh - ph + a * dh
                if r < 0 or r >= height:
                    continue
                for c in range(width):
                    for i2 in range(oh):
                        r2 = i2 * sh - ph + a * dh
                        if r2 >= 0 and r2 < height:
                            for c2 in range(width):
                                slab[c, i2, c2] += t[p, r, c, r2, c2]
            for j in range(ow):
                out[p, i, j, :, :] = 0.0
                for b in range(kw):
                    shift = b * dw - pw
                    c = j * sw + shift
                    if c < 0 or c >= width:
                        continue
                    first = max(0, (sw - 1 - shift) // sw)
                    last = min(ow, (width - 1 - shift) // sw + 1)
                    for i2 in range(oh):
                        for j2 in range(first, last):
                            out[p, i, j, i2, j2] += slab[c, i2, j2 * sw + shift] * share


def plane_means(t, geometry, slab, out):  # noqa: ANN001, ANN201 - typed by numba
    """The same for the diagonal layout ``(pairs, h, w)``; to be compiled."""
    height, kh, sh, dh, ph, oh = geometry[0]
    width, kw, sw, dw, pw, ow = geometry[1]
    share = 1.0 / (kh * kw)
    for p in range(t.shape[0]):
        for i in range(oh):
            slab[:] = 0.0
            for a in range(kh):
                r = i * sh - ph + a * dh
                if r >= 0 and r < height:
                    for c in range(width):
                        slab[pw + c] += t[p, r, c]
            for j in range(ow):
                out[p, i, j] = 0.0
            for b in range(kw):
                for j in range(ow):
                    out[p, i, j] += slab[j * sw + b * dw] * share


def compiled_window_mean(
    kernel: Callable, t: Tensor, lead: int, copies: int, geometry: list[list[int]]
) -> Tensor:
    """Shape the tensors for the kernel and back."""
    (h, *_, oh), (w, *_, ow) = geometry
    axes = (t.ndim - lead) // copies
    batch = t.shape[:lead]
    flat = t.reshape(-1, *((h, w) * copies)).contiguous().numpy()
    places = (oh, ow) * copies
    out = np.empty((flat.shape[0], *places))
    table = np.array(geometry, dtype=np.int64)
    if copies == 2:
        kernel(flat, table, np.empty((w, oh, w)), out)
    else:
        reach = table[1, 2] * (ow - 1) + table[1, 3] * (table[1, 1] - 1) + 1
        kernel(flat, table, np.empty(max(int(reach), w + int(table[1, 4]))), out)
    kept = places if axes == 2 else places[1::2] if copies == 2 else places[1:]
    return torch.from_numpy(out).reshape(*batch, *kept)
