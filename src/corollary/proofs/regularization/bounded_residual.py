r"""Support vectors only push back, and the others push less and less.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 72 for a special case,
    (11.14)-(11.20).
"""

import torch
from torch import Tensor

from corollary.claims.regularization.bounded_residual import BoundedResidual, Given
from corollary.core import Proof, eq, le, let
from corollary.theory.regularization.margin_losses import EXPONENTIAL
from corollary.theory.regularization.separable_descent import separable_flow


def offset(given: Given, eta: float = 1.0) -> Tensor:
    """The vector w̃ with η exp(−⟨x_i, w̃⟩) = α_i on the support vectors."""
    x, svm, _ = given
    right = -(svm.alpha[svm.support, None] / eta).log()
    found: Tensor = torch.linalg.lstsq(x[svm.support], right, driver="gelsd").solution
    return found[:, 0]


def proof(claim: BoundedResidual, given: Given) -> Proof:
    x, svm, w0 = given
    s, S = claim.s, svm.support
    t, tilde = s.exp(), offset(given)
    w = separable_flow(x, w0, s, loss=EXPONENTIAL).w
    r = w - s[:, None] * svm.w - tilde
    z = r @ x.T  # ⟨x_i, r⟩ at each time
    pull = torch.exp(-(w @ x.T))
    yield "With r = w − ŵ log t − w̃, in units of 1/t:"
    slope = t * (pull * z).sum(1) - r @ svm.w
    yield let(r"\tfrac t2\tfrac{d}{dt}\|r\|^2", slope)
    alpha = torch.exp(-(x[S] @ tilde))
    inner = (alpha * (torch.exp(-z[:, S]) - 1) * z[:, S]).sum(1)
    outer = t * (pull[:, ~S] * z[:, ~S]).sum(1)
    tex = r"\sum_{S}\alpha_i(e^{-z_i}-1)z_i + t\sum_{i\notin S}e^{-\langle w,x_i\rangle}z_i"
    by = "ŵ is Σα_i x_i, and its margin on S is 1"
    yield eq(tex, inner + outer, by, within=1e-6)
    tex = r"t\sum_{i\notin S}e^{-\langle w,x_i\rangle}z_i"
    yield le(tex, outer, "z(e⁻ᶻ − 1) ≤ 0", within=1e-6)
    others = torch.exp(-s[:, None] * (x[~S] @ svm.w - 1) - x[~S] @ tilde).sum(1)
    tex = r"t\sum_{i\notin S}t^{-\langle\hat w,x_i\rangle}e^{-\langle\tilde w,x_i\rangle}"
    yield le(tex, others, "z e⁻ᶻ ≤ 1", loose=3.0)
    theta = min(svm.theta, 50.0)
    C = torch.exp(-(x[~S] @ tilde)).sum()
    yield le(r"C\,t^{1-\theta}", C * torch.exp(-s * (theta - 1)), "θ is the next margin")
    yield "Integrated from t = 1; θ > 1 makes the integral finite."
    yield let(r"\|r(t)\|^2", r[1:].square().sum(1))
    bound = r[0].square().sum() + 2 * C / (theta - 1) * (1 - torch.exp(-s[1:] * (theta - 1)))
    tex = r"\|r(1)\|^2 + \tfrac{2C}{\theta-1}(1-t^{1-\theta})"
    yield le(tex, bound, "the chain above", loose=3.0)


def as_printed(claim: BoundedResidual, given: Given) -> Proof:
    """(11.15) carries a step size η, which a flow has not; what follows needs η = 1."""
    x, svm, _ = given
    tilde, S = offset(given, eta=0.5), svm.support
    yield let(r"\sum_Se^{-\langle\tilde w,x_i\rangle}x_i", torch.exp(-(x[S] @ tilde)) @ x[S])
    yield eq(r"\hat w", svm.w, "η exp(−⟨x_i, w̃⟩) = α_i, with η = 1/2", wrong=True)
