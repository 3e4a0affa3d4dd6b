r"""FMN: steps along the gradient on a ball whose radius follows the boundary.

With :math:`m` the margin, :math:`\delta` the perturbation and r the radius of a row,

.. math:: r\leftarrow\begin{cases}\|\delta\|+m/\|\nabla m\|_*&\text{until it is fooled first,}\\
   r(1+\gamma_k)&\text{while it is not fooled,}\\
   \min\bigl(r(1-\gamma_k),\ \|\delta^*\|\bigr)&\text{while it is,}\end{cases}\qquad
   \delta\leftarrow\Pi_r\Bigl(\delta-\alpha_k\frac{\nabla m}{\|\nabla m\|_2}\Bigr),

where :math:`\delta^*` is the smallest perturbation that has fooled. Lengths :math:`\alpha_k` and
rates :math:`\gamma_k` fall along half a period of a cosine, so the search settles on the boundary.
We depart from the paper in one place: the first radius also grows by :math:`1+\gamma_k` at least,
for where the box is in the way, steps to the linearised boundary approach the true one for ever.

:source: Pintor, Roli, Brendel and Biggio (2021), "Fast minimum-norm adversarial attacks through
    adaptive norm constraints", Algorithm 1.
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
    outputs,
)
from corollary.theory.robustness.balls import (
    TINY,
    Norm,
    dual_size,
    per_row,
    project,
    size,
    steepest,
)
from corollary.theory.robustness.boundaries import check_reach, drawn_in, judged_in_ball
from corollary.theory.robustness.climbing import forward, pulled_back
from corollary.theory.robustness.scores import is_fooled, margin_slope, margins

_LAST_STEP = 0.01  # of the first
_LAST_RATE = 0.001


@dataclass(frozen=True)
class FMN:
    """The fast minimum-norm attack: a small perturbation for one gradient per step.

    A step costs one pass forward and one back; ten passes forward come on top, with which each
    perturbation is drawn in towards its input as far as it still flips.

    Args:
        eps: A row is done when a perturbation of this size at most has fooled it; infinite to
            spend all steps on smaller ones.
        steps: Gradients.
        norm: ``linf``, ``l2`` or ``l1``.
        alpha: Euclidean length of the first step; the last is a hundredth of it.
        gamma: By what share the radius changes at first.
        box: Valid inputs; None if every number is valid.

    Example:
        >>> model = torch.nn.Linear(2, 1, bias=False)
        >>> with torch.no_grad():
        ...     _ = model.weight.copy_(torch.tensor([[3.0, -4.0]]))
        >>> x, y = torch.tensor([[5.0, 0.0]]), torch.ones(1)
        >>> round(FMN(steps=30, box=None)(model, x, y).size("l2").item(), 2)  # 15 / 5
        3.0
    """

    eps: float | int = math.inf
    _: KW_ONLY
    steps: int = 100
    norm: Norm = "l2"
    alpha: float | int = 1.0
    gamma: float | int = 0.05
    box: Box = (0.0, 1.0)

    def __post_init__(self) -> None:
        check_reach(self.eps, self.norm)
        check_box(self.box)
        if self.steps < 1 or not self.alpha > 0 or not 0 < self.gamma < 1:
            raise InputError(
                "FMN needs steps >= 1, alpha > 0 and gamma between 0 and 1, got "
                f"steps={self.steps}, alpha={self.alpha}, gamma={self.gamma}"
            )

    def __call__(
        self, model: Model, x: Tensor, y: Tensor, *, rng: int | Generator = 0
    ) -> Perturbed:
        """Perturb the inputs and evaluate the model on them."""
        check_inputs(x, y, self.box)
        x = x.detach()
        with borrowed(model) as f:
            clean = clean_outputs(f, x, y)
            moved = x.clone()
            rows = (~is_fooled(clean, y)).nonzero()[:, 0]
            if len(rows) and self.eps > 0:
                found = self._search(f, x[rows], y[rows])
                moved[rows] = drawn_in(f, x[rows], y[rows], found)
            return judged_in_ball(f, x, y, moved, clean, (self.eps, self.norm, self.box))

    def inputs(self, model: Model, x: Tensor, y: Tensor, *, rng: int | Generator = 0) -> Tensor:
        """The perturbed inputs alone."""
        return self(model, x, y).x

    def _search(self, f: Model, x: Tensor, y: Tensor) -> Tensor:
        """The closest points that fool; the last ones where none did."""
        best, length = x.clone(), x.new_full((len(x),), torch.inf)
        z, radius = x.clone(), torch.zeros_like(length)
        rows = torch.arange(len(x), device=x.device)
        for k in range(self.steps + 1):
            last = k == self.steps
            leaf, out = (z, outputs(f, z)) if last else forward(f, z, y[rows])
            margin, far = margins(out.detach(), y[rows]), size(z - x[rows], self.norm)
            closer = ~(margin > 0) & (far < length[rows])
            length[rows[closer]] = far[closer]
            kept = closer | length[rows].isinf()  # a point that does not fool is better than none
            best[rows[kept]] = z[kept]
            left = (length[rows] > self.eps) | (self.eps == math.inf)
            if last or not bool(left.any()):
                break
            g = pulled_back(leaf, out, margin_slope(out.detach(), y[rows]))
            rows, z, g, radius = rows[left], z[left], g[left], radius[left]
            radius = self._radius(k, radius, margin[left], far[left], g, length[rows])
            z = self._step(k, x[rows], z, g, radius)
        return best

    def _radius(
        self, k: int, radius: Tensor, margin: Tensor, far: Tensor, g: Tensor, least: Tensor
    ) -> Tensor:
        gamma = _falling(k, self.steps, self.gamma, _LAST_RATE)
        first = far + margin / dual_size(g, self.norm).clamp_min(TINY)
        inside = torch.minimum((1 - gamma) * radius, least)
        wider = (1 + gamma) * radius
        # else, where the box is in the way, the boundary is approached for ever
        outside = torch.where(least.isinf(), torch.maximum(first, wider), wider)
        return torch.where(margin > 0, outside, inside)

    def _step(self, k: int, x: Tensor, z: Tensor, g: Tensor, radius: Tensor) -> Tensor:
        alpha = _falling(k, self.steps, self.alpha, _LAST_STEP * self.alpha)
        delta = z + alpha * steepest(g, "l2") - x
        scale = per_row(radius.clamp(TINY, torch.finfo(x.dtype).max), x)
        z = x + scale * project(delta / scale, 1.0, self.norm)
        return z if self.box is None else z.clamp_(*self.box)


def _falling(k: int, steps: int, first: float, last: float) -> float:
    """From the first value to the last along half a period of a cosine."""
    return last + (first - last) * (1 + math.cos(math.pi * k / steps)) / 2
