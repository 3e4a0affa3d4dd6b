r"""On a step the network stands still, and the function cannot go far.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 14.
"""

import torch

from corollary.claims.approximation.threshold_approximation import Given, ThresholdApproximation
from corollary.core import Proof, eq, le, let

X = torch.linspace(0, 1, 2001, dtype=torch.float64)


def proof(claim: ThresholdApproximation, given: Given) -> Proof:
    g, rho = given
    eps, m = claim.eps, max(1, -int(-rho // claim.eps))
    b = torch.arange(m, dtype=X.dtype) * eps / rho
    value = g(b[:, None])
    a = torch.cat([value[:1], value.diff()])
    f = (X[:, None] >= b).double() @ a
    k = (X[:, None] >= b).sum(1) - 1
    here, there = g(X[:, None]), value[k]
    yield "Let b_k be the last threshold before x."
    yield let("|g(x)-f(x)|", (here - f).abs())
    flat = a.cumsum(0)[k]  # f(b_k)
    three = (here - there).abs() + (there - flat).abs() + (flat - f).abs()
    tex = r"|g(x)-g(b_k)| + |g(b_k)-f(b_k)| + |f(b_k)-f(x)|"
    yield le(tex, three, "triangle inequality")
    yield eq(
        "|g(x)-g(b_k)|", (here - there).abs(), "the sum telescopes; no unit switches after b_k"
    )
    yield le(r"\rho\,|x-b_k|", rho * (X - b[k]), "g is ρ-Lipschitz")
    yield le(r"\varepsilon", eps, "steps are ε/ρ long")


def tight(claim: ThresholdApproximation) -> Given:
    """A straight line of the largest slope."""
    return Given(lambda x: claim.rho * x[:, 0], claim.rho)


def as_printed(claim: ThresholdApproximation, given: Given) -> Proof:
    """Theorem 14 says it of every network of that size; here is one whose weights are 0."""
    g = given.g(X[:, None])
    yield let(r"\sup|g-f|,\ f=\sum_i0\cdot1[x\ge b_i]", g.abs().max())
    yield le(r"\varepsilon", claim.eps, "as printed", wrong=True)
