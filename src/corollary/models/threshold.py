r"""Threshold activations and units: a decision, and no gradient.

.. math:: H(z)=\mathbb{1}\{z\ge0\},\qquad \operatorname{sign}(z)=2H(z)-1 .

The two encodings agree at :math:`z=0` only with :math:`\operatorname{sign}(0)=+1`. Both are flat
away from 0, so gradient methods get no signal through them.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.2 and Figure 2.6; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1, Threshold Units.
:covers: threshold-unit
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.models.units import LinearUnit


class Sign(nn.Module):
    """-1 below zero, +1 above, ``at_zero`` at zero.

    Built from ``torch.sign``, whose derivative autograd knows to be 0: the output stays in the
    graph, and backward passes, double backward, forward mode and vmap all give exact zeros.

    Example:
        >>> Sign()(torch.tensor([-2.0, 0.0, 3.0]))
        tensor([-1.,  1.,  1.])
    """

    def __init__(self, at_zero: int = 1) -> None:
        super().__init__()
        if at_zero not in (-1, 0, 1):
            raise InputError(f"expected the sign of zero to be -1, 0 or 1, got at_zero={at_zero!r}")
        self.at_zero = at_zero

    def forward(self, z: Float[Tensor, "*k"]) -> Float[Tensor, "*k"]:
        """The sign of each entry."""
        sign = torch.sign(torch.sign(z) + self.at_zero / 2)
        return torch.where(z.isnan(), z, sign)  # torch's sign of NaN is 0

    def extra_repr(self) -> str:
        """The convention at zero."""
        return f"at_zero={self.at_zero}"


class Heaviside(nn.Module):
    """0 below zero, 1 from zero on.

    Example:
        >>> Heaviside()(torch.tensor([-2.0, 0.0, 3.0]))
        tensor([0., 1., 1.])
    """

    def forward(self, z: Float[Tensor, "*k"]) -> Float[Tensor, "*k"]:
        """The indicator of ``z >= 0``."""
        return 1 - (-z).clamp(0, 1).ceil()  # NaN stays NaN


class ThresholdUnit(nn.Module):
    """``x -> H(x . theta)`` in {0, 1}, or ``sign(x . theta)`` in {-1, +1}.

    Example:
        >>> unit = ThresholdUnit(torch.tensor([1.0, -1.0]), encoding="signs")
        >>> unit(torch.tensor([[2.0, 1.0], [1.0, 1.0], [0.0, 1.0]])).tolist()
        [1.0, 1.0, -1.0]
    """

    def __init__(self, theta: Float[Tensor, " n"], *, encoding: str = "bits") -> None:
        super().__init__()
        if encoding not in ("bits", "signs"):
            raise InputError(f"expected encoding to be 'bits' or 'signs', got {encoding!r}")
        self.linear = LinearUnit.of(theta)
        self.phi = Heaviside() if encoding == "bits" else Sign()

    def forward(self, x: Float[Tensor, "*k n"]) -> Float[Tensor, "*k"]:
        """The decision at each point."""
        decision: Tensor = self.phi(self.linear(x))
        return decision
