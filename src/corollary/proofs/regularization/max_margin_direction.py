r"""What is left of the gradient comes from the nearest points: the KKT conditions.

:source: Lucchi (2025), Foundations of Deep Learning, proof sketch of Theorem 72; Soudry, Hoffer,
    Nacson, Gunasekar and Srebro (2018), "The implicit bias of gradient descent on separable data".
"""

import torch

from corollary.claims.regularization.max_margin_direction import Given
from corollary.core import Proof, eq, ge, le, let

LOG_T = torch.tensor([10.0, 20.0, 40.0], dtype=torch.float64)


def proof(given: Given) -> Proof:
    cloud, _, _, loss = given
    x, w, alpha = cloud.signed, cloud.w, cloud.alpha
    margins, support = x @ w, alpha > 0
    yield "Scale the limit direction so that its smallest margin is 1; call it ŵ."
    yield let(r"\langle\hat w,x_i\rangle", margins)
    yield ge("1", torch.ones_like(margins), "a hyperplane separates the points")
    yield "Along w = ŵ log t each point pulls by −ℓ'(⟨w, x_i⟩)."
    pulls = -loss.slope(LOG_T[:, None] * margins[support])
    yield let(r"-\ell'(\langle w,x_i\rangle),\ i\in S", pulls)
    tail = torch.exp(-LOG_T[:, None] * margins[support])
    yield eq(r"e^{-\langle w,x_i\rangle}", tail, "the tail is exponential", within=1e-3)
    yield eq(r"\tfrac1t", torch.exp(-LOG_T)[:, None], "their margin is 1")
    theta = margins[~support].min()
    rest = torch.exp(-LOG_T[:, None] * margins[~support]).sum(1)
    count = float((~support).sum())
    yield "All others together pull less, and less than any power:"
    yield let(r"\sum_{i\notin S}e^{-\langle w,x_i\rangle}", rest)
    bound = count * torch.exp(-theta * LOG_T)
    yield le(r"|S^c|\,t^{-\theta}", bound, "θ > 1 is their margin", loose=20.0)
    yield "So the gradient, and with it w, is a positive combination of support vectors."
    yield let(r"\hat w", w)
    yield eq(r"\sum_{i\in S}\alpha_ix_i", alpha[support] @ x[support], "the limit of the pulls")
    yield "These are the KKT conditions: a vector with margins at least 1 is not shorter."
    rival = 1.2 * w + 0.1 * torch.ones_like(w) - 0.1 * w * w.sum() / (w @ w)
    rival = rival / (x @ rival).min()
    yield let(r"\langle\hat w,v\rangle", w @ rival)
    yield eq(r"\sum\alpha_i\langle x_i,v\rangle", alpha @ (x @ rival), "the combination")
    yield ge(r"\sum\alpha_i", alpha.sum(), "margins of v are at least 1, and α ≥ 0")
    yield eq(r"\|\hat w\|^2", w @ w, "margins of ŵ are 1 where α is not 0")
