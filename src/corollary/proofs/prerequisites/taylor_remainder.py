r"""Integrate the highest derivative as often as it was taken.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.3, proof of Theorem 2.
"""

from math import factorial

import torch
from torch import Tensor

from corollary.claims.prerequisites.taylor_remainder import Given, TaylorRemainder
from corollary.core import Proof, eq, le, let
from corollary.theory.prerequisites.increments import unit_interval_rule
from corollary.theory.prerequisites.taylor import derivatives, taylor_polynomial

SHIFTS = torch.tensor([0.01, 0.02, 0.04, 0.08, 0.16], dtype=torch.float64)


def along(given: Given, k: int) -> tuple[Tensor, Tensor, Tensor]:
    """Where the integral from a to x looks, its weights, and the highest derivative there."""
    t, w = (torch.tensor(v, dtype=torch.float64) for v in unit_interval_rule(32))
    t, w = t * SHIFTS[:, None], w * SHIFTS[:, None]
    top = [[float(derivatives(given.f, given.a + s, k)[k]) for s in row] for row in t.tolist()]
    return SHIFTS[:, None] - t, w, torch.tensor(top, dtype=torch.float64)


def proof(claim: TaylorRemainder, given: Given) -> Proof:
    f, a = given
    k, x = claim.k, a + SHIFTS
    left, w, top = along(given, k + 1)
    weight = w * left**k / factorial(k)
    ends = [[float(derivatives(f, s, k + 1)[-1]) for s in (a, b)] for b in x.tolist()]
    M = torch.cat([top, torch.tensor(ends, dtype=x.dtype)], 1).abs().amax(1)
    yield let(r"|f(x) - T_k(x)|", (f(x) - taylor_polynomial(f, a, k)(x)).abs())
    by = "the fundamental theorem of calculus, k + 1 times"
    inner = (weight * top).sum(1).abs()
    yield eq(r"\bigl|\int_a^x\tfrac{(x-t)^k}{k!}f^{(k+1)}(t)\,dt\bigr|", inner, by)
    outer = (weight * top.abs()).sum(1)
    yield le(r"\int_a^x\tfrac{(x-t)^k}{k!}|f^{(k+1)}(t)|\,dt", outer, "triangle inequality")
    yield le(r"M\int_a^x\tfrac{(x-t)^k}{k!}\,dt", M * weight.sum(1), "M is the supremum")
    bound = M * SHIFTS ** (k + 1) / factorial(k + 1)
    yield eq(r"M\tfrac{|x-a|^{k+1}}{(k+1)!}", bound, "the integral of a power")


def as_printed(given: Given) -> Proof:
    """For k = 3 the notes leave out the 2 below the second derivative."""
    f, a = given
    value, slope, curvature = (float(v) for v in derivatives(f, a, 2))
    left, w, top = along(given, 3)
    rest = (w * left**2 / 2 * top).sum(1)
    printed = value + slope * SHIFTS + curvature * SHIFTS**2 + rest
    yield let("f(x)", f(a + SHIFTS))
    yield eq(r"f(a) + f'(a)(x-a) + f''(a)(x-a)^2 + \iiint f'''", printed, "(1.12)", wrong=True)
