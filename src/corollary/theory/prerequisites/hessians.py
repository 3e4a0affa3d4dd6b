r"""Second derivatives: Hessian-vector products and the dense Hessian.

.. math:: H(x)v=\lim_{t\to0}\frac{\nabla f(x+tv)-\nabla f(x)}{t}=\nabla_x\,(\nabla f(x)^\top v)

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.7, Problem 3; Pearlmutter (1994),
    "Fast exact multiplication by the Hessian".
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.theory.prerequisites.gradients import Function, gradient, same_length, scalar
from corollary.theory.prerequisites.wellformed import check_finite, check_positive


def hvp(
    f: Function,
    x: Float[Tensor, " d"],
    v: Float[Tensor, " k"],
    *,
    mode: Literal["autograd", "finite_difference"] = "autograd",
    step: float | None = None,
) -> Float[Tensor, " d"]:
    r"""The Hessian at ``x`` times ``v``, without the Hessian: O(d) memory, a few gradients' cost.

    ``autograd`` differentiates :math:`\nabla f(x)^\top v` once more and is exact up to rounding;
    ``finite_difference`` is the forward quotient of the definition, with error :math:`O(t)`.

    Example:
        >>> x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0])
        >>> hvp(lambda x: x[0] ** 3 * x[1], x, v)  # H = [[12, 3], [3, 0]]
        tensor([12.,  3.])

    :covers: hessian-vector-product
    """
    same_length("v", v, x)
    if mode == "finite_difference":
        return _gradient_quotient(f, x, v, step)
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        value = scalar(f, x)
        if not value.requires_grad:
            return torch.zeros_like(x)
        (g,) = torch.autograd.grad(value, x, create_graph=True, materialize_grads=True)
        if not g.requires_grad:  # f is affine
            return torch.zeros_like(x)
        (product,) = torch.autograd.grad(g, x, v, materialize_grads=True)
    return product.detach()


def hessian(f: Function, x: Float[Tensor, " d"]) -> Float[Tensor, "d d"]:
    """The dense Hessian, one product per column: O(d) gradients and O(d²) memory.

    Example:
        >>> hessian(lambda x: x[0] ** 3 * x[1], torch.tensor([1.0, 2.0])).tolist()
        [[12.0, 3.0], [3.0, 0.0]]
    """
    check_finite("x", x)
    return torch.stack([hvp(f, x, e) for e in torch.eye(len(x)).to(x)])


def _gradient_quotient(f: Function, x: Tensor, v: Tensor, step: float | None) -> Tensor:
    size = float(v.norm())
    if size == 0:
        return torch.zeros_like(x)
    scale = max(1.0, float(x.norm())) / size
    t = torch.finfo(x.dtype).eps ** 0.5 * scale if step is None else step
    check_positive("step", t)
    return (gradient(f, x + t * v) - gradient(f, x)) / t
