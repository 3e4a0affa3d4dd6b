"""A convolution of covariance and tangent kernel as one compiled loop, a slab of rows at a time.

The kernel averages over equal offsets of both positions and applies the dense rule to the means
m of K and v of Theta: ``K' = w2 m + b2`` and ``Theta' = w2 v + g m + e``.

Rows of ``geometry``, for h and for w: size, window, stride, dilation, padding before, output size.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor


def convolve(
    k: np.ndarray,
    t: np.ndarray,
    flat: bool,
    geometry: np.ndarray,
    rule: np.ndarray,
    slab_k: np.ndarray,
    slab_t: np.ndarray,
    out_k: np.ndarray,
    out_t: np.ndarray,
) -> None:
    """For ``(pairs, h, w, h', w')``; to be compiled. Slabs are ``(w, h'', w')`` with zero edges.

    In the diagonal layout (``flat``) first positions are second ones: their axes have length 1.
    """
    height, kh, sh, dh, ph, oh = geometry[0]
    width, kw, sw, dw, pw, ow = geometry[1]
    share, w2, b2, g, e = 1.0 / (kh * kw), rule[0], rule[1], rule[2], rule[3]
    row_k, row_t = np.empty(ow), np.empty(ow)
    slab_k[:] = 0.0
    slab_t[:] = 0.0
    for p in range(k.shape[0]):
        for i in range(out_k.shape[1]):
            for c in range(k.shape[2]):
                for i2 in range(oh):
                    slab = 0 if flat else pw + c
                    into_k, into_t = slab_k[slab, i2], slab_t[slab, i2]
                    into_k[pw : pw + width] = 0.0
                    into_t[pw : pw + width] = 0.0
                    for a in range(kh):
                        r2 = i2 * sh - ph + a * dh
                        r = r2 if flat else i * sh - ph + a * dh
                        if r >= 0 and r < height and r2 >= 0 and r2 < height:
                            first = 0 if flat else r
                            from_k, from_t = k[p, first, c, r2], t[p, first, c, r2]
                            for c2 in range(width):
                                into_k[pw + c2] += from_k[c2]
                                into_t[pw + c2] += from_t[c2]
            for j in range(out_k.shape[2]):
                for i2 in range(oh):
                    row_k[:] = 0.0
                    row_t[:] = 0.0
                    for b in range(kw):
                        slab = 0 if flat else j * sw + b * dw
                        from_k, from_t = slab_k[slab, i2], slab_t[slab, i2]
                        if sw == 1:
                            for j2 in range(ow):
                                row_k[j2] += from_k[j2 + b * dw]
                                row_t[j2] += from_t[j2 + b * dw]
                        else:
                            for j2 in range(ow):
                                row_k[j2] += from_k[j2 * sw + b * dw]
                                row_t[j2] += from_t[j2 * sw + b * dw]
                    to_k, to_t = out_k[p, i, j, i2], out_t[p, i, j, i2]
                    for j2 in range(ow):
                        m = row_k[j2] * share
                        to_k[j2] = w2 * m + b2
                        to_t[j2] = w2 * share * row_t[j2] + g * m + e


def convolved(
    kernel: Callable[..., Any],
    k: Tensor,
    t: Tensor,
    axes: int,
    copies: int,
    geometry: list[list[int]],
    rule: tuple[float, float, float, float],
) -> tuple[Tensor, Tensor]:
    """Shape the tensors for the kernel and back. One axis of positions is an image of one row."""
    lead, flat = k.ndim - axes * copies, copies == 1
    (h, *_, oh), (w, _, stride, _, before, ow) = geometry
    first, first_out = ((1, 1), (1, 1)) if flat else ((h, w), (oh, ow))
    pairs = [v.reshape(-1, *first, h, w).contiguous().numpy() for v in (k, t)]
    out = [np.empty((len(pairs[0]), *first_out, oh, ow)) for _ in range(2)]
    reach = geometry[1][3] * (geometry[1][1] - 1) + 1
    edge = max(before + w, (ow - 1) * stride + reach)  # columns with the zeros of both ends
    slabs = [np.empty((1 if flat else edge, oh, edge)) for _ in range(2)]
    kernel(*pairs, flat, np.array(geometry), np.array(rule), *slabs, *out)
    places = ((oh, ow) if axes == 2 else (ow,)) * copies
    new_k, new_t = (torch.from_numpy(v).reshape(*k.shape[:lead], *places) for v in out)
    return new_k, new_t
