r"""Losses that compare directions: Tanimoto similarity and the Cauchy-Schwarz divergence.

.. math:: -\frac{\langle p,y\rangle}{\|p\|^2+\|y\|^2-\langle p,y\rangle},\qquad
   -\ln\frac{\langle p,y\rangle}{\|p\|\,\|y\|},\qquad p=\operatorname{softmax}(o).

:source: Mathematical Foundations of Deep Learning (slides), Objective, Table 1; Janocha and
    Czarnecki (2017), "On loss functions for deep neural networks in classification".
"""

import torch
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.networks.softmax import log_softmax, softmax
from corollary.train.losses.targets import Reduction, one_hot, reduced


def tanimoto(o: Tensor, y: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    r"""Minus the Tanimoto similarity of softmax and target: -1 where they agree, 0 where apart.

    Example:
        >>> tanimoto(torch.tensor([[100.0, -100.0]]), torch.tensor([0])).item()
        -1.0

    :covers: tanimoto-loss
    """
    target = one_hot(o, y)
    return reduced(-tanimoto_similarity(softmax(o), target), reduction)


def tanimoto_similarity(p: Tensor, y: Tensor) -> Tensor:
    r"""The similarity :math:`\langle p,y\rangle/(\|p\|^2+\|y\|^2-\langle p,y\rangle)` of rows.

    Example:
        >>> tanimoto_similarity(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]])).item()
        0.5
    """
    common = (p * y).sum(dim=-1)
    rest = (p**2).sum(dim=-1) + (y**2).sum(dim=-1) - common
    if bool((rest == 0).any()):
        raise InputError("the Tanimoto similarity of two zero vectors is 0/0; remove rows of zeros")
    return common / rest


def cauchy_schwarz(o: Tensor, y: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    r"""The divergence :math:`-\ln\cos\angle(p,y)\ge0`, zero iff softmax and target are parallel.

    For class c it is :math:`-\ln p_c+\ln\|p\|`. Computed from logarithms, so that it stays finite
    where the probabilities underflow.

    Example:
        >>> round(cauchy_schwarz(torch.zeros(1, 4), torch.tensor([2])).exp().item(), 5)
        2.0

    :covers: cauchy-schwarz-divergence
    """
    target = one_hot(o, y)
    if bool(((target < 0).any(dim=1) | (target == 0).all(dim=1)).any()):
        raise InputError("the Cauchy-Schwarz divergence needs targets >= 0 with a positive entry")
    log_p = log_softmax(o)
    # ln of a target of 0 would be -inf, and its gradient NaN; those entries are left out instead.
    terms = torch.where(
        target > 0, log_p + target.clamp(min=torch.finfo(target.dtype).tiny).log(), -torch.inf
    )
    inner = torch.logsumexp(terms, dim=1)
    length = torch.logsumexp(2 * log_p, dim=1) / 2
    return reduced(length + target.norm(dim=1).log() - inner, reduction)
