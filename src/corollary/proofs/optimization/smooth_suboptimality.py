r"""A gradient step cannot lead below the minimum.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Lemma 36.
"""

import torch

from corollary.claims.optimization.smooth_suboptimality import Given
from corollary.core import Proof, eq, le, let
from corollary.theory.prerequisites.gradients import gradient


def proof(given: Given) -> Proof:
    f, L, best, x = given
    g = torch.stack([gradient(f, p) for p in x])
    here, g2 = torch.vmap(f)(x), g.square().sum(1)
    after = torch.vmap(f)(x - g / L)
    yield let("f(x^*)", f(best))
    yield le(r"f(x-\tfrac1L\nabla f(x))", after, "x* is a minimiser")
    bound = here - g2 / L + L / 2 * (g / L).square().sum(1)
    by = "f is L-smooth"
    yield le(r"f(x) - \tfrac1L\|\nabla f\|^2 + \tfrac L2\|\tfrac1L\nabla f\|^2", bound, by)
    yield eq(r"f(x) - \tfrac1{2L}\|\nabla f(x)\|^2", here - g2 / (2 * L), "added up")


def tight() -> Given:
    """A parabola whose minimum is not 0."""
    x = torch.tensor([[3.0, 4.0]], dtype=torch.float64)
    return Given(lambda x: 2.5 * x.square().sum() + 7, 5.0, 0 * x[0], x)
