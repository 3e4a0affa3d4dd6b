r"""How far the decision boundary is: to first order, exactly for linear models, by DeepFool.

For :math:`f(x)=\langle w,x\rangle+b` the nearest sign change is at distance :math:`|f(x)|/\|w\|_*`
in the norm whose dual is :math:`\|\cdot\|_*`, and the step :math:`x-\eta f(x)\nabla f(x)` has
the value :math:`f(x)(1-\eta\|\nabla f\|^2)`. Where f is curved the same holds up to
:math:`\frac H2\|\Delta\|^2`, H bounding the Hessian, and DeepFool repeats the step.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3, Equation 12.9;
    Moosavi-Dezfooli, Fawzi and Frossard (2016), "DeepFool: a simple and accurate method to fool
    deep neural networks".
"""

from dataclasses import KW_ONLY, dataclass

import torch
from jaxtyping import Float
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
    judged,
    outputs,
)
from corollary.theory.robustness.balls import Norm, check_ball, dual_size, per_row, steepest
from corollary.theory.robustness.boundaries import boundaries, drawn_in
from corollary.theory.robustness.scores import is_fooled


def flip_distance(
    model: Model, x: Float[Tensor, "n *s"], y: Tensor, norm: Norm = "l2"
) -> Float[Tensor, " n"]:
    """First-order distance to the nearest change of decision; 0 where it is wrong already.

    Exact for linear models.

    Example:
        >>> model = torch.nn.Linear(2, 1, bias=False)
        >>> with torch.no_grad():
        ...     _ = model.weight.copy_(torch.tensor([[3.0, -4.0]]))
        >>> x, y = torch.tensor([[5.0, 0.0]]), torch.ones(1)
        >>> [flip_distance(model, x, y, norm).item() for norm in ("l2", "linf", "l1")]
        [3.0, 2.142857074737549, 3.75]

    :covers: linear-flip-distance
    """
    check_ball(0.0, norm)
    check_inputs(x, y, None)
    with borrowed(model) as f:
        gaps, slopes = boundaries(f, x, y)
    return _nearest(gaps, slopes, norm)[0]


def linear_flip(
    x: Float[Tensor, " d"], f: float | int, g: Float[Tensor, " d"]
) -> Float[Tensor, " d"]:
    r"""The point x - 2 f g / ||g||^2, at which a linear function has the value -f.

    Example:
        >>> linear_flip(torch.tensor([1.0, 0.0]), 3.0, torch.tensor([3.0, 0.0])).tolist()
        [-1.0, 0.0]

    :covers: linear-flip-distance
    """
    square = float(g @ g)
    if square == 0:
        raise InputError("the gradient is zero, so to first order no step changes the sign")
    return x - (2 * f / square) * g


@dataclass(frozen=True)
class DeepFool:
    """The nearest flip, found by repeated linearisation; a small perturbation, not a given size.

    The perturbations add up, and the overshoot is on their sum, as in the paper; in the end each is
    pulled back towards its input as far as it still flips.

    Args:
        norm: ``l2`` or ``linf``.
        steps: Linearisations, at most.
        overshoot: Share by which the boundary is passed.
        box: Valid inputs; None if every number is valid.

    Example:
        >>> model = torch.nn.Linear(2, 1, bias=False)
        >>> with torch.no_grad():
        ...     _ = model.weight.copy_(torch.tensor([[3.0, -4.0]]))
        >>> found = DeepFool(box=None)(model, torch.tensor([[5.0, 0.0]]), torch.ones(1))
        >>> round(found.size("l2").item(), 2)
        3.0

    :covers: linear-flip-distance
    """

    norm: Norm = "l2"
    _: KW_ONLY
    steps: int = 50
    overshoot: float | int = 0.02
    box: Box = (0.0, 1.0)
    eps: float | int = float("inf")  # no bound; here so that all attacks have one

    def __post_init__(self) -> None:
        check_ball(0.0, self.norm)
        check_box(self.box)
        if self.steps < 1 or not self.overshoot >= 0:
            raise InputError("DeepFool needs steps >= 1 and overshoot >= 0")

    def __call__(
        self, model: Model, x: Tensor, y: Tensor, *, rng: int | Generator = 0
    ) -> Perturbed:
        """Perturb the inputs and evaluate the model on them."""
        check_inputs(x, y, self.box)
        with borrowed(model) as f:
            clean = clean_outputs(f, x, y)
            moved = self._search(f, x.detach(), y, clean)
            return judged(f, x, y, drawn_in(f, x.detach(), y, moved), clean)

    def inputs(self, model: Model, x: Tensor, y: Tensor, *, rng: int | Generator = 0) -> Tensor:
        """The perturbed inputs alone."""
        return self(model, x, y).x

    def _search(self, f: Model, x: Tensor, y: Tensor, clean: Tensor) -> Tensor:
        rows = (~is_fooled(clean, y)).nonzero()[:, 0]
        moved, total, ahead = x.clone(), torch.zeros_like(x), None
        for _ in range(self.steps):
            if len(rows) == 0:
                break
            gaps, slopes = boundaries(f, moved[rows], y[rows])
            slopes = self._free(moved[rows], slopes)
            distance, slope = _nearest(gaps, slopes, self.norm)
            # a little more than the distance, else a tie is approached for ever
            ahead = 1e-3 * distance.median() if ahead is None else ahead
            total[rows] += per_row(distance + ahead, slope) * steepest(slope, self.norm)
            z = x[rows] + (1 + self.overshoot) * total[rows]
            moved[rows] = z = z if self.box is None else z.clamp(*self.box)
            rows = rows[~is_fooled(outputs(f, z), y[rows])]
        return moved

    def _free(self, z: Tensor, slopes: Tensor) -> Tensor:
        """Slopes without the coordinates that the box holds, unless it holds them all."""
        if self.box is None:
            return slopes
        z = z[:, None]
        held = ((z <= self.box[0]) & (slopes < 0)) | ((z >= self.box[1]) & (slopes > 0))
        free = slopes.masked_fill(held, 0.0)
        stuck = (free == 0).flatten(2).all(dim=2)
        return torch.where(stuck.view(*stuck.shape, *(1,) * (z.dim() - 2)), slopes, free)


def _nearest(gaps: Tensor, slopes: Tensor, norm: Norm) -> tuple[Tensor, Tensor]:
    """Distance to the nearest of the linearised boundaries, and the slope towards it."""
    n, k = gaps.shape
    steepness = dual_size(slopes.flatten(0, 1), norm).view(n, k)
    wrong = (gaps <= 0).any(dim=1)
    flat = (steepness == 0).all(dim=1) & ~wrong
    if bool(flat.any()):
        raise InputError(
            f"the gradient is zero at row {int(flat.nonzero()[0])}: to first order no step "
            "changes its class; use BlackBoxAttack, or look for saturated units"
        )
    distance = torch.where(steepness > 0, gaps / steepness, torch.inf)
    near = distance.argmin(dim=1)
    rows = torch.arange(n, device=gaps.device)
    best = distance[rows, near].clamp_min(0.0)
    return torch.where(wrong, torch.zeros_like(best), best), slopes[rows, near]
