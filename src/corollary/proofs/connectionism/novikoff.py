r"""The weights go straight along u, and stay short: both only for so long.

:source: Perez Jensen (2025), Deep Learning, Section 1.2, proof of Theorem 1.3; Novikoff (1962), "On
    convergence proofs on perceptrons".
:formal: Lean 4: jsboige/CoursIA, pull request 4140 (2026), without sorry.
"""

from math import floor

from corollary.claims.connectionism.novikoff import Given, Novikoff
from corollary.core import Proof, eq, le, let
from corollary.theory.connectionism.perceptron import margin, perceptron_fit, radius


def proof(claim: Novikoff, given: Given) -> Proof:
    x, y, u = given
    fit = perceptron_fit(x, y, bias=False, max_updates=int(2 / claim.gamma**2) + 10)
    M, w, R, gamma = fit.updates, fit.w, radius(x), margin(x, y, u)
    yield let(r"M\gamma", M * gamma)
    yield le(r"\langle u, w_M\rangle", u @ w, "each of M mistakes adds at least γ")
    yield le(r"\|w_M\|", w.norm(), "Cauchy-Schwarz, and u has length 1")
    yield le(r"R\sqrt M", R * M**0.5, "each mistake adds at most R² to the square")
    yield "Divide by γ√M, which needs γ > 0, and square."
    yield let("M", M)
    yield eq(r"(M\gamma)^2/(M\gamma^2)", (M * gamma) ** 2 / (M * gamma**2), "cancelled")
    yield le(r"(R\sqrt M)^2/(M\gamma^2)", (R * M**0.5) ** 2 / (M * gamma**2), "the chain above")
    yield eq(r"(R/\gamma)^2", (R / gamma) ** 2, "cancelled")


def as_printed(claim: Novikoff, given: Given) -> Proof:
    """Theorem 1.3 says “less than ⌊(R/γ)²⌋ steps”; basis vectors need as many as that."""
    x, y, u = given
    M = perceptron_fit(x, y, bias=False, max_updates=int(2 / claim.gamma**2) + 10).updates
    yield let("M", M)
    less = floor(float((radius(x) / margin(x, y, u)) ** 2) + 1e-9) - 1
    yield le(r"\lfloor(R/\gamma)^2\rfloor - 1", less, "less than, of whole numbers", wrong=True)
