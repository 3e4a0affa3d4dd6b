r"""What is known of a value: the ball of inputs, and the interval that each later value lies in.

A ball :math:`\|\delta\|\le\epsilon` around an input, cut by the box of valid inputs. Linear forms
have their exact minimum over the ball alone,
:math:`\langle a,x\rangle-\epsilon\|a\|_*`, and over the cut :math:`\ell_\infty` ball.
"""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.robustness.attack import Box
from corollary.theory.robustness.balls import Norm, per_row


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

    @property
    def exact(self) -> bool:
        """Whether both ends are attained."""
        return self.mixed < 2

    @property
    def middle(self) -> Float[Tensor, "n *s"]:
        """Half way between the ends."""
        return (self.lower + self.upper) / 2

    @property
    def radius(self) -> Float[Tensor, "n *s"]:
        """Half the width."""
        return (self.upper - self.lower) / 2

    def cut(self, lower: Tensor, upper: Tensor) -> "Interval":
        """The part that another interval for the same value leaves."""
        low, high = torch.maximum(self.lower, lower), torch.minimum(self.upper, upper)
        # two sound intervals overlap; where rounding says otherwise the middle is as good
        crossed = low > high
        if bool(crossed.any()):
            middle = (low + high) / 2
            low, high = torch.where(crossed, middle, low), torch.where(crossed, middle, high)
        return replace(self, lower=low, upper=high)


@dataclass(frozen=True)
class Region:
    """The inputs that are allowed around each sample, with a radius of its own for each."""

    x: Float[Tensor, "n *s"]
    eps: Float[Tensor, " n"]
    norm: Norm
    box: Box = None

    def __post_init__(self) -> None:
        if self.norm not in ("linf", "l2"):
            raise InputError(f"certificates are for norm 'linf' or 'l2', but norm='{self.norm}'")

    def interval(self) -> Interval:
        """The smallest box around the region."""
        eps = per_row(self.eps, self.x)
        low, high = self.x - eps, self.x + eps
        if self.box is not None:
            low, high = low.clamp_min(self.box[0]), high.clamp_max(self.box[1])
        if self.norm == "linf" and self.box is not None:
            return Interval(low, high, 0)  # a box again
        ball = Coordinates(self.x, torch.ones_like(self.x[:1]), self.norm, self.box is not None)
        return Interval(low, high, 0, ball)

    def rows(self, which: slice) -> "Region":
        """The same for some of the samples."""
        return replace(self, x=self.x[which], eps=self.eps[which])
