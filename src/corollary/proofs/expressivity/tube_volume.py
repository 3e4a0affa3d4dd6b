r"""A tube in a ball fits into a cylinder.

:source: Lucchi (2025), Foundations of Deep Learning, proof idea of Theorem 33, step III.
"""

import torch

from corollary.claims.expressivity.tube_volume import Given, TubeVolume
from corollary.core import Proof, eq, le, let
from corollary.theory.expressivity.tubes import in_tubes, tube_bound


def proof(claim: TubeVolume, given: Given) -> Proof:
    r, m = claim.r, claim.m
    pairs = list(zip(given.points, given.directions, strict=True))
    share = torch.stack([in_tubes(x, d, given.radius).double().mean() for x, d in pairs])
    each = [
        torch.stack([in_tubes(x, u[None], given.radius).double().mean() for u in d[:40]])
        for x, d in pairs
    ]
    yield "Of points that are uniform in the ball, for each dimension n:"
    yield let(r"P(x\in\bigcup_jT_j)", share)
    total = torch.stack([e.sum() for e in each])
    yield le(r"\sum_jP(x\in T_j)", total, "a union of m events", loose=1.5)
    worst = torch.stack([e.max() for e in each])
    yield le(r"m\max_jP(x\in T_j)", m * worst, "m tubes", within=0.02)
    bounds = torch.tensor([tube_bound(n, r, 1) for n in claim.dimensions], dtype=torch.float64)
    by = "a tube lies in a cylinder of length 2r and radius 1"
    yield le(r"m\,\tfrac{2rV_{n-1}}{r^nV_n}", m * bounds, by, within=0.02, loose=1.3)
    n = torch.tensor(claim.dimensions, dtype=torch.float64)
    ball = torch.lgamma(n / 2 + 1) - torch.lgamma((n - 1) / 2 + 1)
    closed = 2 * r * ball.exp() / torch.pi**0.5 / r**n
    tex = r"m\,\tfrac{2r\,\Gamma(\frac n2+1)}{\sqrt\pi\,r^n\,\Gamma(\frac{n+1}2)}"
    yield eq(tex, m * closed, "volumes of balls")
