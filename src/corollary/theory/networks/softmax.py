r"""Softmax, its logarithm, its Jacobian, and the shift that it cannot see.

.. math:: p_i=\frac{e^{z_i}}{\sum_j e^{z_j}},\qquad
   \frac{\partial p}{\partial z}=\operatorname{diag}(p)-pp^\top,\qquad
   \operatorname{softmax}(z+c\mathbf{1})=\operatorname{softmax}(z).

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.4; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1; Perez Jensen (2025), Deep Learning, Section 2.2.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


def softmax(z: Float[Tensor, "*n k"]) -> Float[Tensor, "*n k"]:
    r"""Probabilities in the proportion :math:`e^{z_i}`, over the last axis.

    The largest logit is subtracted first, so that nothing overflows.

    Example:
        >>> softmax(torch.tensor([1e4, 1e4])).tolist()
        [0.5, 0.5]

    :covers: softmax
    """
    _check_classes(z)
    weights = torch.exp(z - z.amax(dim=-1, keepdim=True))
    return weights / weights.sum(dim=-1, keepdim=True)


def log_softmax(z: Float[Tensor, "*n k"]) -> Float[Tensor, "*n k"]:
    r"""The logarithm :math:`z_i-\ln\sum_j e^{z_j}`, exact where the probability underflows.

    Example:
        >>> log_softmax(torch.tensor([0.0, -1e4])).tolist()
        [0.0, -10000.0]
    """
    _check_classes(z)
    return z - torch.logsumexp(z, dim=-1, keepdim=True)


def softmax_jacobian(p: Float[Tensor, "*n k"]) -> Float[Tensor, "*n k k"]:
    r"""The matrix :math:`\operatorname{diag}(p)-pp^\top` at probabilities ``p``.

    Also the Hessian of the cross-entropy in the logits: symmetric, positive semidefinite, with
    :math:`\mathbf{1}` in its kernel. Costs :math:`k^2` a row.

    Example:
        >>> softmax_jacobian(torch.tensor([0.5, 0.5])).tolist()
        [[0.25, -0.25], [-0.25, 0.25]]
    """
    return torch.diag_embed(p) - p[..., :, None] * p[..., None, :]


def canonical_rows(Theta: Float[Tensor, "k d"]) -> Float[Tensor, "k d"]:
    r"""The weights :math:`\theta_i-\theta_k` with the same softmax and a last row of zeros.

    Example:
        >>> canonical_rows(torch.tensor([[1.0, 2.0], [3.0, 5.0]])).tolist()
        [[-2.0, -3.0], [0.0, 0.0]]

    :covers: softmax-shift-invariance
    """
    return Theta - Theta[-1]


def _check_classes(z: Tensor) -> None:
    if z.ndim == 0 or z.shape[-1] == 0:
        raise InputError(f"softmax needs at least one class, got shape {tuple(z.shape)}")
