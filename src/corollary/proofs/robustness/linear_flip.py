r"""Along its own gradient an affine function is a straight line.

:source: Lucchi (2025), Foundations of Deep Learning, proof idea of Theorem 78.
"""

import torch

from corollary.claims.robustness.linear_flip import Given
from corollary.core import Proof, eq, ge, le, let


def proof(given: Given) -> Proof:
    f, x = given.model, given.x
    z = x.clone().requires_grad_()
    (g,) = torch.autograd.grad(f(z).sum(), z)
    value, g2 = f(x)[0, 0], g.square().sum()
    eta = torch.linspace(0.2, 3.0, 8, dtype=x.dtype)[:, None] / g2
    moved = x - eta * value * g
    yield "Step along −f(x)∇f(x), with several lengths:"
    yield let("f(x_+)", f(moved)[:, 0])
    tangent = value + (moved - x) @ g[0]
    yield eq(r"f(x) + \langle\nabla f(x),x_+-x\rangle", tangent, "f is affine")
    yield eq(r"f(x)(1-\eta\|\nabla f\|^2)", value * (1 - eta[:, 0] * g2), "the step")
    yield "So at distance |f|/‖∇f‖ it is 0, and at twice that its sign is the other one."
    twice = x - 2 * value * g / g2
    yield let(r"f(x_+),\ \|x_+-x\| = 2|f|/\|\nabla f\|", f(twice)[0, 0])
    yield eq("-f(x)", -value, "η = 2/‖∇f‖²")
    yield "No shorter way leads to 0."
    other = x + torch.ones_like(x) * (-value / g.sum())
    yield let(r"\|\delta\|,\ f(x+\delta)=0", (other - x).norm())
    along = ((other - x) * g).sum().abs() / g.norm()
    yield ge(r"|\langle\nabla f,\delta\rangle|/\|\nabla f\|", along, "Cauchy-Schwarz", loose=40.0)
    yield eq(r"|f(x)|/\|\nabla f\|", value.abs() / g.norm(), "δ takes f to 0")


def as_printed(given: Given) -> Proof:
    """Theorem 78 takes η > 0 in x + η∇f(x); where f is positive that raises it."""
    f = given.model
    z = given.x.clone().requires_grad_()
    (g,) = torch.autograd.grad(f(z).sum(), z)
    value, step = f(given.x)[0, 0], g / g.square().sum()
    x = given.x if value > 0 else given.x - 2 * value * step  # mirrored to where f is positive
    value = f(x)[0, 0]
    up = x + 2 * value * step
    yield let(r"f(x+\eta\nabla f(x)),\ f(x)>0", f(up)[0, 0])
    yield le("-f(x)", -value, "η = 2f/‖∇f‖² > 0, as printed", wrong=True)
