r"""The weight goes into the functions, and then Parseval.

:source: Lucchi (2025), Foundations of Deep Learning, proof idea of Theorem 33, step I.
"""

from corollary.claims.expressivity.weighted_parseval import REACH, Given, WeightedParseval
from corollary.core import Proof, eq, let
from corollary.theory.approximation.fourier import centred_grid
from corollary.theory.expressivity.weighted_distance import weighted_l2

NEAR = 1e-8  # the grid cuts the ends off


def proof(claim: WeightedParseval, given: Given) -> Proof:
    n, step = REACH[claim.d]
    x = centred_grid(claim.d, n, step)
    f, g, phi = given.f(x), given.g(x), given.phi(x)
    found = weighted_l2(f, g, phi, step)
    yield let(r"\int(f-g)^2\varphi^2", claim.predict(given))
    whole = (f * phi - g * phi).square().sum() * step**claim.d
    yield eq(r"\int(f\varphi-g\varphi)^2", whole, "fφ and gφ die out on the grid", within=NEAR)
    tex = r"\|\widehat{f\varphi}-\widehat{g\varphi}\|^2"
    yield eq(tex, found.frequencies, "Parseval", within=NEAR)
    tex = r"\|\hat f*\hat\varphi-\hat g*\hat\varphi\|^2"
    yield eq(tex, found.convolved, "the convolution theorem", within=NEAR)
