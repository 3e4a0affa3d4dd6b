r"""Units make monomials, monomials make polynomials, polynomials make everything.

:source: Lucchi (2025), Foundations of Deep Learning, proof sketch of Theorem 19; Leshno, Lin,
    Pinkus and Schocken (1993).
:formal: Lean 4: LeanMachineLearning/LML, issue 244 and pull request 246 (Leshno's theorem, 2026).
"""

import torch

from corollary.claims.approximation.leshno import Given, X
from corollary.core import Proof, eq, le, let
from corollary.models.approximators.monomials import monomial_network
from corollary.theory.approximation.nonvanishing import find_nonvanishing_point, jets

EPS, STEP, DEGREE = 0.002, 0.05, 3


def proof(given: Given) -> Proof:
    x, f = X[:, 0], given.f(X)
    powers = x[:, None] ** torch.arange(DEGREE + 1)
    alpha = torch.linalg.lstsq(powers, f[:, None], driver="gelsd").solution[:, 0]
    p = powers @ alpha
    b = find_nonvanishing_point(torch.sigmoid, (-1.5, 1.5), DEGREE).point or 0.5
    yield "Some derivative of each order is not 0 at b, for σ is not a polynomial."
    third = jets(given.sigma, x.new_tensor([b]), DEGREE)[-1]
    slope = jets(lambda a: given.sigma(2 * a + b), x.new_tensor([0.0]), DEGREE)[-1]
    yield let(r"\partial_a^3\sigma(2a+b)|_{a=0}\,/\,\sigma'''(b)", slope / third)
    yield eq("2^3", 8.0, "the chain rule; σ'''(b) is not 0")
    units = [
        monomial_network(given.sigma, k, b, STEP, central=True)(X).detach()
        if k
        else torch.ones_like(x)
        for k in range(DEGREE + 1)
    ]
    h = torch.stack(units, 1) @ alpha
    yield "Let p be a polynomial near f, and h_k units near x^k."
    yield let(r"\|f-\sum_k\alpha_kh_k\|_\infty", (f - h).abs().max())
    both = (f - p).abs().max() + (p - h).abs().max()
    yield le(r"\|f-p\|_\infty + \|p-\sum_k\alpha_kh_k\|_\infty", both, "triangle inequality")
    each = (torch.stack(units, 1) - powers).abs().amax(0)
    summed = (f - p).abs().max() + alpha.abs() @ each
    yield le(r"\|f-p\|_\infty + \sum_k|\alpha_k|\|x^k-h_k\|_\infty", summed, "subadditivity")
    by = "Weierstrass for the first, differences of units for the second"
    yield le(r"\tfrac\varepsilon2 + \tfrac\varepsilon2", EPS, by, loose=4.0)


def as_printed(given: Given) -> Proof:
    """The notes say that a polynomial of degree k has σ⁽ᵏ⁾ = 0; x² has second derivative 2."""
    second = jets(torch.square, X.new_tensor([0.5]), 2)[-1]
    yield let(r"\sigma''(b),\ \sigma(z)=z^2", second)
    yield eq("0", 0 * second, "degree 2, as printed", wrong=True)
