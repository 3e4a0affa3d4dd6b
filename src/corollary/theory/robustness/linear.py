r"""Linear models, whose worst perturbation is known.

For :math:`f(x)=\langle w,x\rangle+b` and a label :math:`y=\pm1` the perturbation of size
:math:`\epsilon` that lowers :math:`yf` most is :math:`-\epsilon y` times the steepest direction of
w, and

.. math:: \min_{\|\delta\|\le\epsilon}y f(x+\delta)=y f(x)-\epsilon\|w\|_*,\qquad
   \max_{\|\delta\|\le\epsilon}\ell=\log\bigl(1+e^{-(yf(x)-\epsilon\|w\|_*)}\bigr),

with :math:`\|w\|_*=\|w\|_1` for :math:`\ell_\infty`, where the perturbation is
:math:`-\epsilon y\operatorname{sign}w`. The oracle that attacks are tested against.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.1, Equations 12.1 and 12.2;
    Goodfellow, Shlens and Szegedy (2015), "Explaining and harnessing adversarial examples", Section
    5.
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from corollary.theory.prerequisites.wellformed import check_finite
from corollary.theory.robustness.balls import Norm, check_ball, dual_size, size, steepest


def worst_perturbation(
    w: Float[Tensor, " d"], y: Float[Tensor, " n"], eps: float | int, norm: Norm = "linf"
) -> Float[Tensor, "n d"]:
    """The perturbation of each row that lowers its margin most.

    Example:
        >>> w = torch.tensor([2.0, -1.0])
        >>> worst_perturbation(w, torch.tensor([1.0]), 0.5).tolist()
        [[-0.5, 0.5]]

    :covers: adversarial-example-problem
    """
    check_ball(eps, norm)
    check_finite("w", w)
    return -eps * y[:, None] * steepest(w[None], norm)


def worst_margin(
    w: Float[Tensor, " d"],
    x: Float[Tensor, "n d"],
    y: Float[Tensor, " n"],
    eps: float | int,
    norm: Norm = "linf",
    *,
    b: float | int = 0.0,
) -> Float[Tensor, " n"]:
    """The smallest margin within the ball, without any search.

    Example:
        >>> w, x = torch.tensor([2.0, -1.0]), torch.tensor([[1.0, 1.0]])
        >>> worst_margin(w, x, torch.ones(1), 0.5).item()  # 1 - 0.5 * 3
        -0.5

    :covers: adversarial-example-problem
    """
    check_ball(eps, norm)
    return y * (x @ w + b) - eps * dual_size(w[None], norm)


def worst_logistic_loss(
    w: Float[Tensor, " d"],
    x: Float[Tensor, "n d"],
    y: Float[Tensor, " n"],
    eps: float | int,
    norm: Norm = "linf",
    *,
    b: float | int = 0.0,
) -> Float[Tensor, " n"]:
    """The largest logistic loss within the ball.

    Example:
        >>> w, x = torch.tensor([1.0]), torch.tensor([[1.0]])
        >>> worst_logistic_loss(w, x, torch.ones(1), 1.0).exp().item()
        2.0

    :covers: adversarial-risk
    """
    return F.softplus(-worst_margin(w, x, y, eps, norm, b=b))


def robust_direction(mu: Float[Tensor, " d"], eps: float | int) -> Float[Tensor, " d"]:
    r"""The weights with the best robust accuracy for two normal clouds at :math:`\pm\mu`.

    For :math:`x\sim\mathcal N(y\mu,\sigma^2I)` and :math:`\|\delta\|_\infty\le\epsilon` the weights
    w are right with probability
    :math:`\Phi\bigl((\langle w,\mu\rangle-\epsilon\|w\|_1)/\sigma\|w\|\bigr)`; the best are
    :math:`\mu` shrunk by :math:`\epsilon` towards 0, coordinate by coordinate, and reach
    :math:`\Phi(\|w\|/\sigma)`.

    Example:
        >>> robust_direction(torch.tensor([1.0, 0.25]), 0.5).tolist()
        [0.5, 0.0]

    :source: Tsipras, Santurkar, Engstrom, Turner and Madry (2019), "Robustness may be at odds with
        accuracy", for data of this kind.
    """
    check_ball(eps, "linf")
    return mu.sign() * (mu.abs() - eps).clamp_min(0.0)


def robust_accuracy(
    w: Float[Tensor, " d"],
    mu: Float[Tensor, " d"],
    eps: float | int,
    *,
    sigma: float | int = 1.0,
    b: float | int = 0.0,
) -> float:
    r"""Probability that sign(<w, x> + b) is right for all perturbations of size at most eps.

    Example:
        >>> w = torch.tensor([1.0])
        >>> robust_accuracy(w, torch.tensor([1.0]), 1.0)
        0.5
    """
    check_ball(eps, "linf")
    reach = w @ mu - eps * w.abs().sum()
    scale = sigma * size(w[None], "l2")[0]
    sides = torch.special.ndtr(torch.stack([(reach + b) / scale, (reach - b) / scale]))
    return float(sides.mean())
