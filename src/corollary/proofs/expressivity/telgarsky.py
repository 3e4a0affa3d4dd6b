r"""Few layers have few pieces, and few pieces miss most teeth.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 30; Telgarsky (2016).
"""

import torch

from corollary.claims.expressivity.telgarsky import Given, error
from corollary.core import Proof, eq, ge, le, let
from corollary.theory.expressivity.regions.line import affine_pieces

LARGEST = 3  # values of L that are carried out


def proof(given: Given) -> Proof:
    rows = [(L, g) for L, rivals in given.rivals.items() for g in rivals if L <= LARGEST]
    L = torch.tensor([float(n) for n, _ in rows], dtype=torch.float64)
    pieces = torch.tensor([float(affine_pieces(g, 0.0, 1.0).count) for _, g in rows]).double()
    yield "A rival has at most 2^L units in at most L layers."
    yield let(r"\delta_A(g)", pieces)
    few = (2 * 2**L / L) ** L
    yield le(r"(2\cdot2^L/L)^L", few, "pieces of a network of m units in L layers", loose=4.0)
    yield le(r"2^{L^2}", 2 ** (L**2), "L ≥ 2, so that 2/L ≤ 1")
    area = 2.0 ** (-(L**2) - 4)
    yield "With k = L² + 2 teeth:"
    yield let(r"\int|f-g|", torch.tensor([error(g, n) for n, g in rows]).double())
    missed = (2 ** (L**2 + 1) - 1 - pieces) * area
    tex = r"(2^{L^2+1}-1-\delta_A(g))\,2^{-L^2-4}"
    yield ge(tex, missed, "few pieces miss many teeth", loose=2.5)
    yield ge(r"(2^{L^2+1}-1-2^{L^2})\,2^{-L^2-4}", (2 ** (L**2) - 1) * area, "above", loose=2.0)
    yield eq(r"\tfrac1{16}-2^{-L^2-4}", 1 / 16 - area, "multiplied out")
    yield ge(r"\tfrac1{32}", 1 / 32, "2^{-L²} ≤ 1/2", loose=1.9)


def as_printed(given: Given) -> Proof:
    """The notes allow L = 1, and subtract 2·2^L where the bound on the pieces is 2^{L²}."""
    L = torch.arange(1.0, 5.0, dtype=torch.float64)
    yield "For L = 1, 2, 3, 4:"
    yield let(r"(2\cdot2^L/L)^L", (2 * 2**L / L) ** L)
    yield le(r"2^{L^2}", 2 ** (L**2), "as printed, for L ≥ 1", wrong=True)
    yield let(r"\tfrac12[2^{L^2+2}-1-2\cdot2^L]", (2 ** (L**2 + 2) - 1 - 2 * 2**L) / 2)
    yield eq(r"\tfrac12[2^{L^2+1}-1]", (2 ** (L**2 + 1) - 1) / 2, "as printed", wrong=True)
