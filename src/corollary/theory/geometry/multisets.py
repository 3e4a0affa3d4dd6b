r"""Multisets of numbers and their power sums.

.. math:: \Phi(x)=\sum_{m=1}^M\varphi(x_m),\qquad \varphi(t)=(t,t^2,\dots,t^M),

determines the multiset :math:`\{x_1,\dots,x_M\}`: Newton's identities turn power sums into the
elementary symmetric polynomials, and these are the coefficients of
:math:`\prod_m(t-x_m)`, whose roots are the elements. So every invariant function of :math:`M`
numbers is a function of a sum, with latent dimension :math:`M`.

:source: Perez Jensen (2025), Deep Learning, Section 7.2; Zaheer, Kottur, Ravanbakhsh, Poczos,
    Salakhutdinov and Smola (2017), "Deep sets", Theorem 7.
"""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


def power_sums(x: Float[Tensor, "*b M"], K: int) -> Float[Tensor, "*b K"]:
    r"""The sums :math:`p_k=\sum_m x_m^k` for :math:`k=1,\dots,K`.

    Example:
        >>> power_sums(torch.tensor([1.0, 2.0, 3.0]), 3).tolist()
        [6.0, 14.0, 36.0]
    """
    if K < 1:
        raise InputError(f"at least one power is needed, got K={K}")
    powers = x[..., None].expand(*x.shape, K).cumprod(dim=-1)  # x, x^2, ..., x^K
    return powers.sum(dim=-2)


def elementary_from_power_sums(p: Float[Tensor, " M"]) -> Float[Tensor, " M"]:
    r"""Newton's identities :math:`k e_k=\sum_{i=1}^k(-1)^{i-1}e_{k-i}p_i`, with :math:`e_0=1`.

    Example:
        >>> elementary_from_power_sums(torch.tensor([6.0, 14.0, 36.0])).tolist()  # of 1, 2, 3
        [6.0, 11.0, 6.0]
    """
    e = [p.new_ones(())]
    for k in range(1, len(p) + 1):
        terms = [(-1) ** (i - 1) * e[k - i] * p[i - 1] for i in range(1, k + 1)]
        e.append(torch.stack(terms).sum() / k)
    return torch.stack(e[1:])


def multiset_from_power_sums(p: Float[Tensor, " M"]) -> Float[Tensor, " M"]:
    r"""The :math:`M` real numbers with these first :math:`M` power sums, in ascending order.

    The error of the roots grows with :math:`M` and with ties: near a number that comes
    :math:`r` times it is of the order of the r-th root of the rounding. O(M^3).

    Example:
        >>> multiset_from_power_sums(torch.tensor([6.0, 14.0, 36.0]).double()).round().tolist()
        [1.0, 2.0, 3.0]

    :covers: deep-sets-invariant
    """
    if len(p) == 0:
        raise InputError("an empty multiset has no power sums to recover it from")
    e = elementary_from_power_sums(p.detach().double())
    signs = (-1.0) ** torch.arange(1, len(e) + 1, dtype=torch.float64)
    coefficients = torch.cat([e.new_ones(1), signs * e])  # of t^M, t^(M-1), ..., 1
    roots = np.sort(np.roots(coefficients.numpy()).real)
    return torch.from_numpy(roots).to(p)
