r"""Step functions with a promised error: threshold networks on an interval, cells on a cube.

For :math:`g:[0,1]\to\mathbb{R}` that is :math:`\rho`-Lipschitz and
:math:`m=\max(1,\lceil\rho/\epsilon\rceil)`, :math:`b_i=i\epsilon/\rho`, :math:`a_0=g(0)`,
:math:`a_i=g(b_i)-g(b_{i-1})`,

.. math:: f(x)=\sum_{i<m}a_i\,\mathbb{1}[x\ge b_i]\quad\text{has}\quad\sup_{[0,1]}|f-g|\le\epsilon.

With the value in the middle of each step half as many nodes suffice.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.2, Theorem 14 and Lemma 15;
    Telgarsky (2021), Deep learning theory lecture notes.
"""

import math
from collections.abc import Callable
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.models.approximators.shallow import Superposition
from corollary.theory.approximation.grids import box_grid, cells

Function = Callable[[Tensor], Tensor]  # (n, d) points to n values


def step(z: Tensor) -> Tensor:
    """1 from zero on, 0 below.

    Example:
        >>> step(torch.tensor([-1.0, 0.0, 2.0])).tolist()
        [0.0, 1.0, 1.0]
    """
    return 1 - (-z).clamp(0, 1).ceil()  # NaN stays NaN, which a comparison would make 0


def threshold_network(
    g: Function, rho: float, eps: float, *, values: Literal["left", "middle"] = "left"
) -> Superposition:
    r"""The threshold network of Theorem 14 for a function on [0, 1].

    Args:
        g: Takes points (n, 1) to n values.
        rho: Its Lipschitz constant; an understated one voids the promise.
        eps: The error to keep.
        values: Where on a step g is met: at its left end (:math:`\lceil\rho/\epsilon\rceil`
            nodes) or in its middle (:math:`\lceil\rho/2\epsilon\rceil` nodes).

    Example:
        >>> net = threshold_network(lambda x: x[:, 0], 1.0, 0.25)
        >>> net.units, net(torch.tensor([[0.1], [0.6]], dtype=torch.float64)).tolist()
        (4, [0.0, 0.5])

    :covers: threshold-network-1d
    :erratum: [wrong] As worded, Theorem 14 asserts the bound for every 2-layer net with
        ceil(rho/eps) threshold nodes (the zero network misses g = 5 by 5); the proof shows that one
        exists. a_i = g(b_i) - g(b_{i-1}) is introduced for i > 1 and is needed for i >= 1. rho = 0
        is not excluded, where no node at all is promised and g = 5 is missed by 5: one is needed.
    """
    if not (eps > 0 and 0 <= rho < math.inf):
        raise InputError(f"eps must be positive and rho >= 0, got eps={eps:g}, rho={rho:g}")
    if values not in ("left", "middle"):
        raise InputError(f"expected values to be 'left' or 'middle', got {values!r}")
    width = (eps if values == "left" else 2 * eps) / rho if rho > 0 else 1.0
    m = cells(width)
    b = torch.arange(m, dtype=torch.float64) * width
    at = b if values == "left" else (b + width / 2).clamp(max=1.0)
    heights = g(at[:, None])
    a = torch.diff(heights, prepend=heights.new_zeros(1))
    return Superposition(step, b.new_ones(m, 1), -b, a)


class PiecewiseConstant(nn.Module):
    """A table of values on the ``n**d`` equal cells of the unit cube.

    Example:
        >>> table = PiecewiseConstant(torch.tensor([1.0, 2.0, 3.0, 4.0]), n=2, d=2)
        >>> table(torch.tensor([[0.2, 0.9], [1.0, 1.0]])).tolist()
        [2.0, 4.0]
    """

    def __init__(self, values: Float[Tensor, " N"], *, n: int, d: int) -> None:
        super().__init__()
        if len(values) != n**d:
            raise InputError(f"{n}^{d} cells need {n**d} values, got {len(values)}")
        self.n, self.d = n, d
        self.values = nn.Parameter(values.detach().clone())

    def forward(self, x: Float[Tensor, "k d"]) -> Float[Tensor, " k"]:
        """The value of the cell of each point; points outside belong to the nearest cell."""
        place = (x * self.n).floor().clamp(0, self.n - 1).to(torch.int64)
        powers = self.n ** torch.arange(self.d - 1, -1, -1, device=x.device)
        found = self.values[(place * powers).sum(1)]
        return torch.where(x.isnan().any(1), torch.nan, found)


def piecewise_constant(
    g: Function, d: int, delta: float, *, where: Literal["corner", "centre"] = "centre"
) -> PiecewiseConstant:
    r"""The function that is :math:`g(x_i)` on each of the :math:`\lceil1/\delta\rceil^d` cells.

    If g moves by at most :math:`\epsilon` within :math:`\|x-x'\|_\infty\le\delta`, the error is at
    most :math:`\epsilon`, wherever :math:`x_i` lies in its cell.

    Example:
        >>> table = piecewise_constant(lambda x: x.sum(1), 2, 0.5)
        >>> table.values.tolist()
        [0.5, 1.0, 1.0, 1.5]

    :covers: piecewise-constant-lemma
    :erratum: [missing hypothesis] Lemma 15 takes its delta from Theorem 14, which has none; the
        condition of Theorem 16 is meant, printed with ||x - x'|| <= delta in a text whose norm is
        Euclidean. A cube of side delta has diameter delta sqrt(d): for g = sum x_i / sqrt(d),
        delta = eps, d = 9 no constant on a cube errs by less than 1.5 eps. Take the sup norm, or
        sides delta / sqrt(d).
    """
    n = cells(delta)
    if where not in ("corner", "centre"):
        raise InputError(f"expected values at the 'corner' or the 'centre', got {where!r}")
    low, high = (0.0, 1.0 - 1.0 / n) if where == "corner" else (0.5 / n, 1.0 - 0.5 / n)
    at = box_grid(d, n, low, high) if n > 1 else torch.full((1, d), low, dtype=torch.float64)
    return PiecewiseConstant(g(at), n=n, d=d)
