r"""The quotient rule, and then the chain rule again and again.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.3.
"""

import sympy as sp

from corollary.claims.connectionism.sigmoid_derivatives import Given, SigmoidDerivatives, polynomial
from corollary.core import Proof, eq, let


def proof(claim: SigmoidDerivatives, given: Given) -> Proof:
    z, s = sp.Symbol("z", real=True), sp.Function("s")(sp.Symbol("z", real=True))
    sigma = 1 / (1 + sp.exp(-z))
    yield "In symbols:"
    yield let(r"\sigma'(z)", sp.diff(sigma, z))
    yield eq(r"e^{-z}(1+e^{-z})^{-2}", sp.exp(-z) / (1 + sp.exp(-z)) ** 2, "the quotient rule")
    split = 1 / (1 + sp.exp(-z)) * (sp.exp(-z) / (1 + sp.exp(-z)))
    yield eq(r"\tfrac1{1+e^{-z}}\cdot\tfrac{e^{-z}}{1+e^{-z}}", split, "split in two")
    yield eq(r"\sigma(z)(1-\sigma(z))", sigma * (1 - sigma), "1 − σ is the second factor")
    second = sp.diff(s * (1 - s), z).subs(sp.Derivative(s, z), s * (1 - s))
    yield "For a solution s of s' = s(1 − s):"
    yield let("s''", second)
    yield eq("s(1-s)(1-2s)", s * (1 - s) * (1 - 2 * s), "the chain rule")
    yield "And on numbers, for the activation that is given:"
    phi, slopes = given.phi(given.z), given.derivatives(given.z, claim.order)
    yield let(r"\varphi'", slopes[0])
    yield eq(r"\varphi(1-\varphi)", phi * (1 - phi), "it solves the logistic equation")
    yield let(r"\varphi^{(k)}", slopes[-1])
    by = "P_k' times the equation, order by order"
    yield eq(r"P_k(\varphi)", polynomial(phi, claim.order), by, within=1e-8)
