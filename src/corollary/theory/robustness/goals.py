"""What a search with steps of its own length climbs, and when a row is done."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from corollary.theory.robustness.scores import (
    is_fooled,
    lead_of_others,
    logit_ratio,
    logit_ratio_towards,
    margins,
)

Height = Literal["loss", "margin", "dlr"]
HEIGHTS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "loss": lead_of_others,
    "margin": lambda out, y: -margins(out, y),
    "dlr": logit_ratio,
}


@dataclass(frozen=True)
class Goal:
    """Away from the labels ``y``, towards them, or away from them past one rival each.

    Example:
        >>> goal = Goal(torch.tensor([0]), "margin", towards=True)
        >>> out = torch.tensor([[1.0, 3.0]])
        >>> goal.height(out).item(), goal.hit(out).item()
        (-2.0, False)
    """

    y: Shaped[Tensor, " n"]
    objective: Height
    towards: bool = False  # the labels are to be reached, not left
    rival: Shaped[Tensor, " n"] | None = None  # the class to overtake each label

    def height(self, out: Float[Tensor, "n *k"]) -> Float[Tensor, " n"]:
        """What is to be made large, one number per row."""
        if self.rival is not None:
            return logit_ratio_towards(out, self.y, self.rival)
        height = HEIGHTS[self.objective](out, self.y)
        return -height if self.towards else height

    def slope(self, out: Float[Tensor, "n *k"]) -> Float[Tensor, "n *k"]:
        """The gradient of the height in the outputs."""
        leaf = out.detach().requires_grad_(True)
        with torch.enable_grad():
            (slope,) = torch.autograd.grad(self.height(leaf).sum(), leaf)
        return slope

    def hit(self, out: Float[Tensor, "n *k"]) -> Bool[Tensor, " n"]:
        """Which rows are done: their label is not ahead, or is if it was to be reached."""
        return is_fooled(out, self.y) != self.towards

    def rows(self, which: Tensor) -> "Goal":
        """The same for some of the rows."""
        rival = None if self.rival is None else self.rival[which]
        return replace(self, y=self.y[which], rival=rival)
