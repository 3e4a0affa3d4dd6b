"""Convolutional chains pair by pair, all layers in cache; to be compiled.

Positions are stored with a border of p zeros on every side, rows one after the other: then a shift
by (a, b) is a shift of a whole vector by ``a * row + b``, and no row needs care at its ends. Each
layer is a convolution with the dense rule ``rule[l] = (w2, b2, g, e)`` of window ``2 * reach + 1``,
followed by a rectifier of ``bend[l] = (w, s)`` unless s is 0. ``r`` and ``i`` are standard
deviations and their inverses after each convolution, 0 on the border; ``mask`` is 1 inside.
Loops run over views from 0 on, because an index that might be negative is not vectorised.
"""

import numpy as np

from corollary.theory.kernels.infinite.angle import Coefficients

EQUAL = 1.0 - 8 * 2.0**-52  # a cosine above this is rounding of equal inputs


def image_chain(
    x: np.ndarray,
    y: np.ndarray,
    flat: bool,
    shape: tuple[int, int, int],
    reach: np.ndarray,
    rule: np.ndarray,
    bend: np.ndarray,
    r1: np.ndarray,
    i1: np.ndarray,
    r2: np.ndarray,
    i2: np.ndarray,
    mask: np.ndarray,
    even: Coefficients,
    odd: Coefficients,
    out_k: np.ndarray,
    out_t: np.ndarray,
) -> None:
    """Covariances averaged over positions, of all pairs of images.

    ``k[h, c]`` is the plane of second positions for the first position (h, c). If ``flat``, only
    equal positions count: there is one plane, and shifts stay in it.
    """
    p, height, row = shape
    width, low, n, size = row - 2 * p, p * row, height * row, x.shape[2]
    tall, wide = (1, 1) if flat else (height, width)
    k, t = np.zeros((tall, wide, size)), np.zeros((tall, wide, size))
    k2, t2 = np.zeros((tall, wide, size)), np.zeros((tall, wide, size))
    slab_k, slab_t = np.zeros((wide, size)), np.zeros((wide, size))
    valid, scale, inverse = mask[low : low + n], np.empty(n), np.empty(n)
    channels = 1.0 / x.shape[1]
    inside = 1.0 / (mask.sum() * (1.0 if flat else mask.sum()))
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            for h in range(tall):
                for c in range(wide):
                    here = (p + h) * row + p + c
                    ok, ot = k[h, c, low : low + n], t[h, c, low : low + n]
                    for q in range(n):
                        ok[q], ot[q] = 0.0, 0.0
                    for f in range(x.shape[1]):
                        xf, yf = x[i, f, low : low + n], y[j, f, low : low + n]
                        if flat:
                            for q in range(n):
                                ok[q] += xf[q] * yf[q] * channels
                        else:
                            factor = x[i, f, here] * channels
                            for q in range(n):
                                ok[q] += factor * yf[q]
            for l in range(len(reach)):
                d = reach[l]
                share = 1.0 / ((2 * d + 1) * (2 * d + 1))
                w2, b2, g, e = rule[l, 0] * share, rule[l, 1], rule[l, 2] * share, rule[l, 3]
                w, rest, s = bend[l, 0] / np.pi, 1.0 - bend[l, 0], bend[l, 1]
                rb, ib = r2[l, j, low : low + n], i2[l, j, low : low + n]
                for h in range(tall):
                    for c in range(wide):
                        vk, vt = slab_k[c, low : low + n], slab_t[c, low : low + n]
                        fk, ft = k[h, c, low : low + n], t[h, c, low : low + n]
                        for q in range(n):
                            vk[q], vt[q] = fk[q], ft[q]
                        for a in range(-d, d + 1):
                            at, up = low + a * row, h if flat else h + a
                            if a != 0 and up >= 0 and up < tall:
                                fk, ft = k[up, c, at : at + n], t[up, c, at : at + n]
                                for q in range(n):
                                    vk[q] += fk[q]
                                    vt[q] += ft[q]
                    for c in range(wide):
                        ok, ot = k2[h, c, low : low + n], t2[h, c, low : low + n]
                        fk, ft = slab_k[c, low : low + n], slab_t[c, low : low + n]
                        for q in range(n):
                            ok[q], ot[q] = fk[q], ft[q]
                        for b in range(-d, d + 1):
                            at, right = low + b, c if flat else c + b
                            if b != 0 and right >= 0 and right < wide:
                                fk, ft = slab_k[right, at : at + n], slab_t[right, at : at + n]
                                for q in range(n):
                                    ok[q] += fk[q]
                                    ot[q] += ft[q]
                        if s == 0.0:
                            for q in range(n):
                                ot[q] = (w2 * ot[q] + g * ok[q] + e) * valid[q]
                                ok[q] = (w2 * ok[q] + b2) * valid[q]
                            continue
                        if flat:
                            ra, ia = r1[l, i, low : low + n], i1[l, i, low : low + n]
                            for q in range(n):
                                scale[q], inverse[q] = s * ra[q] * rb[q], ia[q] * ib[q]
                        else:
                            here = (p + h) * row + p + c
                            rh, ih = s * r1[l, i, here], i1[l, i, here]
                            for q in range(n):
                                scale[q], inverse[q] = rh * rb[q], ih * ib[q]
                        for q in range(n):
                            new = (w2 * ot[q] + g * ok[q] + e) * valid[q]
                            cosine = (w2 * ok[q] + b2) * inverse[q]
                            v = max(1.0 - abs(cosine), 0.0)
                            v = 0.0 if cosine > EQUAL else v
                            v2 = v * v
                            root = np.sqrt(v)
                            m = even[0]
                            for z in range(1, len(even)):
                                m = m * v2 + even[z]
                            o = odd[0]
                            for z in range(1, len(odd)):
                                o = o * v2 + odd[z]
                            theta = root * (m + o * v)  # to the nearer end
                            bent = root * np.sqrt(2.0 - v) - theta * (1.0 - v)  # sin θ - θ cos θ
                            end = 1.0 if cosine >= 0.0 else rest
                            bent = w * max(bent, 0.0) + end * np.copysign(1.0 - v, cosine)
                            ok[q] = scale[q] * bent
                            ot[q] = new * s * (end - np.copysign(w * theta, cosine))
                k, k2 = k2, k
                t, t2 = t2, t
            out_k[i, j] = k.sum() * inside
            out_t[i, j] = t.sum() * inside
