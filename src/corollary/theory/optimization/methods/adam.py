r"""Adam: momentum divided by a running length of each coordinate's gradient.

.. math:: g_t=\beta g_{t-1}+(1-\beta)\nabla h,\qquad v_t=\alpha v_{t-1}+(1-\alpha)(\nabla h)^2,
   \qquad\theta^{t+1}=\theta^t-\eta\,\frac{g_t/(1-\beta^t)}{\sqrt{v_t/(1-\alpha^t)}+\delta},

with t counted from 1. Both averages start at 0 and are too small at first; the quotients
:math:`1-\beta^t` and :math:`1-\alpha^t` correct it.

:source: Perez Jensen (2025), Deep Learning, Section 3.3; Kingma and Ba (2015), "Adam: a method for
    stochastic optimization", Algorithm 1.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.optimization.methods.adagrad import quotient
from corollary.theory.optimization.methods.method import Gradient, Method, check_decay
from corollary.theory.prerequisites.wellformed import check_positive

Memory = tuple[Tensor, Tensor, int]  # g, v and the steps made


@dataclass(frozen=True)
class Adam(Method[Memory]):
    r"""The method above; ``betas`` are :math:`(\beta,\alpha)`, ``eps`` is :math:`\delta`.

    ``bias_correction=False`` is the form printed in the notes, for comparison.

    Example:
        >>> x = torch.tensor([1.0, 1.0], dtype=torch.float64)
        >>> method = Adam(lr=0.5, eps=0.0)
        >>> method.step(x, lambda x: x * torch.tensor([2.0, -9.0]), method.init(x))[0]
        tensor([0.5000, 1.5000], dtype=torch.float64)

    :covers: adam
    :erratum: [loose] The notes print Adam without bias correction and with 1 in place of the
        learning rate, which is not the method of the cited paper: with beta = 0.9 and
        alpha = 0.999 the uncorrected first step is 0.1/sqrt(0.001) = 3.16 times larger. The claim
        adam_first_step takes both.
    """

    lr: float = 1e-3  # the learning rate eta
    betas: tuple[float, float] = (0.9, 0.999)  # what the two averages keep
    eps: float = 1e-8  # what keeps the quotient finite
    bias_correction: bool = True  # divide out that the averages start at 0

    def __post_init__(self) -> None:
        check_positive("lr", self.lr)
        for name, beta in zip(("betas[0]", "betas[1]"), self.betas, strict=True):
            check_decay(name, beta)
        if not self.eps >= 0:
            raise InputError(f"eps must not be negative, got {self.eps:g}")

    def init(self, x: Float[Tensor, "... d"]) -> Memory:
        """No gradient seen."""
        return torch.zeros_like(x), torch.zeros_like(x), 0

    def step(
        self, x: Float[Tensor, "... d"], gradient: Gradient, memory: Memory
    ) -> tuple[Float[Tensor, "... d"], Memory]:
        """Average, correct, divide."""
        (beta, alpha), (g, v, t), new = self.betas, memory, gradient(x)
        g, v, t = beta * g + (1 - beta) * new, alpha * v + (1 - alpha) * new.square(), t + 1
        of_g, of_v = (1 - beta**t, 1 - alpha**t) if self.bias_correction else (1.0, 1.0)
        move = quotient(g / of_g, (v / of_v).sqrt() + self.eps)
        return x - self.lr * move, (g, v, t)


def uncorrected_first_step(beta: float, alpha: float) -> float:
    r"""Growth of the first step without bias correction: :math:`(1-\beta)/\sqrt{1-\alpha}`.

    Example:
        >>> round(uncorrected_first_step(0.9, 0.999), 4)
        3.1623
    """
    check_decay("beta", beta)
    check_decay("alpha", alpha)
    bound: float = (1 - beta) / (1 - alpha) ** 0.5
    return bound
