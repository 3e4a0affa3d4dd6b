r"""The distance to the minimiser shrinks by what the height allows, and heights only fall.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 37, stated there without proof;
    Nesterov (2004), Introductory lectures on convex optimization, Section 2.1.5.
"""

import torch

from corollary.claims.optimization.gd_convex import GdConvex, Given
from corollary.core import Proof, eq, le, let
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.objectives import Objective
from corollary.theory.prerequisites.gradients import gradient


def proof(claim: GdConvex, given: Given) -> Proof:
    o, x0, eta = given
    run = gradient_descent(o.f, x0, eta, claim.k)
    x, gap, g2 = run.x, run.f - o.minimum, run.gradient_norm[:-1].square()
    D2 = (x - o.minimiser).square().sum(1)
    g = torch.stack([gradient(o.f, p) for p in x[:-1]])
    cross = (g * (x[:-1] - o.minimiser)).sum(1)
    yield let(r"f(x_{k+1}) - f^*", gap[1:])
    yield le(r"f(x_k) - f^* - \tfrac\eta2\|\nabla f\|^2", gap[:-1] - eta / 2 * g2, "descent lemma")
    by = "the tangent at x_k lies below f"
    tangent = cross - eta / 2 * g2
    yield le(r"\langle\nabla f, x_k-x^*\rangle - \tfrac\eta2\|\nabla f\|^2", tangent, by)
    distances = (D2[:-1] - D2[1:]) / (2 * eta)
    tex = r"\tfrac1{2\eta}(\|x_k-x^*\|^2 - \|x_{k+1}-x^*\|^2)"
    yield eq(tex, distances, "the step, expanded")
    k = torch.arange(1.0, len(x), dtype=x.dtype)
    yield "Added over k steps:"
    yield let(r"k\,(f(x_k) - f^*)", k * gap[1:])
    yield le(r"\sum_{i\le k}(f(x_i) - f^*)", gap[1:].cumsum(0), "no step leads up")
    far = (D2[0] - D2[1:]) / (2 * eta)
    yield le(r"\tfrac1{2\eta}(\|x_0-x^*\|^2 - \|x_k-x^*\|^2)", far, "it telescopes")
    yield le(r"\tfrac1{2\eta}\|x_0-x^*\|^2", D2[0] / (2 * eta), "a square is not negative")


def tight() -> list[Given]:
    """A slope that is nearly straight, and a step that ends at the minimum."""
    one = torch.ones(1, dtype=torch.float64)
    near = Objective("line", lambda x: (x + x * x / 200).sum(), 0.01, 0, 0, -100 * one, -50.0)
    bowl = Objective("bowl", lambda x: 0.5 * x.square().sum(), 1.0, 1.0, 1.0, 0 * one, 0.0)
    return [Given(near, 5 * one, 0.01), Given(bowl, 3 * one, 1.0)]
