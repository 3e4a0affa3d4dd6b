r"""Points of the line whose labels alternate: easy for a deep network, hard for a shallow one.

:source: Mathematical Foundations of Deep Learning (slides), Telgarsky's Theorem; Telgarsky (2015),
    "Representation benefits of deep feedforward networks".
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


def alternating_points(n: int) -> tuple[Float[Tensor, "N 1"], Float[Tensor, " N"]]:
    r"""The points :math:`i/2^n`, :math:`0 \le i < 2^n`, with labels :math:`i \bmod 2`.

    Example:
        >>> x, y = alternating_points(2)
        >>> x.flatten().tolist(), y.tolist()
        ([0.0, 0.25, 0.5, 0.75], [0.0, 1.0, 0.0, 1.0])
    """
    if not 1 <= n <= 24:
        raise InputError(f"the 2^n points can be created for n from 1 to 24, got n={n}")
    i = torch.arange(2**n, dtype=torch.float64)
    return (i / 2**n)[:, None], i % 2
