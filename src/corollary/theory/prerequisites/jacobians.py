r"""Jacobians and the chain rule.

.. math:: J_{f\circ g}(x)=J_f(g(x))\,J_g(x),\qquad (J_f)_{ij}=\partial f_i/\partial x_j

Rows are outputs, columns are inputs (numerator layout): the Jacobian of :math:`x\mapsto Ax` is A.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 1.3.2 and 1.3.4, (1.19).
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.gradients import Function
from corollary.theory.prerequisites.wellformed import check_finite


def jacobian(f: Function, x: Float[Tensor, " d"]) -> Float[Tensor, "p d"]:
    """The Jacobian of a map of vectors, one backward pass per row.

    Example:
        >>> A = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        >>> torch.equal(jacobian(lambda x: A @ x, torch.zeros(3)), A)
        True

    :covers: jacobian-linear-map
    """
    check_finite("x", x)
    value = f(x.detach())
    if value.ndim != 1:
        raise InputError(f"f must return a vector, got shape {tuple(value.shape)}")
    with torch.enable_grad():
        J: Tensor = torch.autograd.functional.jacobian(f, x.detach())
    return J


def chain_jacobian(maps: Sequence[Function], x: Float[Tensor, " d"]) -> Float[Tensor, "p d"]:
    r"""The Jacobian of ``maps[-1] ∘ ... ∘ maps[0]`` as the product of those of its parts.

    Each factor is taken at the point its map receives, and the products run from the output back,
    as in backpropagation.

    Example:
        >>> double = lambda x: 2 * x
        >>> chain_jacobian([double, torch.square], torch.tensor([3.0]))  # (2x)^2 has slope 8x
        tensor([[24.]])

    :covers: chain-rule-jacobian
    """
    if not maps:
        raise InputError("the chain rule needs at least one map, got none")
    factors = []
    for i, f in enumerate(maps):
        try:
            factors.append(jacobian(f, x))
            x = f(x.detach())
        except RuntimeError as error:
            raise InputError(
                f"maps[{i}] cannot take the vector of {len(x)} numbers it receives: {error}"
            ) from error
    product = factors.pop()
    while factors:
        product = product @ factors.pop()
    return product
