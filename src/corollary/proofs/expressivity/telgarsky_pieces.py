r"""Between two crossings of the line 1/2 every second tooth is missed.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 30.
"""

import torch

from corollary.claims.expressivity.telgarsky_pieces import Given, TelgarskyPieces
from corollary.core import Proof, eq, ge, let
from corollary.theory.expressivity.sawtooth import integral_distance, sawtooth_curve

SAMPLES = 33


def proof(claim: TelgarskyPieces, given: Given) -> Proof:
    k = claim.k
    base, teeth = 2.0**-k, 2**k - 1
    inner = torch.linspace(0.001, 0.999, SAMPLES, dtype=torch.float64)
    x = (torch.arange(teeth)[:, None] + 0.5 + inner) * base  # the triangles, one per row
    above = torch.arange(teeth) % 2 == 0  # the first one peaks at 2^-k
    missed, distance = [], []
    for g in given.functions:
        high = g(x.flatten()).reshape(x.shape) >= 0.5
        other = torch.where(above[:, None], ~high, high)
        missed.append(other.all(1).sum())
        distance.append(integral_distance(sawtooth_curve(k), g))
    area, t = base / 4, torch.tensor(given.pieces, dtype=torch.float64)
    found = torch.stack(missed).double()
    yield "The line 1/2 cuts 2^k − 1 triangles off the sawtooth, above and below it in turn."
    curve = sawtooth_curve(k)(x.flatten()).reshape(x.shape)
    yield let(r"\int_\triangle|f-\tfrac12|", (curve - 0.5).abs().mean(1) * base)
    yield eq(r"\tfrac12\cdot2^{-k}\cdot\tfrac12", area, "base 2⁻ᵏ, height 1/2", within=0.05)
    yield let(r"\int_0^1|f-g|", torch.tensor(distance, dtype=torch.float64))
    tex = r"\#\{\text{triangles missed}\}\cdot2^{-k-2}"
    yield ge(tex, found * area, "g is on the other side there", loose=2.5)
    by = "t pieces cross at most t times; of ℓ triangles in a row half are missed"
    left = (2.0 ** (k - 1) - 1 - t) * area
    yield ge(r"(2^{k-1}-1-t)\,2^{-k-2}", left, by, loose=1.2)
