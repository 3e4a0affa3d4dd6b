r"""Losses of the margin, and the tail that decides where descent goes.

A loss :math:`\ell(u)` of the margin :math:`u=yf(x)` has a *tight exponential tail* if for some
positive :math:`a,c,\mu` and **all sufficiently large u**

.. math:: c\,(1-e^{-\mu u})\,e^{-au}\le-\ell'(u)\le c\,(1+e^{-\mu u})\,e^{-au} .

:math:`\log(1+e^{-u})` and :math:`e^{-u}` have it with :math:`a=c=\mu=1`. The theorems also ask for
:math:`\ell>0`, :math:`\ell'<0`, both tending to 0, and :math:`\ell''\le\beta`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, Definition 30 and Assumptions
    3 and 4; Soudry, Hoffer, Nacson, Gunasekar and Srebro (2018), "The implicit bias of gradient
    descent on separable data", Definition 2.
:covers: tight-exponential-tail
:erratum: [typo] Definition 30 asks the lower inequality for u < u_-; it must be u > u_-. As printed
    it says nothing about the tail: for u < 0 its right-hand side is negative, and -l' = exp(-u^2)
    would qualify with a = c = 1 and u_- = 0.1 (the test computes both). And the exponential loss,
    said to satisfy Assumption 3, is not beta-smooth: its second derivative exp(-u) is unbounded.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

Elementwise = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class MarginLoss:
    r"""A decreasing loss of the margin with the constants of its tail.

    ``log_pull`` is :math:`\log(-\ell'(u))`, which is right where :math:`\ell'` itself underflows.
    """

    name: str
    value: Elementwise
    log_pull: Elementwise
    inverse: Callable[[float], float]  # the margin at which the loss has this value
    beta: float  # the largest second derivative; infinite if there is none
    a: float = 1.0  # rate of the tail
    c: float = 1.0  # factor of the tail
    mu: float = 1.0  # how fast the tail becomes exponential

    def slope(self, u: Float[Tensor, "*s"]) -> Float[Tensor, "*s"]:
        r"""The derivative :math:`\ell'(u)<0`."""
        return -self.log_pull(u).exp()

    def separating_mean(self, n: int) -> float:
        r"""The mean loss :math:`\ell(0)/n` below which every one of n margins is positive.

        One point with :math:`u\le0` alone costs :math:`\ell(0)/n`: 1/n for the exponential loss,
        :math:`\log(2)/n` for the logistic one.
        """
        return float(self.value(torch.zeros((), dtype=torch.float64))) / n


def _half_erfc(u: Tensor) -> Tensor:
    erfc: Tensor = torch.special.erfc(u)
    return 0.5 * math.sqrt(math.pi) * erfc


def _no_inverse(value: float) -> float:
    return float("nan")


LOGISTIC = MarginLoss(
    "logistic",
    lambda u: torch.nn.functional.softplus(-u, threshold=700.0),
    lambda u: torch.nn.functional.logsigmoid(-u),
    lambda value: -math.log(math.expm1(value)),
    beta=0.25,
)
EXPONENTIAL = MarginLoss(
    "exponential",
    lambda u: torch.exp(-u),
    lambda u: -u,
    lambda value: -math.log(value),
    beta=math.inf,
)
GAUSSIAN_TAIL = MarginLoss(  # a control: -l' = exp(-u^2) is no exponential tail for any a and c
    "Gaussian tail", _half_erfc, lambda u: -u.square(), _no_inverse, beta=math.sqrt(2 / math.e)
)
POLYNOMIAL_TAIL = MarginLoss(  # another control: -l' = 1/(1 + u^2)
    "polynomial tail",
    lambda u: torch.atan2(torch.ones_like(u), u),
    lambda u: -2 * torch.hypot(u, torch.ones_like(u)).log(),
    lambda value: 1 / math.tan(value),
    beta=3 * math.sqrt(3) / 8,
)


class Tail(NamedTuple):
    r"""How far :math:`-\ell'(u)e^{au}/c` is from 1, beside what is allowed."""

    u: Float[Tensor, " k"]
    deviation: Float[Tensor, " k"]  # |-l'(u) e^{au}/c - 1|
    allowed: Float[Tensor, " k"]  # e^{-mu u}
    tight: bool  # both inequalities hold at every u


def tail_check(
    loss: MarginLoss, *, start: float = 0.0, end: float = 30.0, points: int = 301
) -> Tail:
    r"""Test both inequalities, with the loss's own constants, on a grid of u.

    Beyond :math:`u=36/\mu` what is allowed is below the rounding of 1 and nothing can be tested.

    Example:
        >>> [tail_check(loss).tight for loss in (LOGISTIC, EXPONENTIAL, GAUSSIAN_TAIL)]
        [True, True, False]
    """
    u = torch.linspace(start, end, points, dtype=torch.float64)
    deviation = torch.expm1(loss.log_pull(u) + loss.a * u - math.log(loss.c)).abs()
    allowed = torch.exp(-loss.mu * u)
    slack = 8 * torch.finfo(torch.float64).eps * (1 + loss.a * u)  # rounding of the exponents
    return Tail(u, deviation, allowed, bool((deviation <= allowed + slack).all()))
