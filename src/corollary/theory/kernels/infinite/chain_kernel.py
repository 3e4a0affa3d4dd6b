"""The recursion on u = 1 - cos of a chain of layers: compiled row by row, and by torch in place."""

import numpy as np
import torch
from torch import Tensor

from corollary.theory.kernels.infinite.angle import angle

PLAIN, DENSE, RECTIFIER = 0, 1, 2


def gaps(products, row, col, n, m, i1, i2, constants):  # noqa: ANN001, ANN201, PLR0913
    """Turn a block of inner products into 1 - cos, in place; count the small ones. To be compiled.

    The block is ``n x m`` from ``(row, col)`` on: whole arrays are contiguous, views are not.
    """
    zero, one, two, small = constants[0], constants[2], constants[3], constants[6]
    count = 0
    for i in range(n):
        a = i1[i]
        u = products[row + i, col : col + m]
        for j in range(m):
            g = one - u[j] * (a * i2[j])
            g = zero if g < zero else g
            g = two if g > two else g
            u[j] = g
        for j in range(m):
            count += u[j] < small
    return count


def chain_tail(nngp, ntk, corners, a, b, r1, r2, codes, bends, even, odd, constants):  # noqa: ANN001, ANN201, PLR0913, E501
    """All layers for one row after the other, in place; to be compiled.

    The block of ``nngp`` from ``corners[:2]`` on holds 1 - cos of the inputs, and at the end the
    covariance; the block of ``ntk`` from ``corners[2:]`` on gets the tangent kernel.
    """
    zero, half, one, two = constants[0], constants[1], constants[2], constants[3]
    pi, inverse_pi = constants[4], constants[5]
    n, m = len(r1), len(r2)
    for i in range(n):
        u = nngp[corners[0] + i, corners[1] : corners[1] + m]
        t = ntk[corners[2] + i, corners[3] : corners[3] + m]
        for j in range(m):
            t[j] = zero
        dense = 0
        for k in range(len(codes)):
            if codes[k] == 0:
                for j in range(m):
                    t[j] += one - u[j]
                dense += 1
            elif codes[k] == 1:
                ai, bi, gi, ei = a[dense, 0, i], a[dense, 1, i], a[dense, 2, i], a[dense, 3, i]
                for j in range(m):
                    aj, bj = b[dense, 0, j], b[dense, 1, j]
                    aa, da, db = ai * aj, ai - aj, bi - bj
                    new = gi * b[dense, 2, j] * (one - u[j]) + ei * b[dense, 3, j]
                    t[j] = aa * t[j] + new
                    u[j] = aa * u[j] + half * (da * da + db * db)
                dense += 1
            elif codes[k] == 2:
                w = bends[k] * inverse_pi
                for j in range(m):
                    g = u[j]
                    v = min(g, two - g)
                    v = zero if v < zero else v  # rounding at parallel inputs
                    v2 = v * v
                    root = np.sqrt(v)
                    e = even[0]
                    for q in range(1, len(even)):
                        e = e * v2 + even[q]
                    o = odd[0]
                    for q in range(1, len(odd)):
                        o = o * v2 + odd[q]
                    theta = root * (e + o * v)
                    theta = pi - theta if g > one else theta
                    sine = root * np.sqrt(two - v)
                    u[j] = g + w * (theta * (one - g) - sine)
                    t[j] *= one - w * theta
        for j in range(m):
            rr = r1[i] * r2[j]
            u[j] = rr * (one - u[j])
            t[j] *= rr


def torch_tail(
    u: Tensor, t: Tensor, a: Tensor, b: Tensor, codes: np.ndarray, bends: np.ndarray
) -> None:
    """The same layers on whole blocks; the lengths are left to the caller."""
    t.zero_()
    dense = 0
    for code, bend in zip(codes.tolist(), bends.tolist(), strict=True):
        if code == PLAIN:
            t.add_(1).sub_(u)
            dense += 1
        elif code == DENSE:
            (ai, bi, gi, ei), (aj, bj, gj, ej) = a[dense], b[dense]
            product = ai[:, None] * aj
            t.mul_(product).add_(torch.outer(ei, ej)).addcmul_(torch.outer(gi, gj), 1 - u)
            u.mul_(product).add_((ai[:, None] - aj) ** 2 / 2).add_((bi[:, None] - bj) ** 2 / 2)
            dense += 1
        elif code == RECTIFIER:
            theta, sine = angle(u), (u * (2 - u)).clamp_(min=0).sqrt_()
            u.add_(theta * (1 - u) - sine, alpha=bend / np.pi).clamp_(0, 2)
            t.mul_(1 - (bend / np.pi) * theta)
