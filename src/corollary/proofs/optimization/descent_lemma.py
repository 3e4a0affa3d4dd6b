r"""Above its tangent f rises no faster than a parabola.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Lemma 39; Perez Jensen (2025), Deep
    Learning, Section 3.2, sufficient decrease.
"""

import torch

from corollary.claims.optimization.descent_lemma import Given
from corollary.core import Proof, eq, le, let
from corollary.theory.prerequisites.gradients import gradient


def proof(given: Given) -> Proof:
    f, L, x, eta = given
    g = torch.stack([gradient(f, p) for p in x])
    here, after, g2 = torch.vmap(f)(x), x - eta * g, g.square().sum(1)
    tangent = here + (g * (after - x)).sum(1)
    yield let("f(x^+)", torch.vmap(f)(after))
    bound = tangent + L / 2 * (after - x).square().sum(1)
    parabola = r"f(x) + \langle\nabla f(x), x^+-x\rangle + \tfrac L2\|x^+-x\|^2"
    yield le(parabola, bound, "f is L-smooth")
    inserted = here - eta * g2 + L * eta**2 / 2 * g2
    yield eq(r"f(x) - \eta\|\nabla f\|^2 + \tfrac{L\eta^2}2\|\nabla f\|^2", inserted, "the step")
    bound = here - eta * (1 - eta * L / 2) * g2
    yield eq(r"f(x) - \eta(1-\tfrac{\eta L}2)\|\nabla f\|^2", bound, "factored")


def as_printed(given: Given) -> Proof:
    """Perez Jensen's notes conclude with an equality; it is an upper bound."""
    f, L, x, _ = given
    g = torch.stack([gradient(f, p) for p in x])
    here = torch.vmap(f)(x)
    yield let(r"h(\theta_2)", torch.vmap(f)(x - g / L))
    printed = here - g.square().sum(1) / (2 * L)
    tex = r"h(\theta_1) - \tfrac1{2L}\|\nabla h(\theta_1)\|^2"
    yield eq(tex, printed, "sufficient decrease", wrong=True)
