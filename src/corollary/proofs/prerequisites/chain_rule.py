r"""A difference quotient of the composition is the product of two, and limits multiply.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.2, proof idea of the chain rule.
"""

from functools import reduce

import torch
from torch import Tensor

from corollary.claims.prerequisites.chain_rule import Given
from corollary.core import Proof, eq, let
from corollary.theory.prerequisites.jacobians import chain_jacobian, jacobian

STEP = 2.0**-16  # central quotients of this step are good to its square


def proof(given: Given) -> Proof:
    *inner, f = given.maps
    x, d = given.x, len(given.x)

    def g(x: Tensor) -> Tensor:
        return reduce(lambda z, layer: layer(z), inner, x)

    moves = STEP * torch.eye(d, dtype=x.dtype)
    after, before = (torch.stack([g(x + s * e) for e in moves]) for s in (1, -1))
    rise = torch.stack([f(a) - f(b) for a, b in zip(after, before, strict=True)], 1) / (2 * STEP)
    yield "A step in each coordinate moves g, and g moves f. For short steps"
    yield let(r"\tfrac{f(g(x+h)) - f(g(x-h))}{2h}", rise)
    quotient = (after - before).T / (2 * STEP)
    by = "f is differentiable at g(x); what is left is of order h²"
    yield eq(r"J_f(g(x))\,\tfrac{g(x+h)-g(x-h)}{2h}", jacobian(f, g(x)) @ quotient, by, within=1e-7)
    both = jacobian(f, g(x)) @ jacobian(g, x)
    yield eq("J_f(g(x))J_g(x)", both, "g is differentiable at x; the same order", within=1e-7)
    whole = chain_jacobian(given.maps, x)
    yield eq(r"J_L \cdots J_2J_1", whole, "the same for the layers of g, one by one")
