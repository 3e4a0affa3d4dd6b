"""The compiled kernel that cuts convex polygons by lines, one polygon at a time.

Each polygon is taken on its own: its lines are put in one after the other, in ascending order, so
two neighbours put the same points in the same order on their common edge. Points on an edge are in
a table made beforehand; points inside belong to one polygon only. One function, because numba
compiles what it sees.
"""

import numpy as np


def cut_cells(
    start: np.ndarray,
    corner: np.ndarray,
    edge: np.ndarray,
    first: np.ndarray,
    unit: np.ndarray,
    place: np.ndarray,
    x: np.ndarray,
    z: np.ndarray,
    sign: np.ndarray,
    slack: float,
    old: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cut every polygon by every function that has both signs on it.

    Args:
        start: Where each polygon's corners begin.
        corner: Corners, counter-clockwise.
        edge: The edge that begins at each corner.
        first: Where each edge's crossings begin in the two tables that follow.
        unit: Which function crosses.
        place: Where, from the edge's smaller vertex number (0) to its larger (1).
        x: Coordinates of the old vertices and, from row ``old`` on, of the crossings.
        z: The functions at the old vertices.
        sign: Their signs, with what is up to the slack as 0.
        slack: Values up to this size are zero.
        old: Number of old vertices.

    Returns:
        ``start`` and ``corner`` of the pieces, and coordinates of vertices beyond those of ``x``.
    """
    m = z.shape[1]
    out_start = np.empty(2 * len(start) + 64, np.int64)
    out_corner = np.empty(2 * len(corner) + 256, np.int64)
    out_start[0] = 0
    pieces, slots, inner = 0, 0, 0
    out_inner = np.empty((256, 2), np.float64)
    lines = np.empty(m, np.int64)
    met = np.empty(m, np.int64)  # met[i]: where line i meets the line that is being put in
    room = 256  # local vertices
    who, pa, pb = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    pt, px, py = np.empty(room), np.empty(room), np.empty(room)
    value, side = np.empty(room), np.empty(room, np.int8)
    space = 1024  # local slots
    v0, v1 = np.empty(space, np.int64), np.empty(space, np.int64)
    l0, l1 = np.empty(space, np.int64), np.empty(space, np.int64)
    s0, s1 = np.empty(space, np.int64), np.empty(space, np.int64)
    below, label_below = np.empty(space, np.int64), np.empty(space, np.int64)
    for p in range(len(start) - 1):
        begin = start[p]
        k = start[p + 1] - begin
        c = 0
        for u in range(m):
            up = False
            down = False
            for i in range(k):
                s = sign[corner[begin + i], u]
                up = up or s > 0
                down = down or s < 0
            if up and down:
                lines[c] = u
                c += 1
        while k + 2 * c + 8 > room:
            room *= 2
        if len(who) < room:
            who, pa = np.empty(room, np.int64), np.empty(room, np.int64)
            pb = np.empty(room, np.int64)
            pt, px, py = np.empty(room), np.empty(room), np.empty(room)
            value, side = np.empty(room), np.empty(room, np.int8)
        if len(v0) < k:
            v0, l0 = np.empty(2 * k, np.int64), np.empty(2 * k, np.int64)
            s0 = np.empty(2 * k, np.int64)
        n = k
        for i in range(k):
            g = corner[begin + i]
            who[i], px[i], py[i] = g, x[g, 0], x[g, 1]
            pa[i], pb[i], pt[i] = -1, -1, 0.0
            v0[i], l0[i] = i, i  # labels below k are edges of the polygon, then lines
        polygons = 1
        s0[0], s0[1] = 0, k
        for j in range(c):
            u = lines[j]
            for i in range(j):
                met[i] = -1
            for i in range(n):
                if i < k:
                    value[i] = z[who[i], u]
                    side[i] = sign[who[i], u]
                else:
                    zj = value[pa[i]] + pt[i] * (value[pb[i]] - value[pa[i]])
                    value[i] = zj
                    side[i] = 1 if zj > slack else (-1 if zj < -slack else 0)
            made, used = 0, 0
            s1[0] = 0
            for q in range(polygons):
                b, e = s0[q], s0[q + 1]
                up = False
                down = False
                for i in range(b, e):
                    up = up or side[v0[i]] > 0
                    down = down or side[v0[i]] < 0
                if used + 2 * (e - b) + 8 > len(v1) or made + 3 > len(s1):
                    size = 2 * (len(v1) + (e - b) + 8)
                    w0, w1 = np.empty(size, np.int64), np.empty(size, np.int64)
                    w0[:used], w1[:used] = v1[:used], l1[:used]
                    v1, l1 = w0, w1
                    w2 = np.empty(size, np.int64)
                    w2[: made + 1] = s1[: made + 1]
                    s1 = w2
                if not (up and down):
                    for i in range(b, e):
                        v1[used], l1[used] = v0[i], l0[i]
                        used += 1
                    made += 1
                    s1[made] = used
                    continue
                if e - b + 8 > len(below):
                    below = np.empty(2 * (e - b) + 8, np.int64)
                    label_below = np.empty(2 * (e - b) + 8, np.int64)
                cut = k + j
                under = 0
                for i in range(b, e):
                    v = v0[i]
                    w = v0[i + 1] if i + 1 < e else v0[b]
                    lab = l0[i]
                    sv, sw = side[v], side[w]
                    if sv > 0:
                        v1[used], l1[used] = v, lab
                        used += 1
                    elif sv < 0:
                        below[under], label_below[under] = v, lab
                        under += 1
                    else:
                        v1[used] = v
                        l1[used] = cut if sw < 0 else lab
                        used += 1
                        below[under] = v
                        label_below[under] = cut if sw > 0 else lab
                        under += 1
                    if sv * sw >= 0:
                        continue
                    f = -1
                    if lab >= k:
                        f = met[lab - k]
                    if f < 0:
                        if n == room:
                            room *= 2
                            g0, g1 = np.empty(room, np.int64), np.empty(room, np.int64)
                            g2 = np.empty(room, np.int64)
                            g0[:n], g1[:n], g2[:n] = who[:n], pa[:n], pb[:n]
                            who, pa, pb = g0, g1, g2
                            h0, h1 = np.empty(room), np.empty(room)
                            h2, h3 = np.empty(room), np.empty(room)
                            h0[:n], h1[:n], h2[:n], h3[:n] = pt[:n], px[:n], py[:n], value[:n]
                            pt, px, py, value = h0, h1, h2, h3
                            g3 = np.empty(room, np.int8)
                            g3[:n] = side[:n]
                            side = g3
                        f = n
                        n += 1
                        found = -1
                        if lab < k:
                            for r in range(first[edge[begin + lab]], first[edge[begin + lab] + 1]):
                                if unit[r] == u:
                                    found = r
                        if found >= 0:
                            one, two = lab, lab + 1 if lab + 1 < k else 0
                            if who[one] > who[two]:
                                one, two = two, one
                            pa[f], pb[f], pt[f] = one, two, place[found]
                            who[f] = old + found
                            px[f], py[f] = x[who[f], 0], x[who[f], 1]
                        else:
                            t = value[v] / (value[v] - value[w])
                            pa[f], pb[f], pt[f] = v, w, t
                            px[f] = px[v] + t * (px[w] - px[v])
                            py[f] = py[v] + t * (py[w] - py[v])
                            who[f] = -1
                        value[f], side[f] = 0.0, 0
                        if lab >= k:
                            met[lab - k] = f
                    v1[used] = f
                    l1[used] = cut if sv > 0 else lab
                    used += 1
                    below[under] = f
                    label_below[under] = cut if sv < 0 else lab
                    under += 1
                made += 1
                s1[made] = used
                for i in range(under):
                    v1[used], l1[used] = below[i], label_below[i]
                    used += 1
                made += 1
                s1[made] = used
            v0, v1 = v1, v0
            l0, l1 = l1, l0
            s0, s1 = s1, s0
            polygons = made
        need = s0[polygons]
        if slots + need > len(out_corner):
            longer = np.empty(2 * (slots + need), np.int64)
            longer[:slots] = out_corner[:slots]
            out_corner = longer
        if pieces + polygons + 1 > len(out_start):
            longer = np.empty(2 * (pieces + polygons + 1), np.int64)
            longer[: pieces + 1] = out_start[: pieces + 1]
            out_start = longer
        for i in range(k, n):
            if who[i] < 0:
                if inner == len(out_inner):
                    wider = np.empty((2 * inner, 2), np.float64)
                    wider[:inner] = out_inner[:inner]
                    out_inner = wider
                who[i] = len(x) + inner
                out_inner[inner, 0], out_inner[inner, 1] = px[i], py[i]
                inner += 1
        for i in range(need):
            out_corner[slots + i] = who[v0[i]]
        for q in range(polygons):
            out_start[pieces + q + 1] = slots + s0[q + 1]
        slots += need
        pieces += polygons
    return out_start[: pieces + 1].copy(), out_corner[:slots].copy(), out_inner[:inner].copy()
