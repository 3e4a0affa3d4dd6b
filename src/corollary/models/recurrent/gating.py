r"""Multiplicative gates.

.. math:: z\leftarrow s\odot z,\qquad s=\sigma(Wx+b)\in(0,1)^m :

at s = 0 a number is forgotten, at s = 1 it is kept, and on the kept path the gradient is s.

:source: Perez Jensen (2025), Deep Learning, Section 5.1.
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F


def gate(
    x: Float[Tensor, "*B n"], W: Float[Tensor, "m n"], b: Float[Tensor, " m"] | None = None
) -> Float[Tensor, "*B m"]:
    r""":math:`\sigma(Wx+b)`, the openings of m gates.

    Example:
        >>> W = torch.tensor([[0.0], [100.0], [-100.0]], dtype=torch.float64)
        >>> [round(s, 12) for s in gate(torch.ones(1, dtype=torch.float64), W).tolist()]
        [0.5, 1.0, 0.0]

    :covers: gating-mechanism
    """
    return torch.sigmoid(F.linear(x, W, b))


def blend(
    s: Float[Tensor, "*B m"], old: Float[Tensor, "*B m"], new: Float[Tensor, "*B m"]
) -> Float[Tensor, "*B m"]:
    r"""The convex combination :math:`s\odot\text{old}+(1-s)\odot\text{new}`.

    Example:
        >>> blend(torch.tensor([0.25]), torch.tensor([4.0]), torch.tensor([8.0])).item()
        7.0
    """
    return torch.lerp(new, old, s)  # exactly old at s = 1, exactly new at s = 0
