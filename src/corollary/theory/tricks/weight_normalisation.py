r"""Weight normalisation: length and direction of a weight vector apart.

.. math:: w=\gamma\frac v{\|v\|},\qquad
   \frac{\partial\ell}{\partial\gamma}=\Bigl\langle g,\frac v{\|v\|}\Bigr\rangle,\qquad
   \frac{\partial\ell}{\partial v}=\frac\gamma{\|v\|}\Bigl(I-\frac{ww^\top}{\|w\|^2}\Bigr)g,
   \qquad g=\frac{\partial\ell}{\partial w}.

The gradient in v is orthogonal to v, so a step of gradient descent can only lengthen it:
:math:`\|v-\eta h\|^2=\|v\|^2+\eta^2\|h\|^2`.

:source: Perez Jensen (2025), Deep Learning, Section 8.6; Salimans and Kingma (2016), "Weight
    normalization: a simple reparameterization to accelerate training of deep neural networks".
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


class WeightNormGradient(NamedTuple):
    """Derivatives in the two parts of each weight vector."""

    v: Float[Tensor, "m n"]
    gamma: Float[Tensor, " m"]


def weight_norm(v: Float[Tensor, "m n"], gamma: Float[Tensor, " m"]) -> Float[Tensor, "m n"]:
    r"""The rows :math:`\gamma_jv_j/\|v_j\|`.

    Example:
        >>> import torch
        >>> weight_norm(torch.tensor([[3.0, 4.0]]), torch.tensor([10.0])).tolist()
        [[6.0, 8.0]]
    """
    return (gamma / _lengths(v))[:, None] * v


def weight_norm_gradient(
    v: Float[Tensor, "m n"], gamma: Float[Tensor, " m"], g: Float[Tensor, "m n"]
) -> WeightNormGradient:
    """Both derivatives from the derivative ``g`` in w, row by row.

    Example:
        >>> import torch
        >>> v, gamma = torch.tensor([[1.0, 0.0]]), torch.tensor([2.0])
        >>> found = weight_norm_gradient(v, gamma, torch.tensor([[3.0, 5.0]]))
        >>> found.v.tolist(), found.gamma.tolist()
        ([[0.0, 10.0]], [3.0])
    """
    length = _lengths(v)
    u = v / length[:, None]
    along = (g * u).sum(dim=1)
    return WeightNormGradient((gamma / length)[:, None] * (g - along[:, None] * u), along)


def length_ratio(w: Float[Tensor, "m n"], Sigma: Float[Tensor, "n n"]) -> Float[Tensor, " m"]:
    r"""The factor :math:`\|w\|/\|w\|_\Sigma` between batch and weight normalisation, row by row.

    For centred inputs with covariance :math:`\Sigma` batch normalisation is
    :math:`\gamma\langle w,x\rangle/\|w\|_\Sigma`; it is weight normalisation where this is 1, as
    for whitened inputs.

    Example:
        >>> import torch
        >>> length_ratio(torch.tensor([[3.0, 4.0]]), torch.eye(2)).tolist()
        [1.0]
    """
    return _lengths(w) / ((w @ Sigma) * w).sum(dim=1).sqrt()


def _lengths(v: Tensor) -> Tensor:
    length: Tensor = v.norm(dim=1)
    if bool((length == 0).any()):
        row = int((length == 0).nonzero()[0])
        raise InputError(f"a direction needs v different from 0, but row {row} of v is 0")
    return length
