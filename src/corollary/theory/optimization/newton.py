r"""Steps from a quadratic model: gradient descent, Newton's method and what lies between.

.. math:: q(\Delta)=f+g^\top\Delta+\tfrac12\Delta^\top B\Delta,\qquad
   \Delta^\star=-B^{-1}g\ \text{ minimises } q \iff B\succ0 .

:math:`B=\frac1\eta I` gives a step of gradient descent, :math:`B=H(x)` Newton's, a diagonal or
block-diagonal part of H something cheaper. If B has a negative eigenvalue, q is unbounded below
and :math:`-B^{-1}g` is its saddle or its maximum.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.3 and Figure 5.3.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.gradients import Function, gradient, scalar
from corollary.theory.prerequisites.hessians import hessian
from corollary.theory.prerequisites.wellformed import check_at_least, check_finite, check_symmetric

Approximation = Literal["full", "diagonal", "block"]


class NewtonRun(NamedTuple):
    """The iterates, and whether each step minimised its model."""

    x: Float[Tensor, "k d"]
    f: Float[Tensor, " k"]
    gradient_norm: Float[Tensor, " k"]
    definite: Bool[Tensor, " steps"]  # of the (approximate, damped) Hessian at each step


def model_step(grad: Float[Tensor, " d"], B: Float[Tensor, "d d"]) -> Float[Tensor, " d"]:
    r"""The stationary point :math:`-B^{-1}g` of the quadratic model.

    Example:
        >>> model_step(torch.tensor([2.0, 4.0]), 4 * torch.eye(2))  # a GD step with eta = 1/4
        tensor([-0.5000, -1.0000])

    :covers: gd-as-quadratic-model
    :erratum: [typo] Section 5.3 takes the Hessian to be I and then writes the term ||dx||^2 /
        (2 eta); that is the model with Hessian I/eta (with I, eta = 1).
    """
    check_symmetric("B", B)
    solved = torch.linalg.solve_ex(B, -grad)
    step: Tensor = solved.result
    if bool(solved.info != 0) or not bool(torch.isfinite(step).all()):
        raise InputError("B must be invertible, but it is singular; add damping to its diagonal")
    return step


def model_value(
    f0: float, grad: Float[Tensor, " d"], B: Float[Tensor, "d d"], step: Float[Tensor, "*n d"]
) -> Float[Tensor, "*n"]:
    r"""The model :math:`f+g^\top\Delta+\frac12\Delta^\top B\Delta` at each step.

    Example:
        >>> model_value(1.0, torch.ones(1), torch.eye(1), torch.tensor([-1.0])).item()
        0.5
    """
    return f0 + step @ grad + 0.5 * ((step @ B) * step).sum(dim=-1)


def newton(
    f: Function,
    x0: Float[Tensor, " d"],
    *,
    approximation: Approximation = "full",
    blocks: Sequence[int] = (),
    damping: float = 0.0,
    steps: int = 20,
    tol: float = 0.0,
) -> NewtonRun:
    r"""Newton's method, :math:`x_{k+1}=x_k-(B_k+\text{damping}\,I)^{-1}\nabla f(x_k)`.

    Args:
        f: Twice differentiable.
        x0: The start.
        approximation: Which part of the Hessian B is: all, its diagonal, or its blocks.
        blocks: Sizes of the blocks; they add up to d.
        damping: Added to the diagonal.
        steps: How many at most.
        tol: Stop at the first gradient no longer than this.

    Each step says in ``definite`` whether its matrix is positive definite: where it is not, the
    step does not minimise its model and may climb. Costs a dense Hessian and a solve a step,
    :math:`O(d)` gradients and :math:`O(d^3)` operations.

    Example:
        >>> run = newton(lambda x: (x[0] - 3) ** 2 + 5 * x[1] ** 2, torch.ones(2), steps=1)
        >>> run.x[-1].tolist(), run.definite.tolist()
        ([3.0, 0.0], [True])
        >>> newton(lambda x: x[0] ** 2 - x[1] ** 2, torch.ones(2), steps=1).definite.tolist()
        [False]

    :covers: newton-quadratic-model
    :erratum: [missing hypothesis] Section 5.3 calls -H^{-1} grad the minimizer of the quadratic
        model without a condition; that needs H positive definite. For f = -x^2 at 1 the step goes
        to 0, the maximum of the model; the claim quadratic_model shows it.
    """
    check_finite("x0", x0)
    check_at_least("steps", steps, 1)
    check_at_least("damping", damping, 0)
    check_at_least("tol", tol, 0)
    mask = _mask(x0, approximation, blocks)
    x, definite = x0.detach(), []
    xs, values, norms = [x], [scalar(f, x).detach()], [gradient(f, x).norm()]
    for _ in range(steps):
        if float(norms[-1]) <= tol:
            break
        B = hessian(f, x) * mask + damping * torch.eye(len(x)).to(x)
        definite.append(bool(torch.linalg.eigvalsh(B)[0] > 0))
        x = x + model_step(gradient(f, x), B)
        xs.append(x)
        values.append(scalar(f, x).detach())
        norms.append(gradient(f, x).norm())
    flags = torch.tensor(definite, dtype=torch.bool)
    return NewtonRun(torch.stack(xs), torch.stack(values), torch.stack(norms), flags)


def _mask(x: Tensor, approximation: Approximation, blocks: Sequence[int]) -> Tensor:
    """Ones where the approximation keeps the Hessian's entries."""
    d = len(x)
    if approximation == "full":
        return torch.ones(d, d).to(x)
    sizes = [1] * d if approximation == "diagonal" else list(blocks)
    if sum(sizes) != d or min(sizes, default=0) < 1:
        raise InputError(f"blocks must be positive and add up to {d}, got {sizes}")
    mask: Tensor = torch.block_diag(*[torch.ones(s, s) for s in sizes])
    return mask.to(x)
