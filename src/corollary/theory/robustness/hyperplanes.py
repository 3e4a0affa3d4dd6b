r"""The nearest point of a hyperplane inside a box: exactly, in three norms, for all rows at once.

.. math:: \min\|\delta\|\quad\text{with}\quad\langle w,\delta\rangle=c,\qquad l\le x+\delta\le h.

Towards the hyperplane entry i has the room :math:`\rho_i`, up to h or down to l. For
:math:`\ell_\infty` and :math:`\ell_2` the solution is :math:`|\delta_i|=\min(t,\rho_i)` and
:math:`|\delta_i|=\min(t|w_i|,\rho_i)`, so t is the level at which a sum
:math:`\sum_ia_i\min(t,r_i)` reaches :math:`|c|`. The sum is concave and piecewise linear in t, so
Newton's method from t = 0 rises to that level and is there, exactly, after finitely many steps. For
:math:`\ell_1` the entries of largest :math:`|w_i|` are filled first.

:source: Croce and Hein (2020), "Minimally distorted adversarial examples with a fast adaptive
    boundary attack", Section 2.2; Hein and Andriushchenko (2017), "Formal guarantees on the
    robustness of a classifier against adversarial manipulation", for the three solutions.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.theory.robustness.attack import Box
from corollary.theory.robustness.balls import TINY, Norm, dual_size, per_row, steepest


def to_hyperplane(
    x: Float[Tensor, "n *s"],
    w: Float[Tensor, "n *s"],
    c: Float[Tensor, " n"],
    norm: Norm,
    box: Box = None,
) -> Float[Tensor, "n *s"]:
    r"""The smallest perturbation of each row whose product with w is c; x plus it is in the box.

    Where the box leaves too little room, all of it is used; where w is 0, none. Costs a few passes
    over the entries, and a sort of each row for ``l1``.

    Example:
        >>> x, w, c = torch.zeros(1, 2), torch.tensor([[4.0, 3.0]]), torch.tensor([4.0])
        >>> to_hyperplane(x, w, c, "l1").tolist()
        [[1.0, 0.0]]
        >>> to_hyperplane(x, w, c, "l1", (-1.0, 0.25)).tolist()  # 4 / 4 + 3 / 4 is too little
        [[0.25, 0.25]]
        >>> to_hyperplane(x, w, c, "l1", (-1.0, 0.625)).tolist()  # 2.5 from the first, 1.5 are left
        [[0.625, 0.5]]
    """
    sign, need = c.sign(), c.abs()
    if box is None:
        reach = need / dual_size(w, norm).clamp_min(TINY)
        return per_row(sign * reach, w) * steepest(w, norm)
    towards = (per_row(sign, w) * w).flatten(1)
    flat, steep = x.flatten(1), towards.abs()
    room = torch.where(towards > 0, box[1] - flat, flat - box[0])
    room = torch.where(towards == 0, 0.0, room).clamp_min(0.0)
    if norm == "l1":
        moves = _steepest_first(steep, room, need)
    elif norm == "linf":
        moves = torch.minimum(water_level(steep, room, need)[:, None], room)
    else:
        level = water_level(steep.square(), room / steep.clamp_min(TINY), need)
        # an infinite level times a slope of 0 would not be a number
        moves = torch.minimum(level.clamp_max(torch.finfo(x.dtype).max)[:, None] * steep, room)
    return (towards.sign() * moves).view_as(x)


def water_level(
    a: Float[Tensor, "n d"], r: Float[Tensor, "n d"], c: Float[Tensor, " n"]
) -> Float[Tensor, " n"]:
    r"""The t at which :math:`\sum_ia_i\min(t,r_i)=c`; infinite where the sum stays below c.

    Args:
        a: Widths of the vessels, >= 0.
        r: Their heights, >= 0.
        c: What is poured in, >= 0.

    Example:
        >>> a, r = torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 4.0]])
        >>> [water_level(a, r, torch.tensor([c])).item() for c in (1.5, 7.0, 10.0)]
        [0.5, 3.0, inf]
    """
    level, last = torch.zeros_like(c), None
    while True:
        # the tangent of a concave sum lies above it, so the level rises and vessels only fill
        is_open = r > level[:, None]
        if last is not None and torch.equal(is_open, last):
            return level
        left = c - _products(a, torch.minimum(r, level[:, None]))
        width = _products(a, is_open.to(a.dtype))
        rise = torch.where(width <= 0, torch.inf, left / width.clamp_min(TINY))
        level, last = torch.where(left <= 0, level, level + rise), is_open


def _products(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("nd,nd->n", a, b)


def _steepest_first(steep: Tensor, room: Tensor, need: Tensor) -> Tensor:
    """Use the room of each entry in turn, the steepest first, until the need is met."""
    slope, order = steep.sort(dim=1, descending=True)
    space = room.gather(1, order)
    used = (slope * space).cumsum(dim=1)
    before = torch.cat([torch.zeros_like(need)[:, None], used[:, :-1]], dim=1)
    share = ((need[:, None] - before) / slope.clamp_min(TINY)).clamp_min(0.0)
    return torch.zeros_like(room).scatter_(1, order, torch.minimum(share, space))
