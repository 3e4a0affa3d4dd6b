r"""Draw from the absolute value, and keep the sign with the unit.

:source: Lucchi (2025), Foundations of Deep Learning, proof sketches of Lemma 29 and Theorem 27.
"""

from corollary.claims.approximation.maurey_signed import Given, MaureySigned, X
from corollary.core import Proof, eq, le, let
from corollary.theory.approximation.maurey import SignedMeasure


def proof(claim: MaureySigned, given: Given) -> Proof:
    weights, mass = given.measure.weights, given.measure.mass
    units = (X >= given.measure.points).double()
    plus, minus = weights.clamp(min=0), (-weights).clamp(min=0)
    g = weights @ units
    yield let(r"\int g_w\,d\mu(w)", g)
    yield eq(r"\int g_w\,d\mu_+ - \int g_w\,d\mu_-", plus @ units - minus @ units, "Jordan")
    both = plus.sum() * (plus / plus.sum() @ units) - minus.sum() * (minus / minus.sum() @ units)
    tex = r"\|\mu_+\|\,\mathbb E_{\mu_+}g - \|\mu_-\|\,\mathbb E_{\mu_-}g"
    yield eq(tex, both, "each part is a law, up to its mass")
    odds, signed = weights.abs() / mass, mass * given.signs[:, None] * units
    yield eq(
        r"\mathbb E[s\|\mu\|_1g_w]", odds @ signed, "w from |μ|/‖μ‖₁, with the sign of its part"
    )
    k = claim.sizes[0]
    square = odds @ signed.square().mean(1)
    error = (odds @ (signed - g).square().mean(1)) / k
    yield "Maurey's lemma for these draws:"
    yield let(r"\mathbb E\|g-\tfrac1k\sum_is_i\|\mu\|_1g_{w_i}\|^2", error)
    tex = r"\tfrac1k(\mathbb E\|s\|\mu\|_1g_w\|^2-\|g\|^2)"
    yield eq(tex, (square - g.square().mean()) / k, "expanded")
    yield le(r"\tfrac1k\mathbb E\|s\|\mu\|_1g_w\|^2", square / k, "a square is not negative")
    largest = mass**2 * units.square().mean(1).max() / k
    yield le(r"\tfrac1k\|\mu\|_1^2\sup_w\|g_w\|^2", largest, "the largest unit")


def tight() -> Given:
    """One unit, up and down."""
    weights = X.new_tensor([1.0, -1.0])
    return Given(SignedMeasure(X.new_tensor([[0.3], [0.31]]), weights), weights.sign())


def as_printed(given: Given) -> Proof:
    """The second line of the printed chain has a plus before the negative part."""
    weights = given.measure.weights
    units = (X >= given.measure.points).double()
    plus, minus = weights.clamp(min=0), (-weights).clamp(min=0)
    yield let(r"\int g_w\,d\mu(w)", weights @ units)
    tex = r"\|\mu_+\|\,\mathbb E_{\mu_+}g + \|\mu_-\|\,\mathbb E_{\mu_-}g"
    yield eq(tex, (plus + minus) @ units, "as printed", wrong=True)
