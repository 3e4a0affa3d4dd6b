r"""The attack of Carlini and Wagner: a perturbation and its price, minimised together.

.. math:: \min_w\ \|z-x\|_2^2+c\,\max(m(z)+\kappa,0),\qquad
   z=\tfrac{l+h}2+\tfrac{h-l}2\tanh w,

where m is the margin, so that z is inside the box :math:`[l,h]` whatever w is, by steps of Adam.
The factor c is found row by row: it grows tenfold until the row is fooled, then the interval
between too small and large enough is halved.

:source: Carlini and Wagner (2017), "Towards evaluating the robustness of neural networks",
    Sections V and VI; Kingma and Ba (2015), "Adam: a method for stochastic optimization".
"""

import math
from dataclasses import KW_ONLY, dataclass

import torch
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.robustness.attack import (
    Box,
    Model,
    Perturbed,
    borrowed,
    check_box,
    check_inputs,
    clean_outputs,
)
from corollary.theory.robustness.balls import Norm, per_row, size
from corollary.theory.robustness.boundaries import check_reach, drawn_in, judged_in_ball
from corollary.theory.robustness.climbing import forward, pulled_back
from corollary.theory.robustness.scores import is_fooled, margin_slope, margins

_INSIDE = 1 - 1e-6  # of the box, where the inverse of tanh is finite
_DECAY, _SQUARED = 0.9, 0.999  # what Adam keeps of its means


@dataclass(frozen=True)
class CarliniWagner:
    """A small Euclidean perturbation by gradient descent on its size and the margin together.

    Costs searches times steps passes forward and back: many more than
    :class:`~corollary.theory.robustness.minimum_norm.FMN` needs for perturbations as small. It is
    here because it is the attack others are measured against. With ``confidence`` 0, nine passes
    forward at the end draw each perturbation in as far as it still flips.

    Args:
        eps: Largest size of a perturbation in the result; infinite for none.
        steps: Gradients a search.
        searches: Values of c that are tried.
        lr: Learning rate of Adam; for thousands of steps 0.01, as in the paper.
        c: First factor of the margin.
        confidence: By how much another class is to be ahead.
        box: Valid inputs; None if every number is valid.

    Example:
        >>> model = torch.nn.Linear(2, 1, bias=False)
        >>> with torch.no_grad():
        ...     _ = model.weight.copy_(torch.tensor([[0.75, -1.0]]))
        >>> attack = CarliniWagner(steps=30, searches=3, lr=0.1, c=1.0, box=(-1.0, 1.0))
        >>> found = attack(model, torch.tensor([[0.5, 0.0]]), torch.ones(1))
        >>> round(found.size("l2").item(), 2)  # 0.375 / 1.25
        0.3
    """

    eps: float | int = math.inf
    _: KW_ONLY
    steps: int = 200
    searches: int = 9
    lr: float | int = 0.05
    c: float | int = 1e-3
    confidence: float | int = 0.0
    box: Box = (0.0, 1.0)
    norm: Norm = "l2"  # here so that all attacks have one

    def __post_init__(self) -> None:
        check_reach(self.eps, self.norm)
        check_box(self.box)
        if self.norm != "l2":
            raise InputError("CarliniWagner is for norm='l2'; for other norms use FMN or FAB")
        if min(self.steps, self.searches) < 1 or not min(self.lr, self.c) > 0:
            raise InputError(
                "CarliniWagner needs steps and searches >= 1, lr and c > 0, got "
                f"steps={self.steps}, searches={self.searches}, lr={self.lr}, c={self.c}"
            )
        if not self.confidence >= 0:
            raise InputError(f"confidence must be >= 0, got {self.confidence}")

    def __call__(
        self, model: Model, x: Tensor, y: Tensor, *, rng: int | Generator = 0
    ) -> Perturbed:
        """Perturb the inputs and evaluate the model on them."""
        check_inputs(x, y, self.box)
        x = x.detach()
        with borrowed(model) as f:
            clean = clean_outputs(f, x, y)
            moved = x.clone()
            rows = (~self._done(clean, y)).nonzero()[:, 0]
            if len(rows) and self.eps > 0:
                moved[rows] = self._search(f, x[rows], y[rows])
                if self.confidence == 0:
                    moved[rows] = drawn_in(f, x[rows], y[rows], moved[rows])
            return judged_in_ball(f, x, y, moved, clean, (self.eps, self.norm, self.box))

    def inputs(self, model: Model, x: Tensor, y: Tensor, *, rng: int | Generator = 0) -> Tensor:
        """The perturbed inputs alone."""
        return self(model, x, y).x

    def _done(self, out: Tensor, y: Tensor) -> Tensor:
        if self.confidence == 0:
            return is_fooled(out, y)  # a tie counts
        return ~(margins(out, y) > -self.confidence)

    def _search(self, f: Model, x: Tensor, y: Tensor) -> Tensor:
        """The closest points found for any c; the inputs where none was found."""
        best, length = x.clone(), x.new_full((len(x),), torch.inf)
        c = torch.full_like(length, self.c)
        low, high = torch.zeros_like(c), torch.full_like(c, torch.inf)
        for _ in range(self.searches):
            points, found = self._descend(f, x, y, c)
            closer = found < length
            best[closer], length[closer] = points[closer], found[closer]
            done = found.isfinite()
            low, high = torch.where(done, low, c), torch.where(done, c, high)
            c = torch.where(high.isinf(), 10 * c, (low + high.nan_to_num(posinf=0.0)) / 2)
        return best

    def _descend(self, f: Model, x: Tensor, y: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """The closest points that do for one c per row, and their distances."""
        best, length = x.clone(), x.new_full((len(x),), torch.inf)
        w = self._free(x)
        mean, square = torch.zeros_like(w), torch.zeros_like(w)
        for k in range(1, self.steps + 1):
            z, slope_w = self._inside(w)
            leaf, out = forward(f, z, y)
            known, far = out.detach(), size(z - x, "l2")
            closer = self._done(known, y) & (far < length)
            best[closer], length[closer] = z[closer], far[closer]
            price = c * (margins(known, y) > -self.confidence)
            rise = pulled_back(leaf, out, margin_slope(known, y))
            g = slope_w * (2 * (z - x) - per_row(price, x) * rise)
            mean, square = torch.lerp(g, mean, _DECAY), torch.lerp(g.square(), square, _SQUARED)
            scale = (square / (1 - _SQUARED**k)).sqrt_().add_(1e-8)
            w = w - self.lr / (1 - _DECAY**k) * mean / scale
        return best, length

    def _free(self, x: Tensor) -> Tensor:
        """The variable whose image the inputs are, or almost."""
        if self.box is None:
            return x.clone()
        low, high = self.box
        return torch.atanh(_INSIDE * (2 * (x - low) / (high - low) - 1))

    def _inside(self, w: Tensor) -> tuple[Tensor, Tensor | float]:
        """The points of the variable, and the derivative of one by the other."""
        if self.box is None:
            return w.clone(), 1.0
        low, high = self.box
        t = w.tanh()
        z = ((low + high) / 2 + (high - low) / 2 * t).clamp_(low, high)
        return z, (high - low) / 2 * (1 - t.square())
