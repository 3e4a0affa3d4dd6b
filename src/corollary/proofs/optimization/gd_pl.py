r"""One step of the descent lemma, then the condition.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 40; Perez Jensen (2025), Deep
    Learning, Section 3.2, proof of Lemma 3.4.
"""

import torch

from corollary.claims.optimization.gd_pl import GdPl, Given
from corollary.core import Proof, le, let
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.objectives import quadratic


def proof(claim: GdPl, given: Given) -> Proof:
    o, mu, _, _ = given
    run = claim.run(given)
    f, g2 = run.f, run.gradient_norm[:-1].square()
    gap = f - o.minimum
    yield let(r"f(x_{k+1}) - f(x_k)", f[1:] - f[:-1])
    yield le(r"-\tfrac1{2L}\|\nabla f(x_k)\|^2", -g2 / (2 * o.L), "descent lemma, step 1/L")
    yield le(r"-\tfrac\mu L(f(x_k) - f^*)", -mu / o.L * gap[:-1], "the PL condition")
    yield "Add f(x_k) − f* on both sides."
    yield let(r"f(x_{k+1}) - f^*", gap[1:])
    yield le(r"(1-\tfrac\mu L)(f(x_k) - f^*)", (1 - mu / o.L) * gap[:-1], "the chain above")
    k = torch.arange(1.0, len(f), dtype=f.dtype)
    yield "And again, down to the start."
    yield let(r"f(x_k) - f^*", gap[1:])
    yield le(r"(1-\tfrac\mu L)^k(f(x_0) - f^*)", (1 - mu / o.L) ** k * gap[0], "induction")


def tight() -> Given:
    """A parabola of one curvature, almost: the first step is all that is needed."""
    values = torch.tensor([1.0, 1.0 + 1e-3], dtype=torch.float64)
    return Given(quadratic(values.diag()), 1.0, torch.tensor([30.0, 0.0]).double(), 1 / 1.001)


def as_printed(claim: GdPl, given: Given) -> Proof:
    """Theorem 40 takes the step 1/(2L) with a descent that belongs to the step 1/L."""
    o = given.objective
    run = gradient_descent(o.f, given.x0, 1 / (2 * o.L), claim.k)
    f, g2 = run.f, run.gradient_norm[:-1].square()
    yield let(r"f(x_{k+1}) - f(x_k)", f[1:] - f[:-1])
    by = "descent lemma, step 1/(2L)"
    yield le(r"-\tfrac1{2L}\|\nabla f(x_k)\|^2", -g2 / (2 * o.L), by, wrong=True)
    condition = -given.mu / o.L * (f[:-1] - o.minimum)
    yield le(r"-\tfrac\mu L(f(x_k) - f^*)", condition, "the PL condition")
