r"""A two-layer network that no perturbation shorter than :math:`\frac{1-c}2\sqrt d` fools.

For points of length :math:`\sqrt d` with :math:`|\langle x_i,x_j\rangle|\le cd`, c < 1, and labels
:math:`\pm1`:

.. math:: f(x)=\sum_{j=1}^my_j\Bigl(\frac{2\langle x_j,x\rangle}{d(1-c)}-\frac{1+c}{1-c}\Bigr)_+.

Unit j is 1 at its own point and at most -1 before the ReLU at every other, so :math:`f(x_i)=y_i`;
within :math:`\frac{1-c}2\sqrt d` of :math:`x_i` its own unit stays on and all others off. Along
:math:`-x_i` the own unit switches off exactly there, and f becomes 0: the radius cannot be larger.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.2, Theorem 75; Vardi, Yehudai and
    Shamir (2022), "Gradient methods provably converge to non-robust networks", Theorem 3.1.
:erratum: [typo] In the second part of the proof the cross term is annotated '= -1'; it is <= -1, as
    shown just before. The theorem is right.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError


class Robust(NamedTuple):
    """The network, the radius within which no sign changes, and the correlation it is built for."""

    network: "RobustTwoLayer"
    radius: float
    c: float | int


class RobustTwoLayer(nn.Module):
    """``sum_j a_j relu(<w_j, x> + b_j)``, one score per row."""

    def __init__(self, w: Tensor, b: Tensor, a: Tensor) -> None:
        super().__init__()
        self.w, self.b, self.a = (nn.Parameter(t.detach().clone()) for t in (w, b, a))

    def units(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n m"]:
        """Pre-activations."""
        return x @ self.w.T + self.b

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
        """The score of each row."""
        return self.units(x).relu() @ self.a


def robust_network(
    x: Float[Tensor, "m d"], y: Float[Tensor, " m"], c: float | int | None = None
) -> Robust:
    r"""Build the network from the points alone.

    Args:
        x: Points of length sqrt(d).
        y: Labels, -1 or +1.
        c: A bound on the correlations; the largest one that occurs if absent.

    Example:
        >>> x = 2 * torch.eye(4, dtype=torch.float64)
        >>> net, radius, c = robust_network(x, torch.tensor([1.0, -1, 1, -1]).double())
        >>> net(x).tolist(), radius, c
        ([1.0, -1.0, 1.0, -1.0], 1.0, 0.0)

    :covers: robust-network-construction
    :test: tests/models/test_robust_two_layer.py
    """
    m, d = x.shape
    if not bool((y.abs() == 1).all()):
        raise InputError("labels must be -1 or +1")
    if not torch.allclose(x.norm(dim=1), x.new_full((m,), d**0.5), rtol=1e-6):
        raise InputError(
            f"the points must have length sqrt(d) = {d**0.5:.4g}, but lengths run from "
            f"{x.norm(dim=1).min():.4g} to {x.norm(dim=1).max():.4g}; rescale them"
        )
    found = correlation(x)
    c = found if c is None else c
    if not found <= c * (1 + 1e-12) + 1e-12:
        raise InputError(f"expected |<x_i, x_j>| / d of at most c = {c:.4g}, got {found:.4g}")
    if not 0 <= c < 1:
        raise InputError(
            f"correlations must be below 1 in size, got c = {c:.4g}; check for equal points"
        )
    return Robust(unchecked_network(x, y, c), (1 - c) / 2 * d**0.5, c)


def unchecked_network(
    x: Float[Tensor, "m d"], y: Float[Tensor, " m"], c: float | int
) -> RobustTwoLayer:
    """The same weights for any points and any c < 1; nothing is promised.

    Example:
        >>> x = 2 * torch.eye(4, dtype=torch.float64)
        >>> unchecked_network(x, torch.ones(4).double(), 0.0).b.tolist()
        [-1.0, -1.0, -1.0, -1.0]
    """
    d = x.shape[1]
    return RobustTwoLayer(2 * x / (d * (1 - c)), y.new_full((len(x),), -(1 + c) / (1 - c)), y)


def correlation(x: Float[Tensor, "m d"]) -> float:
    r"""The largest :math:`|\langle x_i, x_j\rangle| / d` over pairs.

    Example:
        >>> correlation(torch.eye(3))
        0.0
    """
    gram = (x @ x.T / x.shape[1]).abs()
    return float(gram.fill_diagonal_(0.0).max())
