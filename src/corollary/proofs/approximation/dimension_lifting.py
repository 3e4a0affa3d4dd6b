r"""Half of the error for the ridges, the other half shared by their networks.

:source: Lucchi (2025), Foundations of Deep Learning, proof sketch of Theorem 22.
"""

import torch

from corollary.claims.approximation.dimension_lifting import DimensionLifting, Given
from corollary.core import Proof, eq, le, let


def proof(claim: DimensionLifting, given: Given) -> Proof:
    f, ridges, parts, x = given
    target = f(x)
    exact = torch.stack([g(x @ theta) for theta, g in ridges])
    made = torch.stack([part(x).detach() for part in parts])
    m, eps = len(ridges), claim.eps
    yield let(r"|f(x)-\sum_kG_k(x)|", (target - made.sum(0)).abs())
    gap, own = (target - exact.sum(0)).abs(), (exact - made).abs()
    tex = r"|f(x)-\sum_kg_k(\theta_k\cdot x)| + \sum_k|g_k-G_k|"
    yield le(tex, gap + own.sum(0), "triangle inequality")
    yield le(r"\tfrac\varepsilon2 + \sum_k|g_k-G_k|", eps / 2 + own.sum(0), "ridges are near f")
    shares = eps / 2 + m * own.amax() + 0 * gap
    yield le(r"\tfrac\varepsilon2 + m\max_k\|g_k-G_k\|_\infty", shares, "m parts", loose=4.0)
    by = "universal in one variable, on the range of θ_k·x, with biases"
    yield le(
        r"\tfrac\varepsilon2 + m\tfrac\varepsilon{2m}", eps / 2 + m * eps / (2 * m), by, loose=2.0
    )
    yield eq(r"\varepsilon", eps, "added up")
