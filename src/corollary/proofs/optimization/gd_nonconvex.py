r"""Every step pays for its gradient, and there is only so much to spend.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 38; Perez Jensen (2025), Deep
    Learning, Section 3.2, Lemma 3.2.
:supplied: Perez Jensen's notes leave the proof of Lemma 3.2 open.
"""

import torch

from corollary.claims.optimization.gd_nonconvex import GdNonconvex, Given
from corollary.core import Proof, eq, le, let


def proof(claim: GdNonconvex, given: Given) -> Proof:
    run, eta = claim.run(given), given.eta
    f, g2 = run.f, run.gradient_norm.square()
    k = torch.arange(1.0, len(f), dtype=f.dtype)  # steps made
    paid = eta / 2 * g2[:-1]
    yield "At each step"
    yield let(r"\tfrac\eta2\|\nabla f(x_i)\|^2", paid)
    yield le(r"f(x_i) - f(x_{i+1})", f[:-1] - f[1:], "descent lemma, with η ≤ 1/L")
    yield "After k + 1 steps the smallest gradient has been paid for k + 1 times."
    least = g2[:-1].cummin(0).values
    yield let(r"\tfrac\eta2(k+1)\min_{i\le k}\|\nabla f(x_i)\|^2", eta / 2 * k * least)
    yield le(r"\sum_{i\le k}\tfrac\eta2\|\nabla f(x_i)\|^2", paid.cumsum(0), "the least of k + 1")
    yield le(r"\sum_{i\le k}(f(x_i) - f(x_{i+1}))", (f[:-1] - f[1:]).cumsum(0), "each step")
    yield eq(r"f(x_0) - f(x_{k+1})", f[0] - f[1:], "it telescopes")
    yield le(r"f(x_0) - f^*", f[0] - given.lower, "f* is a lower bound")
