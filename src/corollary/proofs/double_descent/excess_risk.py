r"""Noise of mean zero does not see the features.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 80, first part.
"""

import torch

from corollary.claims.double_descent.excess_risk import ExcessRisk, Given
from corollary.core import Proof, eq, let

NEAR = 0.06  # 40,000 points know a second moment to 1 %


def proof(claim: ExcessRisk, given: Given) -> Proof:
    phi, y, star, Sigma, _ = given
    noise = y - phi @ star
    w = torch.stack(given.predictors(claim.shares))
    off = (w - star) @ phi.T
    yield let(r"R(w) = \mathbb E(w^\top\varphi-y)^2", (w @ phi.T - y).square().mean(1))
    tex = r"\mathbb E((w-w_*)^\top\varphi-\epsilon)^2"
    yield eq(tex, (off - noise).square().mean(1), "the labels are planted")
    apart = off.square().mean(1) + noise.square().mean()
    tex = r"\mathbb E((w-w_*)^\top\varphi)^2 + \mathbb E\epsilon^2"
    yield eq(tex, apart, "ε has mean 0 and is independent of φ", within=NEAR)
    form = ((w - star) @ Sigma * (w - star)).sum(1) + claim.sigma**2
    tex = r"(w-w_*)^\top\Sigma(w-w_*) + \sigma^2"
    yield eq(tex, form, "Σ is the second moment of φ", within=NEAR)
