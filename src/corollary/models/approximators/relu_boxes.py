r"""Sums of ReLU bumps on boxes: a three-layer network with a promised :math:`L^1` error.

.. math:: g_j(z)=\sigma\bigl(\tfrac{z-(a_j-\gamma)}\gamma\bigr)
   -\sigma\bigl(\tfrac{z-a_j}\gamma\bigr)
   -\sigma\bigl(\tfrac{z-b_j}\gamma\bigr)+\sigma\bigl(\tfrac{z-(b_j+\gamma)}\gamma\bigr),\qquad
   \sigma\Bigl(\sum_jg_j(x_j)-(d-1)\Bigr)

is 1 on the box, 0 off the box enlarged by :math:`\gamma`, and between 0 and 1 in between. A box
costs 4d + 1 units.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.2, Theorem 16 and (3.4); Telgarsky
    (2021), Deep learning theory lecture notes.
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.approximation.grids import Function, box_grid, cells
from corollary.theory.prerequisites.wellformed import check_no_nan

SIGNS = (1.0, -1.0, -1.0, 1.0)
LARGEST_LAYER = 2**17  # numbers of the first hidden layer held at a time: they stay in the cache


class ReluBoxes(nn.Module):
    r""":math:`\sum_i\alpha_ig_{i,\gamma}`: two hidden layers of 4dN and N units.

    :covers: relu-box-indicator
    :erratum: [wrong] The proof of Theorem 16 twice calls the units threshold activations; the
        displayed trapezoid needs ReLU, as the statement of the theorem says. With Heaviside units
        it vanishes on the box: for a = 0.2, b = 0.4, z = 0.3 it is 1 - 1 - 0 + 0 = 0 and not 1.
    """

    signs: Float[Tensor, "4"]

    def __init__(
        self,
        a: Float[Tensor, "N d"],
        b: Float[Tensor, "N d"],
        alpha: Float[Tensor, " N"],
        gamma: float,
        *,
        sigma: Callable[[Tensor], Tensor] = torch.relu,
    ) -> None:
        super().__init__()
        if not 0 < gamma < math.inf:
            raise InputError(f"the ramp gamma must be positive, got {gamma:g}")
        if not bool((a <= b).all()):
            raise InputError("a box needs a <= b on every axis, but one axis has a > b")
        self.sigma, self.gamma = sigma, gamma
        self.knots = nn.Parameter(torch.stack([a - gamma, a, b, b + gamma], -1).detach())  # N d 4
        self.alpha = nn.Parameter(alpha.detach().clone())
        self.register_buffer("signs", a.new_tensor(SIGNS))

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
        """The value at each point, a block of points at a time."""
        block = max(1, LARGEST_LAYER // self.knots.numel())
        return torch.cat([self.hidden(part) @ self.alpha for part in x.split(block)])

    def hidden(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n N"]:
        """The bumps at each point."""
        first = self.sigma((x[:, None, :, None] - self.knots) / self.gamma)  # n N d 4
        return self.sigma((first @ self.signs).sum(-1) - (x.shape[1] - 1))

    @property
    def units(self) -> int:
        """Hidden units: 4d + 1 for each box."""
        N, d, _ = self.knots.shape
        return N * (4 * d + 1)


def relu_box(a: Float[Tensor, " d"], b: Float[Tensor, " d"], gamma: float) -> ReluBoxes:
    r"""The bump on one box: 1 on it, 0 at distance :math:`\gamma` from it.

    Example:
        >>> box = relu_box(torch.tensor([0.25, 0.25]), torch.tensor([0.5, 0.5]), 0.125)
        >>> box.units, box(torch.tensor([[0.375, 0.5], [0.3125, 0.5625], [0.375, 0.75]])).tolist()
        (9, [1.0, 0.5, 0.0])
    """
    return ReluBoxes(a[None], b[None], a.new_ones(1), gamma)


def box_error_bound(a: Float[Tensor, " d"], b: Float[Tensor, " d"], gamma: float) -> float:
    r""":math:`\prod_j(b_j-a_j+2\gamma)-\prod_j(b_j-a_j)`, a bound of the bump's L1 error.

    Example:
        >>> box_error_bound(torch.zeros(2), torch.ones(2), 0.5)
        3.0
    """
    return float((b - a + 2 * gamma).prod() - (b - a).prod())


def relu_three_layer(g: Function, eps: float, delta: float, d: int) -> ReluBoxes:
    r"""The network of Theorem 16 on the unit cube: :math:`\int|f-g|\le2\epsilon`.

    It supposes :math:`|g(x)-g(x')|\le\epsilon` for :math:`\|x-x'\|_\infty\le\delta`. One
    :math:`\epsilon` is spent on the cells, the other on the ramps, whose width :math:`\gamma` is
    the largest with :math:`\sum_i|\alpha_i|\,[(s+2\gamma)^d-s^d]\le\epsilon`, but at most half the
    side s of a cell.

    Args:
        g: Takes points (n, d) to n values.
        eps: Half the error to keep.
        delta: Side of a cell, at most.
        d: Dimension; there are :math:`\lceil1/\delta\rceil^d` cells.

    Example:
        >>> net = relu_three_layer(lambda x: x[:, 0], 0.25, 0.25, 1)
        >>> net.units, net.alpha.tolist()
        (20, [0.125, 0.375, 0.625, 0.875])

    :covers: three-layer-relu-approximation
    :erratum: [loose] Theorem 16 speaks of Omega(delta^{-d}) ReLU activations, a symbol for a lower
        bound; the construction shows that (4d+1) ceil(1/delta)^d units suffice, O(d delta^{-d}).
        The norm of its hypothesis must be the sup norm.
    """
    if not 0 < eps < math.inf:
        raise InputError(f"eps must be positive, got {eps:g}")
    n = cells(delta)
    side = 1.0 / n
    low = box_grid(d, n, 0.0, 1.0 - side) if n > 1 else torch.zeros(1, d, dtype=torch.float64)
    alpha = g(low + side / 2)
    check_no_nan("the values of g", alpha)
    total = float(alpha.abs().sum())
    room = ((side**d + eps / total) ** (1 / d) - side) / 2 if total > 0 else side
    return ReluBoxes(low, low + side, alpha, min(room, side / 2))


def certified_error(net: ReluBoxes, eps: float) -> float:
    r""":math:`\epsilon+\sum_i|\alpha_i|\,\|1_{R_i}-g_i\|_1`, what the proof promises.

    Example:
        >>> net = relu_three_layer(lambda x: x[:, 0], 0.25, 0.25, 1)
        >>> round(certified_error(net, 0.25), 12)
        0.5
    """
    sides = (net.knots[..., 2] - net.knots[..., 1]).detach()
    extra = (sides + 2 * net.gamma).prod(1) - sides.prod(1)
    return eps + float(net.alpha.detach().abs() @ extra)
