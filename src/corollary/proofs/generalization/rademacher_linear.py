r"""The best weights point along the sum, and signs make cross terms vanish.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Lemma 63.
"""

from corollary.claims.generalization.rademacher_linear import Given
from corollary.core import Proof, eq, le, let
from corollary.theory.generalization.rademacher import sign_vectors


def proof(given: Given) -> Proof:
    x, D, W = given
    m = len(x)
    sums = sign_vectors(m) @ x  # over all signs
    length = sums.norm(dim=1)
    best = W * sums / length.clamp(min=1e-300)[:, None]
    tex = r"\tfrac1m\mathbb E_\sigma\sup_{\|w\|\le W}\langle w,\sum\sigma_ix_i\rangle"
    yield let(tex, (best * sums).sum(1).mean() / m)
    mean = W / m * length.mean()
    yield eq(r"\tfrac Wm\mathbb E_\sigma\|\sum\sigma_ix_i\|", mean, "Cauchy-Schwarz, attained")
    root = W / m * length.square().mean().sqrt()
    yield le(r"\tfrac Wm\sqrt{\mathbb E_\sigma\|\sum\sigma_ix_i\|^2}", root, "Jensen")
    squares = x.square().sum()
    yield eq(r"\tfrac Wm\sqrt{\sum\|x_i\|^2}", W / m * squares.sqrt(), "𝔼σ_iσ_j = 0 for i ≠ j")
    yield le(r"DW/\sqrt m", D * W / m**0.5, "no point is longer than D")


def as_printed(given: Given) -> Proof:
    """The first line of (8.25) has the supremum inside the sum over the points."""
    x, _, W = given
    inside = W * x.norm(dim=1).mean()
    yield let(r"\mathbb E_\sigma[\tfrac1m\sum_i\sup_{f}\sigma_if(z_i)]", inside)
    sums = sign_vectors(len(x)) @ x
    tex = r"\tfrac1m\mathbb E_\sigma\sup_w\sum_i\sigma_iw^\top x_i"
    yield eq(tex, W / len(x) * sums.norm(dim=1).mean(), "(8.25), as printed", wrong=True)
