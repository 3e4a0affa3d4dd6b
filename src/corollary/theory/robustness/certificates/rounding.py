r"""What rounding may do to a bound, and what is paid for it.

Numbers of b digits have the unit :math:`u=2^{-b}`: an operation gives
:math:`\mathrm{fl}(p\circ q)=(p\circ q)(1+\delta)` with :math:`|\delta|\le u`. So a sum of K
products, in any order, fused or not, is off by at most :math:`\gamma_K\langle|p|,|q|\rangle` with
:math:`\gamma_K=Ku/(1-Ku)`. Certificates pay for this three times.

*Intervals.* If :math:`x\in[c-r,c+r]`, the middle :math:`Wc+b` and the radius :math:`|W|r` as
computed, and the layer as the network computes it, are each off by at most
:math:`\gamma_{K+2}(|W||x|+|b|)`, :math:`|x|` being the largest size in the interval. The radius
grows by all of them, so the interval holds what the layer gives, in real numbers and in rounded
ones.

*Forms.* Let :math:`\hat y` be the network's value and :math:`\hat a` the coefficients computed for
:math:`a^\top W`. From then on :math:`\hat a` counts as exact, and what that leaves out is paid:

.. math:: \langle a,\hat y\rangle\ \ge\ \langle\hat a,\hat x\rangle+\langle a,b\rangle
   -\langle|a|,s\rangle,\qquad s=\gamma_{K+K'+2}\,|W||x|+\gamma_{K+N}\,|b|,

since :math:`|\hat a-a^\top W|\le\gamma_{K'}|a|^\top|W|` and
:math:`|\hat y-W\hat x-b|\le\gamma_{K+1}(|W||\hat x|+|b|)`. The vector s is called what a value
*owes*; there is one per sample, not one per form. Lines of the function before it may be moved
apart by it times their slopes, which pays without another product.

*Ends.* The product of the last coefficients with the input, and running sums, are rounded down.

So a bound holds for the function in real numbers and for every evaluation of it in the module's
number type: sums in any order, elementary functions to within some units in the last place, no
underflow or overflow. Fast schemes for convolutions (Winograd, Fourier) are no sums of products,
and are not covered; torch takes none of them on processors, but for NNPACK's, which is switched
off while bounds are computed.

:source: Higham (2002), "Accuracy and stability of numerical algorithms", Sections 2.2, 3.1 and 3.5.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from corollary.errors import NotApplicableError
from corollary.theory.robustness.certificates.tape import Call

ROOM = 1.1  # for the rounding of what is paid itself
FUNCTION = 16  # units in the last place for elementary functions, torch's and ours together
MOST = 0.05  # of K u, beyond which sums have too few digits


def gamma(terms: int, dtype: torch.dtype) -> float:
    """The relative error of a sum of so many products, with room.

    Example:
        >>> gamma(100, torch.float64) < 1.3e-14
        True
    """
    rounded = terms * torch.finfo(dtype).eps / 2
    if rounded > MOST:
        raise NotApplicableError(
            f"a sum of {terms} terms in {str(dtype).removeprefix('torch.')} has too few "
            "digits for a bound; convert the module to a wider floating-point type"
        )
    return ROOM * rounded / (1 - rounded)


def lowered(total: Tensor) -> Tensor:
    """A sum of two numbers, rounded down."""
    return total - 2 * torch.finfo(total.dtype).eps * total.abs()


def outwards(lower: Tensor, upper: Tensor, by: Tensor | float) -> tuple[Tensor, Tensor]:
    """Both ends moved apart by this share of their sizes, and by rounding."""
    return lower - by * lower.abs(), upper + by * upper.abs()


def terms(call: Call, shapes: Sequence[tuple[int, ...]]) -> tuple[int, int]:
    """How many entries an operation with weights >= 0 adds up, forwards and backwards."""
    entries, out = sum(math.prod(s) for s in shapes), max(1, math.prod(call.shape))
    op = call.op
    if op in ("mean", "sum"):
        return math.ceil(entries / out), 1
    if op.startswith("avg_pool"):
        sizes = call.args[1] if not isinstance(call.args[1], int) else [call.args[1]] * 3
        kernel = math.prod(sizes) if len(sizes) > 1 else sizes[0] ** 3
        return kernel, kernel
    if "adaptive_avg" in op:
        seen = [math.ceil(i / o) + 1 for i, o in zip(shapes[0][1:], call.shape[1:], strict=True)]
        return math.prod(seen), 2 ** len(seen) + math.ceil(out / entries)
    if op == "cumsum":
        return entries, entries
    if op.startswith("upsample"):
        return 4, 4 * math.ceil(out / entries) + 16
    return 0, _copies(call, shapes)


def _copies(call: Call, shapes: Sequence[tuple[int, ...]]) -> int:
    """How often an entry is copied."""
    ones = [torch.ones(1, *s, dtype=torch.float64, requires_grad=True) for s in shapes]
    with torch.enable_grad():
        grads = torch.autograd.grad(call(*ones).sum(), ones, allow_unused=True)
    return max([1, *(round(float(g.amax())) for g in grads if g is not None)])
