"""The recursion of a chain of layers on gaps: compiled row by row, and by torch in place.

A gap v tells the cosine of an angle without losing digits at either end: ``v >= 0`` means
``cos = 1 - v``, ``v < 0`` means ``cos = -1 - v``, always with ``|v| <= 1``.
"""

import numpy as np
import torch
from torch import Tensor

from corollary.theory.kernels.infinite.angle import Coefficients, angle

PLAIN, DENSE, RECTIFIER, SCALE, ACUTE = range(5)
TINY = 1e-30  # stands for an exact -1, because -0 would be read as +1


def gaps(
    products: np.ndarray,
    row: int,
    col: int,
    n: int,
    m: int,
    i1: np.ndarray,
    i2: np.ndarray,
    constants: np.ndarray,
) -> int:
    """Turn a block of inner products into gaps, in place; count the small ones. To be compiled.

    The block is ``n x m`` from ``(row, col)`` on: whole arrays are contiguous, views are not.
    """
    zero, one, small, tiny = constants[0], constants[2], constants[6], constants[7]
    count = 0
    for i in range(n):
        a = i1[i]
        u = products[row + i, col : col + m]
        for j in range(m):
            cosine = u[j] * (a * i2[j])
            near, far = one - cosine, one + cosine
            near = zero if near < zero else near
            far = tiny if far < tiny else far
            u[j] = near if cosine >= zero else -far
        for j in range(m):
            count += abs(u[j]) < small
    return count


def chain_tail(
    nngp: np.ndarray,
    ntk: np.ndarray,
    corners: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    r1: np.ndarray,
    r2: np.ndarray,
    codes: np.ndarray,
    bends: np.ndarray,
    even: Coefficients,
    odd: Coefficients,
    constants: np.ndarray,
) -> None:
    """All layers for one row after the other, in place; to be compiled.

    The block of ``nngp`` from ``corners[:2]`` on holds gaps of the inputs, and at the end the
    covariance; the block of ``ntk`` from ``corners[2:]`` on gets the tangent kernel.
    """
    zero, half, one, two = constants[0], constants[1], constants[2], constants[3]
    pi, inverse_pi, tiny = constants[4], constants[5], constants[7]
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
                    t[j] += (one if u[j] >= zero else -one) - u[j]
                dense += 1
            elif codes[k] == 1:
                ai, bi, gi, ei = a[dense, 0, i], a[dense, 1, i], a[dense, 2, i], a[dense, 3, i]
                for j in range(m):
                    v = u[j]
                    side = one if v >= zero else -one
                    aj, bj = b[dense, 0, j], side * b[dense, 1, j]
                    aa, da, db = ai * aj, ai - aj, bi - bj
                    new = gi * b[dense, 2, j] * (side - v) + ei * b[dense, 3, j]
                    t[j] = aa * t[j] + new
                    g = aa * (side * v) + half * (da * da + db * db)
                    side, g = (-side, two - g) if g > one else (side, g)
                    g = tiny if g < tiny and side < zero else g
                    u[j] = side * g
                dense += 1
            elif codes[k] == 2:
                w = bends[k] * inverse_pi
                for j in range(m):
                    near = u[j] >= zero
                    v = abs(u[j])
                    v2 = v * v
                    root = np.sqrt(v)
                    e = even[0]
                    for q in range(1, len(even)):
                        e = e * v2 + even[q]
                    o = odd[0]
                    for q in range(1, len(odd)):
                        o = o * v2 + odd[q]
                    theta = root * (e + o * v)
                    theta = theta if near else pi - theta
                    cosine = one - v if near else v - one
                    moved = w * (theta * cosine - root * np.sqrt(two - v))  # at most 0
                    g = v + moved if near else v - moved
                    g = zero if g < zero else g
                    flipped = g > one
                    g = two - g if flipped else g
                    g = tiny if g < tiny and (near == flipped) else g
                    u[j] = g if near != flipped else -g
                    t[j] *= one - w * theta
            elif codes[k] == 4:  # no obtuse angles are left: gaps are 1 - cos
                w = bends[k] * inverse_pi
                for j in range(m):
                    v = u[j] if u[j] >= zero else two + u[j]  # right angles may be told either way
                    v2 = v * v
                    root = np.sqrt(v)
                    e = even[0]
                    for q in range(1, len(even)):
                        e = e * v2 + even[q]
                    o = odd[0]
                    for q in range(1, len(odd)):
                        o = o * v2 + odd[q]
                    theta = root * (e + o * v)
                    g = v + w * (theta * (one - v) - root * np.sqrt(two - v))
                    u[j] = zero if g < zero else g
                    t[j] *= one - w * theta
        for j in range(m):
            rr = r1[i] * r2[j]
            u[j] = rr * ((one if u[j] >= zero else -one) - u[j])
            t[j] *= rr


def torch_tail(
    u: Tensor, t: Tensor, a: Tensor, b: Tensor, codes: np.ndarray, bends: np.ndarray, small: float
) -> None:
    """The same layers on whole blocks; the lengths are left to the caller.

    Angles never come nearer to opposite than they are at the start, so a block without opposites
    is recursed on 1 - cos alone, which needs fewer passes.
    """
    t.zero_()
    opposite = bool(((u < 0) & (u > -small)).any())
    if not opposite:
        u.copy_(torch.where(u < 0, 2 + u, u))
    step = _signed_layer if opposite else _plain_layer
    dense = 0
    for code, bend in zip(codes.tolist(), bends.tolist(), strict=True):
        tables = (a[dense], b[dense]) if code in (PLAIN, DENSE) else (a[:0], b[:0])
        step(u, t, RECTIFIER if code == ACUTE else code, bend / np.pi, tables)
        dense += code in (PLAIN, DENSE)
    if not opposite:
        u.copy_(torch.where(u > 1, u - 2, u).clamp_(min=-1))


def _plain_layer(u: Tensor, t: Tensor, code: int, w: float, tables: tuple[Tensor, Tensor]) -> None:
    if code == PLAIN:
        t.add_(1).sub_(u)
    elif code == DENSE:
        (ai, bi, gi, ei), (aj, bj, gj, ej) = tables
        product = ai[:, None] * aj
        t.mul_(product).add_(torch.outer(ei, ej)).addcmul_(torch.outer(gi, gj), 1 - u)
        u.mul_(product).add_((ai[:, None] - aj) ** 2 / 2).add_((bi[:, None] - bj) ** 2 / 2)
        u.clamp_(0, 2)
    elif code == RECTIFIER:
        half = u.div(2).sqrt_().asin_()  # θ/2
        sine = (2 - u).mul_(u).sqrt_()
        sine.sub_(half, alpha=2).addcmul_(half, u, value=2)  # -(θ cos θ - sin θ)
        u.sub_(sine, alpha=w).clamp_(0, 2)
        t.addcmul_(t, half, value=-2 * w)


def _signed_layer(u: Tensor, t: Tensor, code: int, w: float, tables: tuple[Tensor, Tensor]) -> None:
    near, v = u >= 0, u.abs()
    if code == PLAIN:
        t.add_(cosines(u))
    elif code == DENSE:
        (ai, bi, gi, ei), (aj, bj, gj, ej) = tables
        side, product = torch.where(near, 1.0, -1.0).to(u), ai[:, None] * aj
        t.mul_(product).add_(torch.outer(ei, ej)).addcmul_(torch.outer(gi, gj), cosines(u))
        chord = (ai[:, None] - aj) ** 2 + (bi[:, None] - side * bj) ** 2
        u.copy_(signed(product * v + chord / 2, near))
    elif code == RECTIFIER:
        theta = torch.where(near, angle(v), np.pi - angle(v))
        moved = (theta * cosines(u) - (v * (2 - v)).sqrt()) * w
        u.copy_(signed(torch.where(near, v + moved, v - moved).clamp_(min=0), near))
        t.mul_(1 - w * theta)


def cosines(v: Tensor) -> Tensor:
    """The cosines that gaps tell."""
    return torch.where(v >= 0, 1.0, -1.0).to(v) - v


def signed(g: Tensor, near: Tensor) -> Tensor:
    """Gaps from distances g in [0, 2] to the end +1 (``near``) or -1 of the cosines."""
    flipped = g > 1
    g, near = torch.where(flipped, 2 - g, g), near != flipped
    return torch.where(near, g, -g.clamp(min=TINY))
