r"""The binomial theorem, and the factors k and k − 1 taken out.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.3, (3.6) and the variance formula,
    which the notes do not prove.
"""

from corollary.claims.approximation.bernstein_moments import BernsteinMoments, Given
from corollary.core import Proof, eq, let
from corollary.theory.approximation.bernstein import bernstein_basis

NEAR = 1e-8  # log-gamma of m loses some digits


def proof(claim: BernsteinMoments, given: Given) -> Proof:
    x, k = given
    m, share = claim.m, k.to(x) / claim.m
    basis = bernstein_basis(m, x)[:, k]
    yield let(r"\sum_kb_k^m(x)", basis.sum(1))
    yield eq(r"(x + (1-x))^m", (x + (1 - x)) ** m, "the binomial theorem", within=NEAR)
    yield let(r"\sum_k\tfrac km\,b_k^m(x)", basis @ share)
    lower = bernstein_basis(m - 1, x).sum(1)
    yield eq(r"x\sum_jb_j^{m-1}(x)", x * lower, "k/m takes one factor x out", within=NEAR)
    yield eq("x", x, "the sum above, for m − 1", within=NEAR)
    yield let(r"\sum_k\tfrac{k(k-1)}{m(m-1)}b_k^m(x)", basis @ (share * (k - 1).to(x)) / (m - 1))
    yield eq("x^2", x**2, "two factors", within=NEAR)
    yield let(r"\sum_k(x-\tfrac km)^2b_k^m(x)", (basis * (x[:, None] - share) ** 2).sum(1))
    opened = x**2 * basis.sum(1) - 2 * x * (basis @ share) + basis @ share**2
    yield eq(r"x^2\textstyle\sum b - 2x\sum\tfrac kmb + \sum\tfrac{k^2}{m^2}b", opened, "expanded")
    second = x**2 - 2 * x * x + ((m - 1) / m * x**2 + x / m)
    tex = r"x^2 - 2x^2 + \tfrac{m-1}mx^2 + \tfrac1mx"
    yield eq(tex, second, "k² = k(k − 1) + k", within=NEAR)
    yield eq(r"\tfrac{x(1-x)}m", x * (1 - x) / m, "collected")


def as_printed(claim: BernsteinMoments, given: Given) -> Proof:
    """Two sums of the sketch start at k = 1, and miss (1 − x)ᵐ."""
    m, x = 5, given.x / 4
    basis = bernstein_basis(m, x)[:, 1:]
    yield let(r"\sum_{k=1}^mb_k^m(x)", basis.sum(1))
    yield eq("1", 1.0 + 0 * x, "(3.6), as printed", wrong=True)
