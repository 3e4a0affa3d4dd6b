r"""Integrate by parts along the segment.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.3, (1.17), left to the reader.
"""

import torch

from corollary.claims.prerequisites.second_order_remainder import Given, SecondOrderRemainder
from corollary.core import Proof, eq, let
from corollary.theory.prerequisites.gradients import gradient
from corollary.theory.prerequisites.increments import unit_interval_rule


def proof(claim: SecondOrderRemainder, given: Given) -> Proof:
    f, x, direction, weight = given
    y = claim.lengths[-1] * direction
    t, weights = unit_interval_rule(32)
    g, end = gradient(f, x), gradient(f, x + y)
    slopes = torch.stack([gradient(f, x + s * y) @ y for s in t])
    H = [torch.autograd.functional.hessian(f, x + s * y) for s in t]
    bend = torch.stack([y @ h @ y for h in H])
    w = torch.tensor(weights, dtype=x.dtype)
    yield let("f(x+y) - f(x)", f(x + y) - f(x))
    yield eq(r"\int_0^1\nabla f(x+ty)^\top y\,dt", w @ slopes, "mean value theorem")
    lag = torch.tensor([weight(s) for s in t], dtype=x.dtype)
    ends = weight(0.0) * g @ y - weight(1.0) * end @ y + (w * lag) @ bend
    by = "by parts, with the antiderivative −(1 − t) of 1"
    yield eq(r"\nabla f(x)^\top y + \int_0^1(1-t)\,y^\top H(x+ty)\,y\,dt", ends, by)


def as_printed(claim: SecondOrderRemainder, given: Given) -> Proof:
    """Equation (1.17) weights the curvature by 1/2 all along the segment."""
    f, x, direction, _ = given
    y = claim.lengths[-1] * direction
    t, w = unit_interval_rule(32)
    H = [torch.autograd.functional.hessian(f, x + s * y) for s in t]
    half = sum(v * (y @ h @ y) / 2 for v, h in zip(w, H, strict=True))
    yield let(r"f(x+y) - f(x) - \nabla f(x)^\top y", f(x + y) - f(x) - gradient(f, x) @ y)
    yield eq(r"\int_0^1\tfrac12\,y^\top H(x+ty)\,y\,dt", half, "as printed", wrong=True)
