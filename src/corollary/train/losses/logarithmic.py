r"""Logarithmic losses: cross-entropy, its binary form, soft targets, and the squared log loss.

.. math:: -\sum_jy_j\ln p_j=\ln\sum_je^{o_j}-\sum_jy_jo_j,\qquad
   \frac{\partial}{\partial o}=p-y,\qquad
   \frac{\partial^2}{\partial o^2}=\operatorname{diag}(p)-pp^\top\succeq0 .

:source: Lucchi (2025), Foundations of Deep Learning, Sections 2.4.4 and 2.7 and Chapter 5; Perez
    Jensen (2025), Deep Learning, Section 2.2; Mathematical Foundations of Deep Learning (slides),
    Objective, Table 1; Janocha and Czarnecki (2017), "On loss functions for deep neural networks
    in classification".
"""

import torch
from torch import Tensor
from torch.nn import functional as F

from corollary.errors import InputError
from corollary.theory.networks.information import check_probabilities
from corollary.theory.networks.softmax import log_softmax, softmax
from corollary.train.losses.targets import Reduction, check_outputs, distribution, one_hot, reduced


def cross_entropy(o: Tensor, y: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    r"""Cross-entropy of logits, :math:`\ln\sum_je^{o_j}-\langle y,o\rangle`.

    Targets are class numbers or probability vectors; vectors that do not sum to 1 are refused,
    because for them the gradient is not :math:`p-y`.

    Example:
        >>> cross_entropy(torch.zeros(1, 4), torch.tensor([2])).exp().item()
        4.0

    :covers: softmax-cross-entropy
    """
    return F.cross_entropy(o, distribution(o, y), reduction=_known(reduction))


def cross_entropy_gradient(o: Tensor, y: Tensor) -> Tensor:
    r"""The gradient :math:`p-y` of each row's cross-entropy in its logits; rows sum to zero.

    Example:
        >>> cross_entropy_gradient(torch.zeros(1, 4), torch.tensor([2])).tolist()
        [[0.25, 0.25, -0.75, 0.25]]
    """
    return softmax(o) - distribution(o, y)


def soft_cross_entropy(nu: Tensor, y: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    r"""Cross-entropy :math:`-\sum_jy_j\ln\nu_j` of probabilities against soft targets.

    At least the entropy of the target (Gibbs), by :math:`\mathrm{KL}(y\|\nu)`.

    Example:
        >>> half = torch.tensor([[0.5, 0.5]])
        >>> soft_cross_entropy(half, half).exp().item()
        2.0

    :covers: soft-target-cross-entropy
    :erratum: [missing hypothesis] The notes ask only that y lies in [0, 1]^m; the inequality needs
        probability vectors. For y = (0.1, 0.1), nu = (0.5, 0.5) the left side is 0.139 and the
        right one 0.461; the claim gibbs_inequality has it as its counterexample.
    """
    check_outputs(nu)
    y = distribution(nu, y)
    check_probabilities(nu.detach(), "nu")
    return reduced(-torch.xlogy(y, nu).sum(dim=1), reduction)


def bce_with_logits(z: Tensor, y: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    r"""Logistic loss of one logit per row, :math:`\max(z,0)-zy+\ln(1+e^{-|z|})`.

    Its gradient is :math:`\sigma(z)-y`, and it is right at any size of the logit.

    Args:
        z: Logits of any shape.
        y: Labels in [0, 1] of the same shape.
        reduction: Over all entries.

    Example:
        >>> bce_with_logits(torch.tensor([-100.0]), torch.tensor([1.0])).item()
        100.0

    :covers: binary-cross-entropy
    :erratum: [loose] The listing of Lucchi (2025), Section 2.7.1, clips the prediction to
        [1e-12, 1 - 1e-12], so that its loss never passes 27.6 (z = -100, y = 1 should give 100)
        while its gradient is that of the loss without clipping, and exp(-z) overflows for
        z < -709; this form has neither fault.
    """
    if z.shape != y.shape or z.numel() == 0:
        raise InputError(
            "logits and labels must have the same shape and at least one entry, got "
            f"{tuple(z.shape)} and {tuple(y.shape)}"
        )
    if not bool(z.isfinite().all()):
        raise InputError("logits must be finite, got NaN or infinity")
    outside = ~((y >= 0) & (y <= 1))
    if bool(outside.any()):
        bad = y[outside].flatten()[0].item()
        raise InputError(f"expected labels in [0, 1], got {bad:g}")
    return F.binary_cross_entropy_with_logits(z, y.to(z.dtype), reduction=_known(reduction))


def squared_log(o: Tensor, y: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    r"""The squares :math:`\sum_j(y_j\ln p_j)^2`, for class c :math:`(\ln p_c)^2`.

    The gradient in the logits is :math:`-2\ln p_c\,(p-y)`.

    Example:
        >>> round(squared_log(torch.zeros(1, 4), torch.tensor([2])).sqrt().exp().item(), 5)
        4.0

    :covers: squared-log-loss
    :erratum: [typo] The table has a leading minus, under which perfect predictions give the
        largest value, 0, and p_c = 0.01 gives -21.2: minimised, it drives p_c to 0. The sign is +.
    """
    return reduced(((one_hot(o, y) * log_softmax(o)) ** 2).sum(dim=1), reduction)


def _known(reduction: Reduction) -> Reduction:
    if reduction not in ("mean", "sum", "none"):
        raise InputError(f"reduction must be mean, sum or none, got {reduction!r}")
    return reduction
