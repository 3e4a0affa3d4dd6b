r"""The supremum is near its mean, and its mean is at most twice the complexity.

:source: Lucchi (2025), Foundations of Deep Learning, proof sketch of Theorem 62, steps 1 and 2.
"""

import math

import torch

from corollary.claims.generalization.rademacher_bound import Given, RademacherBound, suprema
from corollary.core import Proof, ge, le, let
from corollary.theory.generalization.rademacher import threshold_complexity


def proof(claim: RademacherBound, given: Given) -> Proof:
    x, m, delta = given.x, given.x.shape[1], claim.delta
    phi = suprema(x)
    yield "Let φ(S) be the largest 𝔼f − 𝔼_S f. Move one point of each sample elsewhere:"
    moved = x.clone()
    moved[:, 0] = 1 - moved[:, 0]
    yield let(r"|\varphi(S)-\varphi(S')|", (suprema(moved) - phi).abs().max())
    yield le(r"\tfrac1m", 1 / m, "one of m values in [0, 1] changes")
    yield "So McDiarmid bounds the quantile, and symmetrisation the mean."
    slack = math.sqrt(math.log(1 / delta) / (2 * m))
    yield let(r"q_{1-\delta}(\varphi)", phi.quantile(1 - delta))
    yield le(
        r"\mathbb E\varphi + \sqrt{\log(1/\delta)/2m}", phi.mean() + slack, "McDiarmid", loose=1.6
    )
    bound = 2 * threshold_complexity(m) + slack
    yield le(r"2\mathcal R_m + \sqrt{\log(1/\delta)/2m}", bound, "symmetrisation", loose=1.4)
    wide = 2 * threshold_complexity(m) + math.sqrt(math.log(1 / delta) / m)
    yield "The notes' slack is valid, and √2 as large:"
    yield let(r"2\mathcal R_m + \sqrt{\log(1/\delta)/m}", wide)
    yield ge(
        r"2\mathcal R_m + \sqrt{\log(1/\delta)/2m}", bound, "a smaller number below", loose=1.2
    )


def tight(claim: RademacherBound) -> Given:
    """Two points, at all places of a grid."""
    u = torch.linspace(0, 1, 41, dtype=torch.float64)
    return Given(torch.cartesian_prod(u, u))
