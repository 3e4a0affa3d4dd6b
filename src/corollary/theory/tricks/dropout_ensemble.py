r"""Dropout as an average over thinned networks.

With a mask :math:`b\in\{0,1\}^n` of independent units, kept with probabilities :math:`\pi_i`,

.. math:: p(y\mid x)=\sum_bp(b)\,p_b(y\mid x),\qquad
   p(b)=\prod_i\pi_i^{b_i}(1-\pi_i)^{1-b_i} .

Scaling by :math:`\pi_i` in place of the sum is exact for the mean of a linear model, and gives the
normalised geometric mean of the members for a softmax regression.

:source: Perez Jensen (2025), Deep Learning, Section 8.4; Lucchi (2025), Foundations of Deep
    Learning, Section 11.2; Srivastava et al. (2014), "Dropout: a simple way to prevent neural
    networks from overfitting"; Baldi and Sadowski (2013), "Understanding dropout".
:erratum: [typo] The notes omit the index in (1 - pi)^(1 - b_i), and call pi_i, the probability of
    being active, the 'dropout probability' when they scale by it; it is the keep probability. They
    speak of masking weights; dropout masks units (masked weights are DropConnect).
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_no_nan
from corollary.theory.regularization.dropout import MOST_UNITS


def all_masks(n: int, *, dtype: torch.dtype = torch.float64) -> Float[Tensor, "s n"]:
    """The 2^n masks of n units, one per row, for at most 16 units.

    Example:
        >>> all_masks(2).tolist()
        [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    if not 1 <= n <= MOST_UNITS:
        raise InputError(
            f"expected 1 to {MOST_UNITS} units to list all masks, got {n}; draw masks with "
            "mc_dropout instead"
        )
    return (torch.arange(2**n)[:, None] >> torch.arange(n) & 1).to(dtype)


def mask_probabilities(
    masks: Float[Tensor, "s n"], keep: Float[Tensor, " n"]
) -> Float[Tensor, " s"]:
    r"""The probabilities :math:`\prod_i\pi_i^{b_i}(1-\pi_i)^{1-b_i}` of the masks.

    Example:
        >>> mask_probabilities(all_masks(2), torch.tensor([0.5, 0.75]).double()).tolist()
        [0.125, 0.125, 0.375, 0.375]
    """
    if bool(((keep < 0) | (keep > 1)).any()):
        raise InputError(f"keep probabilities must lie in [0, 1], got {keep.tolist()}")
    check_no_nan("masks", masks)
    return torch.where(masks > 0, keep, 1 - keep).prod(dim=1)


def arithmetic_mean(
    outputs: Float[Tensor, "s *o"], weights: Float[Tensor, " s"]
) -> Float[Tensor, "*o"]:
    """The weighted mean of the members' outputs.

    Example:
        >>> arithmetic_mean(torch.tensor([0.0, 4.0]), torch.tensor([0.75, 0.25])).item()
        1.0
    """
    return torch.einsum("s,s...->...", weights, outputs)


def geometric_mean(
    p: Float[Tensor, "s *n k"], weights: Float[Tensor, " s"]
) -> Float[Tensor, "*n k"]:
    """The weighted geometric mean of distributions, divided by its sum.

    Example:
        >>> p = torch.tensor([[0.8, 0.2], [0.2, 0.8]])
        >>> geometric_mean(p, torch.tensor([0.5, 0.5])).tolist()
        [0.5, 0.5]
    """
    return torch.softmax(arithmetic_mean(p.log(), weights), dim=-1)
