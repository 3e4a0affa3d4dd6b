r"""Nesterov's accelerated gradient: roll first, then look down from where that leads.

.. math:: \chi^{t+1}=\theta^t+\beta_t(\theta^t-\theta^{t-1}),\qquad
   \theta^{t+1}=\chi^{t+1}-\eta\nabla h(\chi^{t+1}) .

For an L-smooth, :math:`\mu`-strongly convex h the choice :math:`\eta=1/L`,
:math:`\beta=\frac{\sqrt\kappa-1}{\sqrt\kappa+1}`, :math:`\kappa=L/\mu`, gives the rate
:math:`(1-1/\sqrt\kappa)^t`; gradient descent has :math:`(1-1/\kappa)^t`.

:source: Perez Jensen (2025), Deep Learning, Section 3.3; Nesterov (1983), "A method for solving the
    convex programming problem with convergence rate O(1/k^2)".
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.optimization.methods.method import Gradient, Method, check_decay
from corollary.theory.prerequisites.wellformed import check_positive

Memory = tuple[Tensor, int]  # the last step, and how many were made


@dataclass(frozen=True)
class Nesterov(Method[Memory]):
    r"""The method above; ``beta`` is a number or a schedule from t = 0, 1, ... to numbers.

    ``torch.optim.SGD(nesterov=True)`` keeps :math:`\chi` in the parameters, where the next gradient
    is taken: after t of its steps they are
    :math:`\chi^{t+1}=\theta^t+\beta(\theta^t-\theta^{t-1})`.

    Example:
        >>> x = torch.tensor([1.0], dtype=torch.float64)
        >>> method = Nesterov(lr=0.5, beta=0.5)
        >>> method.step(x, lambda x: x, (torch.tensor([-1.0]).double(), 1))[0]  # 0.5 - 0.25
        tensor([0.2500], dtype=torch.float64)

    :covers: nesterov-acceleration
    """

    lr: float  # the learning rate eta
    beta: float | Callable[[int], float] = 0.9  # share of the last step that is kept

    def __post_init__(self) -> None:
        check_positive("lr", self.lr)
        if not callable(self.beta):
            check_decay("beta", self.beta)

    def init(self, x: Float[Tensor, "... d"]) -> Memory:
        """At rest."""
        return torch.zeros_like(x), 0

    def step(
        self, x: Float[Tensor, "... d"], gradient: Gradient, memory: Memory
    ) -> tuple[Float[Tensor, "... d"], Memory]:
        """Roll, look, step."""
        last, t = memory
        beta = self.beta(t) if callable(self.beta) else self.beta
        chi = x + beta * last
        new = chi - self.lr * gradient(chi)
        return new, (new - x, t + 1)


def nesterov_momentum(kappa: float) -> float:
    r"""The momentum :math:`(\sqrt\kappa-1)/(\sqrt\kappa+1)` for condition number kappa.

    Example:
        >>> nesterov_momentum(9.0)
        0.5
    """
    if not 1 <= kappa < math.inf:
        raise InputError(f"kappa must be at least 1 and finite, got {kappa:g}")
    return (math.sqrt(kappa) - 1) / (math.sqrt(kappa) + 1)


def convex_momentum(t: int) -> float:
    r"""The schedule :math:`t/(t+3)` for convex functions that need not be strongly convex.

    Example:
        >>> convex_momentum(0), convex_momentum(3)
        (0.0, 0.5)
    """
    return t / (t + 3)


def accelerated_rate(kappa: float, t: int) -> float:
    r"""The factor :math:`(1-1/\sqrt\kappa)^t` of the accelerated bound.

    It multiplies :math:`h(\theta^0)-h^*+\frac\mu2\|\theta^0-\theta^*\|^2`.

    Example:
        >>> accelerated_rate(4.0, 3)
        0.125
    """
    nesterov_momentum(kappa)  # refuses what is not a condition number
    if t < 0:
        raise InputError(f"t must not be negative, got {t}")
    return (1 - 1 / math.sqrt(kappa)) ** t
