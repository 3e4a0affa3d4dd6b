r"""Both errors are the same numbers, read at the same places.

:source: Lucchi (2025), Foundations of Deep Learning, proof sketch of Proposition 18.
"""

import torch

from corollary.claims.approximation import interval_change as claim_file
from corollary.claims.approximation.interval_change import Given, IntervalChange
from corollary.core import Proof, eq, let
from corollary.theory.approximation.polynomials import evaluate


def proof(claim: IntervalChange, given: Given) -> Proof:
    f, p, move, t = given
    x = claim.a + claim.length * t  # φ(t)
    yield let(r"f(x) - (p\circ\varphi^{-1})(x)", f(x) - evaluate(move(p), x))
    back = (x - claim.a) / claim.length
    yield eq(r"f(\varphi(t)) - p(\varphi^{-1}(\varphi(t)))", f(x) - evaluate(p, back), "x = φ(t)")
    yield eq(r"f(\varphi(t)) - p(t)", f(x) - evaluate(p, t), "φ is invertible")
    yield "So the suprema are equal; and p∘φ⁻¹ is a polynomial of the same degree."
    yield let(r"\sup_x|f-p\circ\varphi^{-1}|", (f(x) - evaluate(move(p), x)).abs().max())
    yield eq(r"\sup_t|f\circ\varphi-p|", (f(x) - evaluate(p, t)).abs().max(), "entry by entry")


def as_printed(claim: IntervalChange, given: Given) -> Proof:
    """Proposition 18 composes with φ where it must be its inverse."""
    f, p, move, t = claim_file.as_printed(claim, given)
    x = claim.a + claim.length * t
    yield let(r"\sup|f-p\circ\varphi|", (f(x) - evaluate(move(p), x)).abs().max())
    off = (f(x) - evaluate(p, t)).abs().max()
    yield eq(r"\sup|f\circ\varphi-p|", torch.as_tensor(off), "as printed", wrong=True)
