r"""Why the residual of the max-margin flow stays bounded, term by term.

Gradient flow on :math:`\sum_ie^{-\langle w,x_i\rangle}` (labels multiplied in), support vectors S
linearly independent with all :math:`\alpha_i>0`. With :math:`\tilde w` such that
:math:`e^{-\langle x_i,\tilde w\rangle}=\alpha_i` on S, the rest
:math:`r(t)=w(t)-\hat w\log t-\tilde w` has

.. math:: \frac12\frac{d}{dt}\|r\|^2
   =\underbrace{\frac1t\sum_{i\in S}\alpha_i(e^{-x_i\cdot r}-1)\,x_i\cdot r}_{\le0}
   +\underbrace{\sum_{i\notin S}t^{-x_i\cdot\hat w}e^{-x_i\cdot\tilde w}e^{-x_i\cdot r}\,x_i\cdot r
   }_{\le Ct^{-\theta}},\qquad C=\sum_{i\notin S}e^{-x_i\cdot\tilde w},

for :math:`t\ge1`, since :math:`z(e^{-z}-1)\le0` and :math:`ze^{-z}\le1`; and
:math:`\theta=\min_{i\notin S}x_i\cdot\hat w>1` makes the right-hand side integrable.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, (11.14)-(11.20); Soudry,
    Hoffer, Nacson, Gunasekar and Srebro (2018), "The implicit bias of gradient descent on separable
    data".
:covers: gradient-flow-residual-bounded
:erratum: [typo] (11.15) carries a step size eta, which a gradient flow does not have; the identity
    sum exp(-x_i w_tilde) x_i = w_hat that is used after (11.17) needs eta = 1. That w_tilde exists
    (support vectors linearly independent, all alpha_i > 0) is the generic case and is not stated.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.singular import numerical_rank
from corollary.theory.regularization.hard_margin import HardMargin


class ResidualCertificate(NamedTuple):
    """The parts of the proof along a trajectory."""

    w_tilde: Float[Tensor, " d"]
    theta: float  # smallest margin of a point that is no support vector; infinite without any
    C: float
    r: Float[Tensor, "k d"]
    first: Float[Tensor, " k"]  # the first bracket, never positive
    second: Float[Tensor, " k"]  # the second bracket
    second_bound: Float[Tensor, " k"]  # C t^(-theta)
    norm_bound: Float[Tensor, " k"]  # on ||r||^2, from its value at the first time

    @property
    def holds(self) -> bool:
        """Whether both brackets and the length keep their bounds."""
        length = self.r.square().sum(dim=1)
        return bool(
            (self.first <= 0).all()
            and (self.second <= self.second_bound).all()
            and (length <= self.norm_bound * (1 + 1e-9)).all()
        )


def generic_support(x: Float[Tensor, "n d"], svm: HardMargin) -> bool:
    r"""Whether the support vectors are linearly independent and all :math:`\alpha_i>0`.

    Example:
        >>> from corollary.theory.regularization.hard_margin import hard_margin_svm
        >>> x = torch.eye(2, dtype=torch.float64)
        >>> generic_support(x, hard_margin_svm(x))
        True
    """
    S = x[svm.support]
    return numerical_rank(S) == len(S) and bool((svm.alpha[svm.support] > 0).all())


def residual_offset(x: Float[Tensor, "n d"], svm: HardMargin) -> Float[Tensor, " d"]:
    r"""The shortest :math:`\tilde w` with :math:`\langle x_i,\tilde w\rangle=-\log\alpha_i` on S.

    Example:
        >>> from corollary.theory.regularization.hard_margin import hard_margin_svm
        >>> x = 2 * torch.eye(1, dtype=torch.float64)
        >>> round(residual_offset(x, hard_margin_svm(x)).item(), 6)  # alpha = 1/4, log(4)/2
        0.693147
    """
    alpha = svm.alpha[svm.support]
    if bool((alpha <= 0).any()):
        raise InputError(
            "every support vector needs a positive multiplier, but one of them has multiplier 0"
        )
    pseudoinverse: Tensor = torch.linalg.pinv(x[svm.support])
    return pseudoinverse @ (-alpha.log())


def residual_certificate(
    x: Float[Tensor, "n d"], svm: HardMargin, s: Float[Tensor, " k"], w: Float[Tensor, "k d"]
) -> ResidualCertificate:
    r"""The brackets and bounds along a trajectory w(s), s = log t.

    Example:
        >>> from corollary.theory.regularization.hard_margin import hard_margin_svm
        >>> x, s = torch.eye(1, dtype=torch.float64), torch.linspace(0, 9, 4).double()
        >>> found = residual_certificate(x, hard_margin_svm(x), s, s[:, None])  # w = log t
        >>> found.holds, found.r.abs().max().item()
        (True, 0.0)
    """
    offset = residual_offset(x, svm)
    r = w - s[:, None] * svm.w - offset
    inside, outside = x[svm.support], x[~svm.support]
    alpha, zs, zo = svm.alpha[svm.support], r @ inside.T, r @ outside.T
    first = torch.exp(-s) * (alpha * torch.expm1(-zs) * zs).sum(dim=1)
    weights = torch.exp(-s[:, None] * (outside @ svm.w) - outside @ offset - zo)
    second = (weights * zo).sum(dim=1)
    C, theta = float(torch.exp(-outside @ offset).sum()), svm.theta
    since = s - s[0]
    if len(outside):
        bound = C * torch.exp(-theta * s)
        grown = 2 * C * torch.exp((1 - theta) * s[0]) * -torch.expm1((1 - theta) * since)
        grown = grown / (theta - 1)
    else:
        bound, grown = torch.zeros_like(s), torch.zeros_like(s)
    length = r[0].square().sum() + grown
    return ResidualCertificate(offset, theta, C, r, first, second, bound, length)
