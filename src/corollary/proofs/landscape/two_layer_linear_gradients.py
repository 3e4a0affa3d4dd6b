r"""The squared error is a trace, and traces are differentiated by three rules.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.1.1, (6.8)-(6.15).
"""

import torch
from torch import Tensor
from torch.autograd import grad

from corollary.claims.landscape.two_layer_linear_gradients import Given
from corollary.core import Proof, eq, let


def proof(given: Given) -> Proof:
    model, X, Y, unit = given
    A, B = model.A, model.B
    error = Y - A @ unit(B @ X)
    Syx, Sxx = Y @ X.T, X @ X.T
    loss = 0.5 * error.square().sum()
    yield let("L", loss)
    inner = (Y @ Y.T - 2 * A @ B @ Syx.T + A @ B @ Sxx @ B.T @ A.T).trace() / 2
    tex = r"\tfrac12\operatorname{tr}(YY^\top - 2ABS_{yx}^\top + ABS_{xx}B^\top A^\top)"
    yield eq(tex, inner, "‖M‖² = tr MMᵀ, with linear units")
    in_A, in_B = grad(loss, (A, B), retain_graph=True)
    yield let(r"\nabla_BL", in_B)
    split = -A.T @ Syx + A.T @ A @ B @ Sxx
    yield eq(r"-A^\top S_{yx} + A^\top ABS_{xx}", split, "the rules for a trace in B")
    yield eq(r"-A^\top(S_{yx} - ABS_{xx})", -A.T @ (Syx - A @ B @ Sxx), "factored")
    yield let(r"\nabla_AL", in_A)
    yield eq(r"-(S_{yx} - ABS_{xx})B^\top", -(Syx - A @ B @ Sxx) @ B.T, "the rules in A")


def as_printed(given: Given) -> Proof:
    """In (6.12) the derivative of xᵀBᵀAᵀy in B is printed as xyᵀA, its transpose."""
    x, y, A = given.X[:, 0], given.Y[:, 0], given.model.A.detach()

    def term(B: Tensor) -> Tensor:
        return x @ B.T @ A.T @ y

    found = torch.func.grad(term)(given.model.B.detach())
    yield let(r"\nabla_B(x^\top B^\top A^\top y)", found.flatten())
    yield eq(r"xy^\top A", (x.outer(y) @ A).flatten(), "as printed, entry by entry", wrong=True)
