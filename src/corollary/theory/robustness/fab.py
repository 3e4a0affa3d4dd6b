r"""FAB: small perturbations from projections on linearised decision boundaries.

At the point :math:`x_k` the boundary between the label and the class that seems nearest is
replaced by a hyperplane :math:`\pi`. Both :math:`x_k` and the input x are projected on it, within
the box of valid inputs, and the next point lies between the two, a little past the hyperplane:

.. math:: x_{k+1}=\operatorname{clip}\bigl((1-\alpha)(x_k+\eta d_k)+\alpha(x+\eta d_x)\bigr),\qquad
   \alpha=\min\Bigl(\frac{\|d_k\|}{\|d_k\|+\|d_x\|},\ \alpha_{\max}\Bigr),

with :math:`d_k` and :math:`d_x` the two smallest steps on :math:`\pi` and :math:`\eta=1.05`. A
point that fools is kept if it is the closest so far, and the search goes back from it towards x by
a tenth of the way. Nothing has to be chosen: neither a radius nor the length of a step.

:source: Croce and Hein (2020), "Minimally distorted adversarial examples with a fast adaptive
    boundary attack", Algorithm 1.
"""

import math
from collections.abc import Iterator
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
    random_in_ball,
    size,
)
from corollary.theory.robustness.boundaries import (
    boundaries,
    boundary_towards,
    check_reach,
    drawn_in,
    judged_in_ball,
)
from corollary.theory.robustness.hyperplanes import to_hyperplane
from corollary.theory.robustness.scores import is_fooled, is_score
from corollary.theory.seeding import as_generator

_PAST = 1.05  # length of a step, of the way to the hyperplane
_MOST = 0.1  # largest weight of the input's own projection
_BACK = 0.9  # what is left of a perturbation after a step back


@dataclass(frozen=True)
class FAB:
    """The fast adaptive boundary attack: a small perturbation, not one of a given size.

    A step costs two passes forward and one back for each class, or a single one back with
    ``rivals``. After each run a perturbation is drawn in towards its input as far as it still
    flips, in nine passes forward.

    Args:
        eps: A row is done when a perturbation of this size at most has fooled it; infinite to
            spend all steps on smaller ones.
        steps: Linearisations a run.
        norm: ``linf``, ``l2`` or ``l1``.
        restarts: Runs; those after the first begin at random, half as far away as the best found.
        rivals: Run this often, each time across the boundary of another class, the likeliest
            first; 0 to look at all boundaries in each step.
        box: Valid inputs; None if every number is valid.

    Example:
        >>> model = torch.nn.Linear(2, 1, bias=False)
        >>> with torch.no_grad():
        ...     _ = model.weight.copy_(torch.tensor([[3.0, -4.0]]))
        >>> x, y = torch.tensor([[5.0, 0.0]]), torch.ones(1)
        >>> [round(FAB(norm=norm, steps=5, box=None)(model, x, y).size(norm).item(), 2)
        ...  for norm in ("linf", "l2", "l1")]  # 15 / 7, 15 / 5, 15 / 4
        [2.14, 3.0, 3.75]
    """

    eps: float | int = math.inf
    _: KW_ONLY
    steps: int = 100
    norm: Norm = "linf"
    restarts: int = 1
    rivals: int = 0
    box: Box = (0.0, 1.0)

    def __post_init__(self) -> None:
        check_reach(self.eps, self.norm)
        check_box(self.box)
        if self.steps < 1 or self.restarts < 1 or self.rivals < 0:
            raise InputError(
                "steps and restarts must be at least 1, and rivals at least 0, got "
                f"steps={self.steps}, restarts={self.restarts}, rivals={self.rivals}"
            )

    def __call__(
        self, model: Model, x: Tensor, y: Tensor, *, rng: int | Generator = 0
    ) -> Perturbed:
        """Perturb the inputs and evaluate the model on them."""
        check_inputs(x, y, self.box)
        x = x.detach()
        with borrowed(model) as f:
            clean = clean_outputs(f, x, y)
            moved = self._search(f, x, y, clean, as_generator(rng, x.device))
            return judged_in_ball(f, x, y, moved, clean, (self.eps, self.norm, self.box))

    def inputs(self, model: Model, x: Tensor, y: Tensor, *, rng: int | Generator = 0) -> Tensor:
        """The perturbed inputs alone."""
        return self(model, x, y, rng=rng).x

    def _search(self, f: Model, x: Tensor, y: Tensor, clean: Tensor, rng: Generator) -> Tensor:
        right = ~is_fooled(clean, y)
        moved, length = x.clone(), torch.where(right, torch.inf, 0.0).to(x)
        for run, rival in enumerate(self._runs(clean, y)):
            first = run < max(1, self._classes(clean))
            sought = length > self.eps if self.eps < math.inf else right
            # a random start needs to know how far away it is to be
            rows = (sought & (first | (length.clamp_max(self.eps) < math.inf))).nonzero()[:, 0]
            if len(rows) == 0 or self.eps == 0:
                break
            z = x[rows]
            if not first:
                z = z + 0.5 * self._random(z, length[rows].clamp_max(self.eps), rng)
                z = z if self.box is None else z.clamp_(*self.box)
            other = None if rival is None else rival[rows]
            points = drawn_in(f, x[rows], y[rows], self._run(f, x[rows], y[rows], other, z))
            found = size(points - x[rows], self.norm)
            closer = (found > 0) & (found < length[rows])
            moved[rows[closer]], length[rows[closer]] = points[closer], found[closer]
        return moved

    def _classes(self, clean: Tensor) -> int:
        return 0 if is_score(clean) else min(self.rivals, clean.shape[1] - 1)

    def _runs(self, clean: Tensor, y: Tensor) -> Iterator[Tensor | None]:
        """The class to pass in each run; None for any."""
        order: list[Tensor | None] = [None]
        if self._classes(clean):
            others = clean.scatter(1, y[:, None], -torch.inf)
            order = list(others.topk(self._classes(clean), dim=1).indices.T)
        for _ in range(self.restarts):
            yield from order

    def _random(self, x: Tensor, radius: Tensor, rng: Generator) -> Tensor:
        """A point of each sphere."""
        drawn = random_in_ball(x, 1.0, self.norm, rng=rng)
        return drawn * per_row(radius / size(drawn, self.norm).clamp_min(TINY), x)

    def _run(self, f: Model, x: Tensor, y: Tensor, rival: Tensor | None, z: Tensor) -> Tensor:
        """The closest points that fool; the inputs where none did."""
        best, length = x.clone(), x.new_full((len(x),), torch.inf)
        rows = torch.arange(len(x), device=x.device)
        for _ in range(self.steps):
            z = self._step(f, x[rows], y[rows], None if rival is None else rival[rows], z)
            fooled = is_fooled(outputs(f, z), y[rows])
            far = size(z - x[rows], self.norm)
            closer = fooled & (far < length[rows])
            best[rows[closer]], length[rows[closer]] = z[closer], far[closer]
            z = torch.where(per_row(fooled, z), torch.lerp(x[rows], z, _BACK), z)
            if self.eps < math.inf:
                left = length[rows] > self.eps
                rows, z = rows[left], z[left]
                if len(rows) == 0:
                    break
        return best

    def _step(self, f: Model, x: Tensor, y: Tensor, rival: Tensor | None, z: Tensor) -> Tensor:
        """Between the projections of z and of x, a little past the hyperplane."""
        if rival is None:
            gap, w = _nearest(*boundaries(f, z, y), self.norm)
        else:
            gap, w = boundary_towards(f, z, y, rival)
        from_x = gap + (w * (z - x)).flatten(1).sum(dim=1)
        both = to_hyperplane(
            torch.cat([z, x]), torch.cat([w, w]), torch.cat([gap, from_x]), self.norm, self.box
        )
        lengths = size(both, self.norm)
        d, dx = both.chunk(2)
        own, other = lengths.chunk(2)
        alpha = per_row((own / (own + other).clamp_min(TINY)).clamp_max(_MOST), z)
        z = (1 - alpha) * (z + _PAST * d) + alpha * (x + _PAST * dx)
        return z if self.box is None else z.clamp_(*self.box)


def _nearest(gaps: Tensor, slopes: Tensor, norm: Norm) -> tuple[Tensor, Tensor]:
    """The gap and the slope of the nearest linearised boundary, on whichever side of it we are."""
    n, k = gaps.shape
    steepness = dual_size(slopes.flatten(0, 1), norm).view(n, k)
    distance = torch.where(steepness > 0, gaps.abs() / steepness.clamp_min(TINY), torch.inf)
    near = distance.argmin(dim=1)
    rows = torch.arange(n, device=gaps.device)
    flat = distance[rows, near].isinf()  # nowhere to go
    return gaps[rows, near].masked_fill(flat, 0.0), slopes[rows, near]
