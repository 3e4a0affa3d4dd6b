r"""Uniform convergence: the errors have to stay small, not only to be small once.

.. math:: g_m\to f\text{ uniformly}\iff\forall\epsilon>0\ \exists M\ \forall m\ge M:\
   \|g_m-f\|_\infty<\epsilon\iff\sup_{m\ge M}\|g_m-f\|_\infty\to0\quad(M\to\infty)

A class :math:`\mathcal{G}` is dense in :math:`\mathcal{F}` if every :math:`f\in\mathcal{F}` is
such a limit, and a universal approximator if that is so for :math:`C(S)` on every compact
:math:`S`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.1 and (3.1).
:covers: universal-approximator-definition
:erratum: [wrong] Section 3.1 defines uniform convergence by "for all eps there is an m >= 1 with
    ||g_m - f|| < eps". The sequence f, f + 1, f, f + 1, ... satisfies that with m = 1 and does not
    converge: its tail sup is 1 for ever. It must be "there is an M such that for all m >= M". (The
    one consequence drawn there, that f can be approximated, holds under either reading.)
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError

Line = Callable[[Tensor], Tensor]  # entry by entry


class Tails(NamedTuple):
    """Errors of a sequence and the largest error from each index on."""

    errors: Float[Tensor, " k"]  # sup |g_m - f| on the grid
    tails: Float[Tensor, " k"]  # their largest from here on
    converges: bool  # the tails fall steadily, or are zero up to rounding
    once_small: float  # the smallest error: all that the notes' wording asks about


def uniform_convergence(
    sequence: Callable[[int], Line], f: Line, x: Float[Tensor, " n"], orders: Sequence[int]
) -> Tails:
    """Tail sups of ``sup |g_m - f|`` on the grid ``x`` for growing orders ``m``, and a decision.

    No finite part of a sequence proves convergence. The decision says that the tail at the last
    quarter of the orders is at most half the first one, and the last at most the middle one.

    Example:
        >>> x = torch.linspace(0, 1, 101, dtype=torch.float64)
        >>> found = uniform_convergence(lambda m: lambda t: t + 1 / m, lambda t: t, x, [1, 2, 4, 8])
        >>> [round(v, 12) for v in found.tails.tolist()], found.converges
        ([1.0, 0.5, 0.25, 0.125], True)
    """
    if len(orders) < 4 or any(b <= a for a, b in zip(orders, orders[1:], strict=False)):
        raise InputError(f"expected at least four growing orders, got {list(orders)}")
    target = f(x)
    errors = torch.stack([(sequence(m)(x) - target).abs().max() for m in orders])
    tails = errors.flip(0).cummax(0).values.flip(0)
    late, middle = tails[-(len(orders) // 4)], tails[len(orders) // 2]
    tiny = 64 * torch.finfo(x.dtype).eps * float(target.abs().max().clamp(min=1.0))
    falling = bool(late <= tails[0] / 2) and bool(tails[-1] <= middle)
    return Tails(errors, tails, falling or bool(tails[0] <= tiny), float(errors.min()))
