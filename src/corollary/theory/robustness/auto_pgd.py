r"""APGD: projected ascent with momentum that finds the length of its steps by itself.

.. math:: z_k=\Pi\bigl(x_k+\eta\,s(\nabla h(x_k))\bigr),\qquad
   x_{k+1}=\Pi\bigl(x_k+\tfrac34(z_k-x_k)+\tfrac14(x_k-x_{k-1})\bigr),

from :math:`\eta=2\epsilon`, with s the steepest direction of the ball. At checkpoints that draw
closer (22 % of the steps, then 19, 16, ... down to 6 more), a row halves its :math:`\eta` and goes
back to its best point if fewer than three in four of its steps went up, or if :math:`\eta` was kept
at the last checkpoint and the best height has not grown since.

The height h is the loss (as log-odds, which rank points as the loss does and never round to 0), the
margin, or a ratio of differences of logits that does not change when the logits are scaled.

:source: Croce and Hein (2020), "Reliable evaluation of adversarial robustness with an ensemble of
    diverse parameter-free attacks", Algorithm 1 and Equations 6 and 7.
"""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass

import torch
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.robustness.ascent import ascend
from corollary.theory.robustness.attack import (
    Box,
    Model,
    Perturbed,
    borrowed,
    check_box,
    check_inputs,
    check_target,
    clean_outputs,
    judged,
)
from corollary.theory.robustness.balls import Norm, check_ball
from corollary.theory.robustness.climbing import Ball, Start
from corollary.theory.robustness.goals import HEIGHTS, Goal, Height
from corollary.theory.robustness.scores import is_score
from corollary.theory.seeding import as_generator


@dataclass(frozen=True)
class APGD:
    """Projected gradient ascent without a length of step to choose.

    Args:
        eps: Largest size of a perturbation.
        steps: Gradients a run.
        norm: ``linf`` or ``l2``.
        restarts: Runs; those after the first go to rows that are not fooled yet.
        objective: ``loss``, ``margin``, or ``dlr``, which scaling the logits does not change.
        rivals: Run this often, each time to let another class overtake the label, the likeliest
            first (with the ratio of logits for two classes, whatever the objective); a row is done
            when any class has. 0 for the objective alone.
        start: ``random`` in the ball, or ``zero`` for the input itself (which needs no rng).
        box: Valid inputs; None if every number is valid.

    Example:
        >>> model = torch.nn.Linear(2, 2, bias=False)
        >>> with torch.no_grad():
        ...     _ = model.weight.copy_(torch.tensor([[0.0, 0.0], [1.0, -2.0]]))
        >>> x, y = torch.tensor([[1.0, 0.0], [0.5, 0.0]]), torch.tensor([1, 1])
        >>> found = APGD(0.25, steps=5, start="zero", box=None)(model, x, y)
        >>> found.delta.tolist()  # 1 - 0.75 holds out, 0.5 - 0.75 does not
        [[-0.25, 0.25], [-0.25, 0.25]]
        >>> found.fooled.tolist()
        [False, True]
    """

    eps: float | int
    _: KW_ONLY
    steps: int = 100
    norm: Norm = "linf"
    restarts: int = 1
    objective: Height = "loss"
    rivals: int = 0
    start: Start = "random"
    box: Box = (0.0, 1.0)

    def __post_init__(self) -> None:
        check_ball(self.eps, self.norm)
        check_box(self.box)
        if self.norm == "l1":
            raise InputError("APGD is for norm='linf' or 'l2'; for 'l1' use PGD")
        if self.objective not in HEIGHTS:
            raise InputError(f"objective is loss, margin or dlr, got '{self.objective}'")
        if self.steps < 1 or self.restarts < 1 or self.rivals < 0:
            raise InputError(
                "steps and restarts must be at least 1, and rivals at least 0, got "
                f"steps={self.steps}, restarts={self.restarts}, rivals={self.rivals}"
            )

    def __call__(
        self,
        model: Model,
        x: Tensor,
        y: Tensor,
        *,
        target: Tensor | None = None,
        rng: int | Generator = 0,
    ) -> Perturbed:
        """Perturb and judge; with a ``target`` for each row, until that class is ahead."""
        check_inputs(x, y, self.box)
        with borrowed(model) as f:
            clean = clean_outputs(f, x, y)
            moved = self._search(f, x, y, clean, target, as_generator(rng, x.device))
            return judged(f, x, y, moved, clean, target=target)

    def inputs(
        self,
        model: Model,
        x: Tensor,
        y: Tensor,
        *,
        target: Tensor | None = None,
        rng: int | Generator = 0,
    ) -> Tensor:
        """The perturbed inputs alone."""
        check_inputs(x, y, self.box)
        with borrowed(model) as f:
            clean = clean_outputs(f, x, y)
            return self._search(f, x, y, clean, target, as_generator(rng, x.device))

    def _search(
        self,
        f: Model,
        x: Tensor,
        y: Tensor,
        clean: Tensor,
        target: Tensor | None,
        rng: Generator,
    ) -> Tensor:
        x = x.detach()
        moved, height = x.clone(), x.new_full((len(x),), -torch.inf)
        rows: Tensor | None = None
        for goal in self._goals(clean, y, target):
            if rows is None:
                rows = (~goal.hit(clean)).nonzero()[:, 0]
            if len(rows) == 0:
                break
            ball = Ball(x[rows], self.eps, self.norm, self.box)
            points, now, hit = ascend(
                f, goal.rows(rows), ball, ball.first(self.start, rng), self.steps
            )
            better = hit | (now > height[rows])
            moved[rows[better]], height[rows[better]] = points[better], now[better]
            rows = rows[~hit]
        return moved

    def _goals(self, clean: Tensor, y: Tensor, target: Tensor | None) -> Iterator[Goal]:
        """One for each run; only the classes that should overtake differ."""
        if target is not None:
            if self.rivals:
                raise InputError(
                    "with a target there is only one class to reach, so rivals must be 0"
                )
            check_target(clean, target)
            goals = [Goal(target, self.objective, towards=True)]
        elif self.rivals and not is_score(clean):
            others = clean.scatter(1, y[:, None], -torch.inf)
            order = others.topk(min(self.rivals, clean.shape[1] - 1), dim=1).indices
            goals = [Goal(y, self.objective, rival=rival) for rival in order.T]
        else:
            goals = [Goal(y, self.objective)]
        for _ in range(self.restarts):
            yield from goals
