r"""Logistic regression as formulas.

.. math:: \ell[w]=\frac1s\sum_i-\log\sigma\bigl((2y_i-1)\,w\cdot x_i\bigr),\qquad
   \nabla\ell[w]=\frac1s\sum_i(\sigma(w\cdot x_i)-y_i)x_i,\qquad y_i\in\{0,1\}.

The loss is convex; there is no closed form, and no finite minimiser on separable data.

:source: Perez Jensen (2025), Deep Learning, Section 2.1; Cox (1958), "The regression analysis of
    binary sequences".
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from corollary.errors import InputError


def logistic_loss(z: Float[Tensor, " s"], y: Float[Tensor, " s"]) -> Float[Tensor, ""]:
    r"""The mean of :math:`-\log\sigma((2y_i-1)z_i)`, as softplus: right at any size of z.

    Example:
        >>> logistic_loss(torch.tensor([-1000.0]), torch.tensor([1.0])).item()
        1000.0
    """
    _check_labels(y)
    return F.softplus((1 - 2 * y) * z).mean()


def logistic_gradient(
    w: Float[Tensor, " d"], x: Float[Tensor, "s d"], y: Float[Tensor, " s"]
) -> Float[Tensor, " d"]:
    r"""The mean of :math:`(\sigma(w\cdot x_i)-y_i)x_i`, without autograd.

    Example:
        >>> logistic_gradient(torch.zeros(2), torch.eye(2), torch.tensor([1.0, 0.0]))
        tensor([-0.2500,  0.2500])
    """
    _check_labels(y)
    return x.T @ (torch.sigmoid(x @ w) - y) / len(x)


def logistic_hessian(w: Float[Tensor, " d"], x: Float[Tensor, "s d"]) -> Float[Tensor, "d d"]:
    r"""The mean of :math:`\sigma(z_i)(1-\sigma(z_i))x_ix_i^\top\succeq0`: the loss is convex.

    Example:
        >>> logistic_hessian(torch.zeros(1), torch.tensor([[2.0]])).item()
        1.0
    """
    p = torch.sigmoid(x @ w)
    return (x * (p * (1 - p))[:, None]).T @ x / len(x)


def _check_labels(y: Tensor) -> None:
    other = (y != 0) & (y != 1)
    if bool(other.any()):
        raise InputError(f"expected labels 0 or 1, got {y[other][0].item():g}")
