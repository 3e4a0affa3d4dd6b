r"""A chain of scalar weights, and one gradient step on all of them at once.

.. math:: y=x\prod_lw_l,\qquad \frac{\partial\ell}{\partial w_l}=\ell'(y)\,x\prod_{k\ne l}w_k,
   \qquad y_{\text{new}}=x\prod_l\Big(w_l-\eta\frac{\partial\ell}{\partial w_l}\Big),

a polynomial of degree L in :math:`\eta`. To first order only L terms count, but there are
:math:`2^L` of them: the deeper the chain, the sooner the step of one layer is wrong about what
the others do.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.3.1.
:covers: deep-scalar-product-network
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


class ChainUpdate(NamedTuple):
    """One step of a chain."""

    y: float  # output before
    y_new: float  # output after, from the new weights
    first_order: float  # y - eta * sum of squared slopes of y, times the slope of the loss
    coefficients: Float[Tensor, " L+1"]  # of 1, eta, ..., eta^L in y_new


def products_of_others(w: Float[Tensor, " L"]) -> Float[Tensor, " L"]:
    r"""For each l the product :math:`\prod_{k\ne l}w_k`, also where weights are zero.

    Example:
        >>> products_of_others(torch.tensor([2.0, 3.0, 0.0])).tolist()
        [0.0, 0.0, 6.0]
    """
    one = w.new_ones(1)
    before = torch.cat([one, w[:-1]]).cumprod(0)
    after = torch.cat([w[1:], one]).flip(0).cumprod(0).flip(0)
    return before * after


def chain_update(
    w: Float[Tensor, " L"], x: float, eta: float, loss_slope: float = 1.0
) -> ChainUpdate:
    r"""The output before and after a gradient step, and its expansion in eta; L^2 operations.

    Args:
        w: The weights.
        x: The input.
        eta: The step size.
        loss_slope: The derivative of the loss in the output, :math:`\ell'(y)`.

    Example:
        >>> chain_update(torch.ones(2), 1.0, 0.5).coefficients.tolist()  # (1 - eta)^2
        [1.0, -2.0, 1.0]
    """
    if len(w) == 0:
        raise InputError("a chain needs at least one weight, got none")
    slopes = loss_slope * x * products_of_others(w)  # of the loss, in each weight
    polynomial = w.new_zeros(len(w) + 1)
    polynomial[0] = x
    for weight, slope in zip(w, slopes, strict=True):  # times (w_l - eta * slope)
        lifted = torch.cat([polynomial.new_zeros(1), polynomial[:-1]])
        polynomial = weight * polynomial - slope * lifted
    y = x * w.prod()
    first = y - eta * (slopes * products_of_others(w)).sum() * x
    return ChainUpdate(float(y), float(x * (w - eta * slopes).prod()), float(first), polynomial)
