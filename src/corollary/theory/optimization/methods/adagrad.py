r"""AdaGrad: each coordinate is divided by the length of its own past gradients.

.. math:: \gamma_i^t=\gamma_i^{t-1}+(\partial_ih(\theta^t))^2,\qquad
   \theta_i^{t+1}=\theta_i^t-\frac\eta{\sqrt{\gamma_i^t}+\delta}\,\partial_ih(\theta^t) .

With :math:`\delta=0` a coordinate of the gradient may be multiplied by any constant and no step
changes: the method does not see the units of the loss.

:source: Perez Jensen (2025), Deep Learning, Section 3.3; Duchi, Hazan and Singer (2011), "Adaptive
    subgradient methods for online learning and stochastic optimization".
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.optimization.methods.method import Gradient, Method
from corollary.theory.prerequisites.wellformed import check_positive


@dataclass(frozen=True)
class AdaGrad(Method[Tensor]):
    r"""The method above; the memory is :math:`\gamma`. A coordinate without gradient stays.

    Example:
        >>> x = torch.tensor([1.0, 1.0], dtype=torch.float64)
        >>> method = AdaGrad(lr=0.5, delta=0.0)
        >>> method.step(x, lambda x: x * torch.tensor([3.0, 100.0]), method.init(x))[0]
        tensor([0.5000, 0.5000], dtype=torch.float64)

    :covers: adagrad
    """

    lr: float = 0.01  # the learning rate eta
    delta: float = 1e-10  # what keeps the quotient finite

    def __post_init__(self) -> None:
        check_positive("lr", self.lr)
        if not self.delta >= 0:
            raise InputError(f"delta must not be negative, got {self.delta:g}")

    def init(self, x: Float[Tensor, "... d"]) -> Tensor:
        """No gradient seen."""
        return torch.zeros_like(x)

    def step(
        self, x: Float[Tensor, "... d"], gradient: Gradient, memory: Tensor
    ) -> tuple[Float[Tensor, "... d"], Tensor]:
        """Add up the squares, divide by their root."""
        g = gradient(x)
        gamma = memory + g.square()
        return x - self.lr * quotient(g, gamma.sqrt() + self.delta), gamma


def quotient(a: Float[Tensor, "*s"], b: Float[Tensor, "*s"]) -> Float[Tensor, "*s"]:
    """The quotient of a and b, and 0 where both are 0.

    Example:
        >>> quotient(torch.tensor([0.0, 1.0]), torch.tensor([0.0, 2.0])).tolist()
        [0.0, 0.5]
    """
    return torch.where((a == 0) & (b == 0), torch.zeros_like(a), a / b)
