r"""What is known of a layer of an infinitely wide network: covariances, tangent kernel, variances.

For inputs :math:`x_i, y_j` and positions :math:`s, s'` (pixels, tokens; none for plain vectors)
the outputs of a layer are independent over channels, with covariance
:math:`K_{ij}(s, s')` and tangent kernel :math:`\Theta_{ij}(s, s')`. Two layouts:

* *diagonal*: only :math:`s = s'` is kept, enough as long as no layer averages positions;
* *full*: all pairs, needed before pooling and attention: ``(n1, n2, h, w, h', w')``.

Beside the pairs, the state carries the covariance of each input with itself, which activations
need for its variances.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.theory.compiled import Backend

Positional = Callable[[Tensor, int, int], Tensor]  # tensor, leading axes, copies of each position


@dataclass(frozen=True)
class State:
    """Covariances after a layer; see the module for the layouts."""

    nngp: Float[Tensor, "..."]  # (n1, n2, *positions), or (n, *positions) when paired
    ntk: Float[Tensor, "..."] | None  # of the same shape; None when it is not asked for
    q1: Float[Tensor, "..."] | None  # (n1, *positions): x with itself; None once it is not needed
    q2: Float[Tensor, "..."] | None
    axes: int  # spatial axes
    full: bool  # both positions are kept in nngp and ntk
    self_full: bool  # both positions are kept in q1 and q2
    paired: bool = False  # entry i compares x_i with y_i
    backend: Backend = "torch"  # who does the loops; only torch can be differentiated
    alike: bool = True  # all channels have the same law: not so for data and after Flatten
    graphs: tuple[Tensor, Tensor] | None = None  # of both sides, (n, nodes, nodes)
    same: int | None = None  # entry (i, i + same) compares an input with itself; None: none does

    @property
    def lead(self) -> int:
        """Axes before the positions."""
        return 1 if self.paired else 2

    def positional(self, f: Positional) -> "State":
        """Apply a linear map of positions to everything that is carried."""
        copies, self_copies = 1 + self.full, 1 + self.self_full
        return replace(
            self,
            nngp=f(self.nngp, self.lead, copies),
            ntk=None if self.ntk is None else f(self.ntk, self.lead, copies),
            q1=None if self.q1 is None else f(self.q1, 1, self_copies),
            q2=None if self.q2 is None else f(self.q2, 1, self_copies),
        )

    def own(self) -> tuple[Tensor, Tensor]:
        """The covariances of each input with itself, of both sides."""
        assert self.q1 is not None and self.q2 is not None, "variances were dropped too early"
        return self.q1, self.q2

    def variances(self) -> tuple[Tensor, Tensor]:
        """The variances of the two sides, shaped to broadcast against ``nngp``."""
        v1, v2 = self.position_variances()
        if self.full:
            v1, v2 = _spread(v1, first=True), _spread(v2, first=False)
        return (v1, v2) if self.paired else (v1[:, None], v2[None])

    def position_variances(self) -> tuple[Tensor, Tensor]:
        """The variance of each input at each position, ``(n, *positions)`` on both sides."""
        q1, q2 = self.own()
        if not self.self_full:
            return q1, q2
        return same_position(q1, 1, self.axes), same_position(q2, 1, self.axes)


def same_position(t: Float[Tensor, "..."], lead: int, axes: int) -> Float[Tensor, "..."]:
    """The entries with ``s = s'`` of a tensor in full layout."""
    for left in range(axes, 0, -1):
        t = torch.diagonal(t, dim1=lead, dim2=lead + left)  # the diagonal goes to the end
    return t


def self_variances(q: Tensor, axes: int) -> tuple[Tensor, Tensor]:
    """Variances of both positions of a self-covariance in full layout, ready to broadcast."""
    v = same_position(q, 1, axes)
    return _spread(v, first=True), _spread(v, first=False)


def _spread(v: Tensor, *, first: bool) -> Tensor:
    """``(n, h, w)`` as ``(n, h, w, 1, 1)`` or ``(n, 1, 1, h, w)``."""
    n, positions, ones = v.shape[0], v.shape[1:], (1,) * (v.ndim - 1)
    return v.reshape(n, *positions, *ones) if first else v.reshape(n, *ones, *positions)
