"""Convolutional chains pair by pair, all layers in cache; to be compiled.

Positions are stored with a border of p zeros on every side, rows one after the other: then a shift
by (a, b) is a shift of a whole vector by ``a * row + b``, and no row needs care at its ends. Each
layer is a convolution with the dense rule ``rule[l] = (w2, b2, g, e)`` of window ``2 * reach + 1``,
followed by a rectifier of ``bend[l] = (w, s)`` unless s is 0. ``r`` and ``i`` are standard
deviations and their inverses after each convolution, 0 on the border; ``mask`` is 1 inside.
Loops run over views from 0 on, because an index that might be negative is not vectorised.
"""

import numpy as np

SNAP = 8 * 2.0**-52  # below this, 1 - cos is rounding of equal inputs


def flat_chain(x, y, shape, reach, rule, bend, r1, i1, r2, i2, mask, even, odd, out_k, out_t):  # noqa: ANN001, ANN201, PLR0913, E501
    """Covariances at equal positions, averaged over them."""
    p, height, row = shape
    low, n, size = p * row, height * row, x.shape[2]
    all_k, all_t, all_vk, all_vt = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size)
    k, t, vk, vt = (
        all_k[low : low + n],
        all_t[low : low + n],
        all_vk[low : low + n],
        all_vt[low : low + n],
    )
    valid = mask[low : low + n]
    pi, inverse_pi, channels = np.pi, 1.0 / np.pi, 1.0 / x.shape[1]
    inside = 1.0 / mask.sum()
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            for q in range(n):
                k[q], t[q] = 0.0, 0.0
            for c in range(x.shape[1]):
                xc, yc = x[i, c, low : low + n], y[j, c, low : low + n]
                for q in range(n):
                    k[q] += xc[q] * yc[q] * channels
            for l in range(len(reach)):
                d = reach[l]
                share = 1.0 / ((2 * d + 1) * (2 * d + 1))
                w2, b2, g, e = rule[l, 0] * share, rule[l, 1], rule[l, 2] * share, rule[l, 3]
                for q in range(n):
                    vk[q], vt[q] = k[q], t[q]
                for a in range(-d, d + 1):
                    if a != 0:
                        at = low + a * row
                        fk, ft = all_k[at : at + n], all_t[at : at + n]
                        for q in range(n):
                            vk[q] += fk[q]
                            vt[q] += ft[q]
                for q in range(n):
                    k[q], t[q] = vk[q], vt[q]
                for b in range(-d, d + 1):
                    if b != 0:
                        fk, ft = all_vk[low + b : low + b + n], all_vt[low + b : low + b + n]
                        for q in range(n):
                            k[q] += fk[q]
                            t[q] += ft[q]
                w, s = bend[l, 0] * inverse_pi, bend[l, 1]
                if s == 0.0:
                    for q in range(n):
                        t[q] = (w2 * t[q] + g * k[q] + e) * valid[q]
                        k[q] = (w2 * k[q] + b2) * valid[q]
                    continue
                ra, ia = r1[l, i, low : low + n], i1[l, i, low : low + n]
                rb, ib = r2[l, j, low : low + n], i2[l, j, low : low + n]
                for q in range(n):
                    new = (w2 * t[q] + g * k[q] + e) * valid[q]
                    u = 1.0 - (w2 * k[q] + b2) * (ia[q] * ib[q])
                    u = 0.0 if u < SNAP else u
                    u = 2.0 if u > 2.0 else u
                    v = min(u, 2.0 - u)
                    v2 = v * v
                    root = np.sqrt(v)
                    m = even[0]
                    for z in range(1, len(even)):
                        m = m * v2 + even[z]
                    o = odd[0]
                    for z in range(1, len(odd)):
                        o = o * v2 + odd[z]
                    theta = root * (m + o * v)
                    theta = pi - theta if u > 1.0 else theta
                    bent = w * (theta * (1.0 - u) - root * np.sqrt(2.0 - v))
                    k[q] = s * (ra[q] * rb[q]) * (1.0 - u - bent)
                    t[q] = new * (s - s * w * theta)
            out_k[i, j] = k.sum() * inside
            out_t[i, j] = t.sum() * inside


def pooled_chain(x, y, shape, reach, rule, bend, r1, i1, r2, i2, mask, even, odd, out_k, out_t):  # noqa: ANN001, ANN201, PLR0913, E501
    """Covariances at all pairs of positions, averaged over them.

    ``k[h, w]`` holds the plane of second positions for the first position (h, w).
    """
    p, height, row = shape
    width, low, n, size = row - 2 * p, p * row, height * row, x.shape[2]
    k, t = np.zeros((height, width, size)), np.zeros((height, width, size))
    k2, t2 = np.zeros((height, width, size)), np.zeros((height, width, size))
    slab_k, slab_t = np.zeros((width, size)), np.zeros((width, size))
    valid = mask[low : low + n]
    pi, inverse_pi, channels = np.pi, 1.0 / np.pi, 1.0 / x.shape[1]
    inside = 1.0 / (mask.sum() * mask.sum())
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            for h in range(height):
                for c in range(width):
                    ok, ot = k[h, c, low : low + n], t[h, c, low : low + n]
                    for q in range(n):
                        ok[q], ot[q] = 0.0, 0.0
                    for f in range(x.shape[1]):
                        factor = x[i, f, (p + h) * row + p + c] * channels
                        ym = y[j, f, low : low + n]
                        for q in range(n):
                            ok[q] += factor * ym[q]
            for l in range(len(reach)):
                d = reach[l]
                share = 1.0 / ((2 * d + 1) * (2 * d + 1))
                w2, b2, g, e = rule[l, 0] * share, rule[l, 1], rule[l, 2] * share, rule[l, 3]
                w, s = bend[l, 0] * inverse_pi, bend[l, 1]
                rb, ib = r2[l, j, low : low + n], i2[l, j, low : low + n]
                for h in range(height):
                    for c in range(width):
                        vk, vt = slab_k[c, low : low + n], slab_t[c, low : low + n]
                        fk, ft = k[h, c, low : low + n], t[h, c, low : low + n]
                        for q in range(n):
                            vk[q], vt[q] = fk[q], ft[q]
                        for a in range(-d, d + 1):
                            if a != 0 and h + a >= 0 and h + a < height:
                                at = low + a * row
                                fk, ft = k[h + a, c, at : at + n], t[h + a, c, at : at + n]
                                for q in range(n):
                                    vk[q] += fk[q]
                                    vt[q] += ft[q]
                    for c in range(width):
                        ok, ot = k2[h, c, low : low + n], t2[h, c, low : low + n]
                        fk, ft = slab_k[c, low : low + n], slab_t[c, low : low + n]
                        for q in range(n):
                            ok[q], ot[q] = fk[q], ft[q]
                        for b in range(-d, d + 1):
                            if b != 0 and c + b >= 0 and c + b < width:
                                at = low + b
                                fk, ft = slab_k[c + b, at : at + n], slab_t[c + b, at : at + n]
                                for q in range(n):
                                    ok[q] += fk[q]
                                    ot[q] += ft[q]
                        if s == 0.0:
                            for q in range(n):
                                ot[q] = (w2 * ot[q] + g * ok[q] + e) * valid[q]
                                ok[q] = (w2 * ok[q] + b2) * valid[q]
                            continue
                        here = (p + h) * row + p + c
                        ra, ia = s * r1[l, i, here], i1[l, i, here]
                        for q in range(n):
                            new = (w2 * ot[q] + g * ok[q] + e) * valid[q]
                            u = 1.0 - (w2 * ok[q] + b2) * (ia * ib[q])
                            u = 0.0 if u < SNAP else u
                            u = 2.0 if u > 2.0 else u
                            v = min(u, 2.0 - u)
                            v2 = v * v
                            root = np.sqrt(v)
                            m = even[0]
                            for z in range(1, len(even)):
                                m = m * v2 + even[z]
                            o = odd[0]
                            for z in range(1, len(odd)):
                                o = o * v2 + odd[z]
                            theta = root * (m + o * v)
                            theta = pi - theta if u > 1.0 else theta
                            bent = w * (theta * (1.0 - u) - root * np.sqrt(2.0 - v))
                            ok[q] = (ra * rb[q]) * (1.0 - u - bent)
                            ot[q] = new * (s - s * w * theta)
                k, k2 = k2, k
                t, t2 = t2, t
            out_k[i, j] = k.sum() * inside
            out_t[i, j] = t.sum() * inside
