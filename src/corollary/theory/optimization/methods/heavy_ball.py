r"""The heavy ball: a step of gradient descent and a share of the last step.

.. math:: \theta^{t+1}=\theta^t-\eta\nabla h(\theta^t)+\beta(\theta^t-\theta^{t-1}),\qquad
   \beta\in[0,1) .

:source: Perez Jensen (2025), Deep Learning, Section 3.3; Polyak (1964), "Some methods of speeding
    up the convergence of iteration methods".
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.optimization.methods.method import Gradient, Method, check_decay
from corollary.theory.prerequisites.wellformed import check_positive


@dataclass(frozen=True)
class HeavyBall(Method[Tensor]):
    r"""Polyak's method; the memory is the last step :math:`\theta^t-\theta^{t-1}`, 0 at first.

    ``torch.optim.SGD(lr, momentum=beta)`` remembers a sum of gradients and multiplies it by the
    *current* learning rate, so the two take the same steps while the learning rate is constant.

    Example:
        >>> x = torch.tensor([1.0], dtype=torch.float64)
        >>> HeavyBall(lr=0.5, beta=0.5).step(x, lambda x: x, torch.tensor([-1.0]).double())
        (tensor([0.], dtype=torch.float64), tensor([-1.], dtype=torch.float64))

    :covers: heavy-ball-momentum
    :erratum: [typo] The sum over beta^tau is printed from tau = 1 to t - 1, so that nothing would
        move in the first two steps; it starts at tau = 0, the plain gradient step, and ends at t
        (if theta^{-1} = theta^0). And beta = 1 must be excluded: the steps would grow without end.
    """

    lr: float  # the learning rate eta
    beta: float = 0.9  # share of the last step that is kept

    def __post_init__(self) -> None:
        check_positive("lr", self.lr)
        check_decay("beta", self.beta)

    def init(self, x: Float[Tensor, "... d"]) -> Tensor:
        """At rest."""
        return torch.zeros_like(x)

    def step(
        self, x: Float[Tensor, "... d"], gradient: Gradient, memory: Tensor
    ) -> tuple[Float[Tensor, "... d"], Tensor]:
        """Fall and keep rolling."""
        move = self.beta * memory - self.lr * gradient(x)
        return x + move, move


def effective_lr(lr: float, beta: float, t: int | None = None) -> float:
    r"""The factor of a constant gradient in step t = 0, 1, ..., from rest; its limit without t.

    .. math:: \eta\sum_{\tau=0}^t\beta^\tau=\eta\,\frac{1-\beta^{t+1}}{1-\beta}
       \;\longrightarrow\;\frac\eta{1-\beta} .

    Example:
        >>> [round(effective_lr(0.1, 0.9, t), 6) for t in (0, 1, 2)], effective_lr(0.1, 0.5)
        ([0.1, 0.19, 0.271], 0.2)
    """
    check_positive("lr", lr)
    check_decay("beta", beta)
    if t is None:
        return lr / (1 - beta)
    if t < 0:
        raise InputError(f"t must not be negative, got {t}")
    return lr * (1 - beta ** (t + 1)) / (1 - beta)
