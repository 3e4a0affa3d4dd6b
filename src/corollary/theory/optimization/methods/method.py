r"""What a first-order method is: a state, and a step that asks for gradients.

A method is a frozen dataclass whose fields are its parameters. ``init`` gives its memory before
the first step, ``step`` the next point and the next memory. Points may carry axes in front of the
coordinates, so that many runs are made at once.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_finite

Gradient = Callable[[Tensor], Tensor]  # points (... d) to gradients (... d)
S = TypeVar("S")


class Method(ABC, Generic[S]):
    """A rule for the next point; ``S`` is what it remembers."""

    @abstractmethod
    def init(self, x: Float[Tensor, "... d"]) -> S:
        """The memory before the first step."""

    @abstractmethod
    def step(
        self, x: Float[Tensor, "... d"], gradient: Gradient, memory: S
    ) -> tuple[Float[Tensor, "... d"], S]:
        """The next point and the next memory."""


def trajectory(
    method: Method[S], gradient: Gradient, x0: Float[Tensor, "... d"], steps: int
) -> Float[Tensor, "k ... d"]:
    """The start and the points after each of ``steps`` steps.

    Args:
        method: The rule.
        gradient: From points to gradients, of one shape; a random one makes the run stochastic.
        x0: The start, of one run or of several.
        steps: How many.

    Example:
        >>> from corollary.theory.optimization.methods.heavy_ball import HeavyBall
        >>> x0 = torch.tensor([0.0], dtype=torch.float64)
        >>> x = trajectory(HeavyBall(lr=1.0, beta=0.5), torch.ones_like, x0, steps=3)
        >>> x[:, 0].tolist()  # steps of 1, 1.5 and 1.75
        [0.0, -1.0, -2.5, -4.25]
    """
    check_finite("x0", x0)
    if steps < 1:
        raise InputError(f"steps must be at least 1, got {steps}")
    x, memory, path = x0, method.init(x0), [x0]
    for _ in range(steps):
        x, memory = method.step(x, gradient, memory)
        path.append(x)
    return torch.stack(path)


def check_decay(name: str, value: float) -> None:
    """Refuse a memory that does not fade."""
    if not 0 <= value < 1:
        raise InputError(f"{name} must lie in [0, 1), got {value:g}")
