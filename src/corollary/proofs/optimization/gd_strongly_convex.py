r"""Expand the distance: strong convexity pays for it, and smoothness for the step.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 34.
"""

import torch

from corollary.claims.optimization.gd_strongly_convex import GdStronglyConvex, Given
from corollary.core import Proof, eq, le, let
from corollary.theory.optimization.objectives import quadratic
from corollary.theory.prerequisites.gradients import gradient


def proof(claim: GdStronglyConvex, given: Given) -> Proof:
    o, mu, _, eta = given
    run = claim.run(given)
    x, gap = run.x, run.f[:-1] - o.minimum
    g = torch.stack([gradient(o.f, p) for p in x[:-1]])
    D2, g2 = (x - o.minimiser).square().sum(1), g.square().sum(1)
    yield let(r"\|x_{k+1}-x^*\|^2", D2[1:])
    cross = (g * (x[:-1] - o.minimiser)).sum(1)
    full = r"\|x_k-x^*\|^2 - 2\eta\langle\nabla f, x_k-x^*\rangle + \eta^2\|\nabla f\|^2"
    yield eq(full, D2[:-1] - 2 * eta * cross + eta**2 * g2, "the step, expanded")
    left = (1 - eta * mu) * D2[:-1]
    tex = r"(1-\eta\mu)\|x_k-x^*\|^2"
    convex = left - 2 * eta * gap + eta**2 * g2
    yield le(tex + r" - 2\eta(f-f^*) + \eta^2\|\nabla f\|^2", convex, "strong convexity")
    smooth = left - 2 * eta * gap + 2 * o.L * eta**2 * gap
    yield le(tex + r" - 2\eta(f-f^*) + 2L\eta^2(f-f^*)", smooth, "‖∇f‖² ≤ 2L(f − f*)")
    yield eq(tex + r" - 2\eta(1-\eta L)(f-f^*)", left - 2 * eta * (1 - eta * o.L) * gap, "factored")
    yield le(tex, left, "η ≤ 1/L")
    k = torch.arange(1.0, len(D2), dtype=D2.dtype)
    yield "And again, down to the start; smoothness turns distance into height."
    yield let("f(x_k) - f^*", run.f[1:] - o.minimum)
    yield le(r"\tfrac L2\|x_k-x^*\|^2", o.L / 2 * D2[1:], "f is L-smooth, and ∇f(x*) = 0")
    yield le(r"\tfrac L2(1-\eta\mu)^k\|x_0-x^*\|^2", o.L / 2 * (1 - eta * mu) ** k * D2[0], "above")


def tight() -> list[Given]:
    """Parabolas: with one curvature and a short step, and along a flat direction."""
    one = torch.ones(1, dtype=torch.float64)
    flat = torch.tensor([0.02, 1.0], dtype=torch.float64)
    return [
        Given(quadratic(one[None]), 1.0, 3 * one, 0.02),
        Given(quadratic(flat.diag()), 0.02, torch.tensor([5.0, 0.0]).double(), 1.0),
    ]
