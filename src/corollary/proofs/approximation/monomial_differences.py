r"""A derivative in the weight brings down a power of the input.

:source: Lucchi (2025), Foundations of Deep Learning, proof sketch of Theorem 19, steps 3 and 4,
    whose higher orders are skipped there.
"""

import torch
from torch import Tensor

from corollary.claims.approximation.monomial_differences import (
    GRID,
    Given,
    MonomialDifferences,
)
from corollary.core import Proof, eq, le, let
from corollary.models.approximators.monomials import monomial_network
from corollary.theory.approximation.nonvanishing import jets


def proof(claim: MonomialDifferences, given: Given) -> Proof:
    sigma, b, steps = given
    k, x = claim.k, GRID[::10, 0]
    own = jets(sigma, GRID.new_tensor([b]), k)[-1]
    zero = GRID.new_tensor([0.0])

    def in_weight(s: Tensor) -> Tensor:
        return jets(lambda a: sigma(a * s + b), zero, k)[-1]

    yield let(r"\partial_a^k\sigma(ax+b)|_{a=0}", torch.cat([in_weight(s) for s in x]))
    yield eq(r"x^k\sigma^{(k)}(b)", x**k * own, "the chain rule, k times")
    yield "A central k-th difference is the derivative, up to (k/24)h² times the next even one."
    errors, bounds = [], []
    around = b + k / 2 * steps[-1] * GRID.new_tensor([-1.0, -0.5, -0.25, 0.25, 0.5, 1.0])
    top = jets(sigma, around, k + 2)[-1].abs().max()
    for h in steps:
        net = monomial_network(sigma, k, b, h, central=claim.central)
        errors.append((net(GRID) - GRID[:, 0] ** k).detach().abs().max())
        bounds.append(k / 24 * h**2 * top / own.abs()[0])
    tex = r"\sup_{|x|\le1}|x^k - \tfrac1{h^k\sigma^{(k)}(b)}\delta_h^k\sigma|"
    yield let(tex, torch.stack(errors))
    by = "Taylor's theorem; σ has bounded derivatives of order k + 2"
    tex = r"\tfrac k{24}h^2\,\sup|\sigma^{(k+2)}|/|\sigma^{(k)}(b)|"
    yield le(tex, torch.stack(bounds), by, loose=2.0)
