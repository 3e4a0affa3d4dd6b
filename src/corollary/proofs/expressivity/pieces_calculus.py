r"""Only a piece that crosses zero is cut, and a sum bends only where a term does.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Proposition 31.
"""

from corollary.claims.expressivity.pieces_calculus import Given
from corollary.core import Proof, le, let
from corollary.theory.expressivity.piecewise import PiecewiseLinear


def crossings(f: PiecewiseLinear) -> int:
    """Pieces with a change of sign inside."""
    v = f.values
    inner = int((v[1:] * v[:-1] < 0).sum())
    return inner + int(f.left * float(v[0]) > 0) + int(f.right * float(v[-1]) < 0)


def proof(given: Given) -> Proof:
    f = given.f[0]
    yield let(r"\delta_A(\sigma(f))", given.sigma(f).pieces)
    cut = f.pieces + crossings(f)
    tex = r"\delta_A(f) + \#\{\text{pieces that cross } 0\}"
    yield le(tex, cut, "the others stay, or become 0")
    yield le(r"2\,\delta_A(f)", 2 * f.pieces, "an affine piece crosses at most once")
    first, *others = (g.scale(a, 1.0) for g, a in zip(given.f, given.a, strict=True))
    total = first.add(*others)
    yield "In a sum:"
    yield let(r"\delta_A(\sum_ka_kf_k+b_k) - 1", total.pieces - 1)
    bends = sum(g.pieces - 1 for g in given.f)
    yield le(r"\sum_k(\delta_A(f_k)-1)", bends, "a bend of the sum is a bend of a term")
