r"""Where the upper layers have full rank, the network is as free as one matrix.

Then a critical point is a critical point of the convex problem. Where they have not, directions of
descent of the two-layer problem can be lifted.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 46; Kawaguchi (2016), "Deep learning
    without poor local minima"; Lu and Kawaguchi (2017), "Depth creates no bad local minima".
:supplied: The notes omit the proof of Theorem 46.
"""

import torch
from torch import Generator

from corollary.claims.landscape.kawaguchi import Given, Kawaguchi
from corollary.core import Proof, eq, ge, let
from corollary.models.deep_linear import DeepLinear
from corollary.theory.landscape.deep_linear import flat_loss
from corollary.theory.landscape.two_layer_linear import explained, two_layer_loss
from corollary.theory.prerequisites.hessians import hessian

ANGLE = 0.3


def proof(claim: Kawaguchi, given: Given, rng: Generator) -> Proof:
    X, Y, gain = given
    d, k, p = claim.d, claim.k, claim.p
    net = DeepLinear((d, d, d, k), gain=gain, rng=rng)
    W1, W2, W3 = (W.detach() for W in net.parameters())
    C = W3 @ W2
    G = (C @ W1 @ X - Y) @ X.T
    sigma = torch.linalg.svdvals(C)
    yield "Layers as wide as the input, at random: C = W_{H+1}…W_2, and G the slope in the product."
    yield let(r"\operatorname{rank}C", torch.linalg.matrix_rank(C))
    yield eq("d_y", float(k), "random weights have full rank, and d_y ≤ d_x")
    yield let(r"\|\nabla_{W_1}L\|^2", (C.T @ G).square().sum())
    smallest = sigma[-1].square() * G.square().sum()
    by = "Cᵀ shortens no vector by more than its least singular value"
    yield ge(r"\sigma_{\min}(C)^2\|G\|^2", smallest, by, loose=20.0)
    yield "So ∇L = 0 needs G = 0: the least value of a convex function of the product."
    ols = torch.linalg.solve(X @ X.T, Y @ X.T, left=False)
    yield let(r"L(W)", 0.5 * (C @ W1 @ X - Y).square().sum())
    off, least = C @ W1 - ols, 0.5 * (ols @ X - Y).square().sum()
    apart = least + 0.5 * (off @ X).square().sum()
    yield eq(r"\min L + \tfrac12\|(W-W^*)X\|^2", apart, "least squares is a parabola")
    yield ge(r"\min L", least, "a square is not negative", loose=30.0)
    yield "At a bottleneck p, lift the turn of two eigenvectors through all layers."
    values, U = explained(X, Y)
    worse, better = U[:, 1 : p + 1], U[:, 1 : p + 1].clone()
    angle = torch.tensor(ANGLE, dtype=X.dtype)
    better[:, -1] = angle.cos() * U[:, p] + angle.sin() * U[:, 0]
    losses = [two_layer_loss(V, V.T @ ols, X, Y) for V in (better, worse)]
    yield let(r"L(\theta)", losses[0])
    turned = losses[1] - 0.5 * angle.sin() ** 2 * (values[0] - values[p])
    by = "as for two layers; a layer in between passes it on"
    yield eq(r"L(0) - \tfrac12\sin^2\theta\,(\lambda_1-\lambda_{p+1})", turned, by)
    yield "At zero weights of one hidden layer the curvature is negative: L is not convex."
    size = p * (d + k)
    H = hessian(flat_loss((d, p, k), X, Y), torch.zeros(size, dtype=X.dtype))
    yield let(r"\lambda_{\min}(\nabla^2L(0))", torch.linalg.eigvalsh(H)[0])
    steep = -torch.linalg.matrix_norm(Y @ X.T, ord=2)
    yield eq(r"-\|YX^\top\|_2", steep, "the form −⟨V₂V₁, YXᵀ⟩ on pairs of one length")
