r"""Within a cube g moves little, and h not at all.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Lemma 15.
"""

from torch import Generator

from corollary.claims.approximation.piecewise_constant import Given, euclidean
from corollary.core import Proof, le, let
from corollary.models.approximators.steps import piecewise_constant


def proof(given: Given) -> Proof:
    g, _, eps, side, x = given
    x = x[:5000]
    corner = (x / side).floor() * side
    h = piecewise_constant(g, x.shape[1], side, where="corner")(x).detach()
    yield "Let x_i be the corner of the cube of x, where h reads g."
    yield let("|g(x)-h(x)|", (g(x) - h).abs())
    two = (g(x) - g(corner)).abs() + (g(corner) - h).abs()
    yield le("|g(x)-g(x_i)| + |g(x_i)-h(x)|", two, "triangle inequality")
    yield le(r"\varepsilon + 0", eps, "the cube has sides δ, and h(x) = g(x_i)")


def as_printed(given: Given, rng: Generator) -> Proof:
    """With the Euclidean norm, as printed, a cube of side δ is √d times as wide as δ."""
    g, _, eps, side, x = euclidean(rng)
    corner = (x / side).floor() * side
    yield "For g = Σx_i/3 in nine dimensions, which moves by at most δ within Euclidean distance δ:"
    yield let("|g(x)-g(x_i)|", (g(x) - g(corner)).abs())
    yield le(r"\varepsilon", eps, "‖x − x_i‖ ≤ δ on a cube of side δ", wrong=True)
