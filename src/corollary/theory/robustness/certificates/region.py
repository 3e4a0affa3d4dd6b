r"""What is known of a value: the ball of inputs, and the interval that each later value lies in.

A ball :math:`\|\delta\|\le\epsilon` around an input, cut by the box of valid inputs. Linear forms
have their exact minimum over the ball alone,
:math:`\langle a,x\rangle-\epsilon\|a\|_*`, and over the cut :math:`\ell_\infty` ball.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.robustness.attack import Box
from corollary.theory.robustness.balls import Norm, per_row
from corollary.theory.robustness.certificates.rounding import gamma


@dataclass(frozen=True)
class Coordinates:
    r"""Values whose entries move with one coordinate each of a ball, and with no other's.

    Entry i is :math:`c_i+s_i\delta_i` with :math:`\|\delta\|\le\epsilon`.
    """

    center: Float[Tensor, "n *s"]
    spread: Float[Tensor, "1 *s"]  # >= 0
    norm: Norm
    cut: bool  # whether a box cuts the ball


@dataclass(frozen=True)
class Interval:
    """Lower and upper ends, one entry each for every sample.

    ``mixed`` counts how often entries were mixed since the input: up to once both ends are exact.
    """

    lower: Float[Tensor, "n *s"]
    upper: Float[Tensor, "n *s"]
    mixed: int = 2
    ball: Coordinates | None = None
    debt: Callable[[], Tensor] | None = None  # computes what is owed; intervals alone need it not
    positive: bool = False  # whether no end is below 0

    @property
    def exact(self) -> bool:
        """Whether both ends are attained."""
        return self.mixed < 2

    @cached_property
    def owed(self) -> Tensor | None:
        """What forms pay for being carried back to before this value; see rounding."""
        return None if self.debt is None else self.debt()

    @property
    def reach(self) -> Float[Tensor, "n *s"]:
        """The largest size in the interval."""
        if self.positive:
            return self.upper
        return torch.maximum(-self.lower, self.upper).clamp_min(0.0)

    @property
    def middle(self) -> Float[Tensor, "n *s"]:
        """Half way between the ends."""
        return (self.lower + self.upper) / 2

    @property
    def radius(self) -> Float[Tensor, "n *s"]:
        """Half the width."""
        return (self.upper - self.lower) / 2

    def taken(self, which: Tensor | slice) -> "Interval":
        """The same for some samples, which may be repeated."""
        owed = self.owed
        if owed is None:
            return Interval(self.lower[which], self.upper[which], self.mixed)
        some = owed[which] if len(owed) > 1 else owed
        return Interval(self.lower[which], self.upper[which], self.mixed, debt=lambda: some)

    def padded(self, terms: int | None = None) -> tuple[Tensor, Tensor]:
        """Middle and radius for products with both, which are rounded; the radius pays for it.

        That is for sums of all entries, or of so many ``terms``; none if these are paid elsewhere.
        """
        middle, radius = self.middle, self.radius
        many = self.lower[0].numel() if terms is None else terms
        g = gamma(many + 8, self.lower.dtype)
        return middle, torch.add(radius * (1 + g), middle.abs(), alpha=g)

    def cut(self, lower: Tensor, upper: Tensor) -> "Interval":
        """The part that another interval for the same value leaves."""
        low, high = torch.maximum(self.lower, lower), torch.minimum(self.upper, upper)
        # two sound intervals overlap, unless no input is left, and then all is true
        crossed = ~(low <= high)  # NaN too
        if bool(crossed.any()):
            middle = (low + high) / 2
            low, high = torch.where(crossed, middle, low), torch.where(crossed, middle, high)
        return replace(self, lower=low, upper=high, positive=False)


@dataclass(frozen=True)
class Region:
    """The inputs that are allowed around each sample, with a radius of its own for each."""

    x: Float[Tensor, "n *s"]
    eps: Float[Tensor, " n"]
    norm: Norm
    box: Box = None

    def __post_init__(self) -> None:
        if self.norm not in ("linf", "l2"):
            raise InputError(f"expected norm='linf' or 'l2', got '{self.norm}'")

    def interval(self) -> Interval:
        """The smallest box around the region."""
        low, high = outwards_from(self.x, self.eps)
        if self.box is not None:
            low, high = low.clamp_min(self.box[0]), high.clamp_max(self.box[1])
        if self.norm == "linf" and self.box is not None:
            return Interval(low, high, 0)  # a box again
        ball = Coordinates(self.x, torch.ones_like(self.x[:1]), self.norm, self.box is not None)
        return Interval(low, high, 0, ball)

    def reaches(self) -> Float[Tensor, " n"]:
        """The radius of each ball, with what pays for the rounding of a form's end.

        The form's value at the middle is off by at most gamma times its dual norm times this size.
        """
        flat = self.x.flatten(1)
        size = flat.abs().amax(1) if self.norm == "linf" else torch.linalg.vector_norm(flat, dim=1)
        g = gamma(flat.shape[1] + 8, flat.dtype)
        return self.eps * (1 + g) + g * size

    def rows(self, which: slice | Tensor) -> "Region":
        """The same for some of the samples."""
        return replace(self, x=self.x[which], eps=self.eps[which])


def outwards_from(x: Tensor, eps: Tensor) -> tuple[Tensor, Tensor]:
    """The ends of intervals of these radii, rounded outwards; x itself where the radius is 0."""
    size = x.flatten(1).abs().amax(1) if x[0].numel() else eps
    wider = eps + 2 * torch.finfo(x.dtype).eps * (size + eps)
    radius = per_row(torch.where(eps > 0, wider, eps), x)
    return x - radius, x + radius
