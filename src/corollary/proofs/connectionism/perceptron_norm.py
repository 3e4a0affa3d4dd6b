r"""On a mistake the cross term of the square is not positive.

:source: Perez Jensen (2025), Deep Learning, Section 1.2, proof of Lemma 1.2.
"""

import torch

from corollary.claims.connectionism.perceptron_norm import Given
from corollary.core import Proof, eq, le, let
from corollary.theory.connectionism.perceptron import radius


def proof(given: Given) -> Proof:
    z, after, R = given.z(), given.w(), radius(given.x)
    before = torch.cat([given.w0[None], after[:-1]])
    old, new = before.square().sum(1), z.square().sum(1)
    t = torch.arange(1.0, len(z) + 1, dtype=R.dtype)
    yield let(r"\|w_{t+1}\|^2", after.square().sum(1))
    cross = 2 * (before * z).sum(1)
    yield eq(r"\|w_t\|^2 + \|x\|^2 + 2y\langle w_t, x\rangle", old + new + cross, "expanded")
    yield le(r"\|w_t\|^2 + \|x\|^2", old + new, "an update is made where y⟨w, x⟩ ≤ 0")
    yield le(r"\|w_t\|^2 + R^2", old + R**2, "R is the largest length")
    yield "Summed from w₀ = 0:"
    yield let(r"\|w_t\|^2", after.square().sum(1))
    yield le("tR^2", t * R**2, "induction")
