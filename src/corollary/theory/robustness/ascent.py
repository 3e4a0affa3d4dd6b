"""One run of APGD: momentum, lengths that are halved at checkpoints, rows that drop out when done.

See :mod:`corollary.theory.robustness.auto_pgd` for the formulas.

:source: Croce and Hein (2020), "Reliable evaluation of adversarial robustness with an ensemble of
    diverse parameter-free attacks", Algorithm 1.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from corollary.theory.robustness.attack import Model, outputs
from corollary.theory.robustness.balls import per_row, steepest
from corollary.theory.robustness.climbing import CARRIED, Ball, forward, pulled_back
from corollary.theory.robustness.goals import Goal

_NEW = 0.75  # of a step that follows the gradient; the rest is momentum
_UP = 0.75  # of the steps should raise the height


def ascend(
    f: Model, goal: Goal, ball: Ball, z: Tensor, steps: int
) -> tuple[Tensor, Tensor, Tensor]:
    """The first point that hits, else the best one; its height; and which rows hit.

    Example:
        >>> ball = Ball(torch.zeros(1, 2), 0.5, "linf", None)
        >>> goal = Goal(torch.ones(1), "margin")
        >>> point, _, hit = ascend(lambda z: 1 + z.sum(1), goal, ball, torch.zeros(1, 2), 4)
        >>> point.tolist(), hit.item()  # a tie counts as fooled
        ([[-0.5, -0.5]], True)
    """
    found, height = z.clone(), z.new_full((len(z),), -torch.inf)
    hit = torch.zeros(len(z), dtype=torch.bool, device=z.device)
    rows, checks, last = _Rows.at(z, 2 * ball.eps), checkpoints(steps), 0
    for k in range(steps + 1):
        leaf, out = (rows.z, outputs(f, rows.z)) if k == steps else forward(f, rows.z, goal.y)
        known = out.detach()
        better = rows.see(goal.height(known), first=k == 0)
        new = goal.hit(known) & ~rows.done
        if bool(new.any()):
            place = rows.index[new]
            found[place], height[place], hit[place] = rows.z[new], rows.height[new], True
            rows.done |= new
        if k == steps or bool(rows.done.all()):
            break
        rows.g = pulled_back(leaf, out, goal.slope(known))
        rows.best_g[better] = rows.g[better]
        if k in checks:
            rows.check(k - last)
            last = k
        if int(rows.done.sum()) > CARRIED * len(rows.z):  # copying the others pays now
            alive = (~rows.done).nonzero()[:, 0]
            rows, goal, ball = rows.some(alive), goal.rows(alive), ball.rows(alive)
        rows.step(ball, 1.0 if k == 0 else _NEW)
    left = ~rows.done
    found[rows.index[left]], height[rows.index[left]] = rows.best[left], rows.top[left]
    return found, height, hit


def checkpoints(steps: int) -> list[int]:
    """After how many steps lengths are looked at.

    Example:
        >>> checkpoints(100)
        [22, 41, 57, 70, 80, 87, 93, 99]
    """
    places, gap, place = [], 22, 22  # in hundredths
    while place < 100:
        places.append(-(-place * steps // 100))
        gap = max(gap - 3, 6)
        place += gap
    return sorted({k for k in places if k < steps})


@dataclass
class _Rows:
    """What a run remembers of each row that it carries along."""

    index: Tensor  # place among the rows it began with
    z: Tensor  # the point
    before: Tensor  # the one before it
    g: Tensor  # the gradient
    height: Tensor
    best: Tensor  # the best point, its gradient and its height
    best_g: Tensor
    top: Tensor
    mark: Tensor  # its height at the last checkpoint
    length: Tensor  # of a step
    halved: Tensor  # at the last checkpoint
    rises: Tensor  # steps that went up since
    done: Tensor

    @classmethod
    def at(cls, z: Tensor, length: float) -> "_Rows":
        n, low = len(z), z.new_full((len(z),), -torch.inf)
        yes = torch.ones(n, dtype=torch.bool, device=z.device)
        return cls(
            index=torch.arange(n, device=z.device),
            z=z,
            before=z.clone(),
            g=torch.zeros_like(z),
            height=low,
            best=z.clone(),
            best_g=torch.zeros_like(z),
            top=low.clone(),
            mark=low.clone(),
            length=torch.full_like(low, length),
            halved=yes,
            rises=torch.zeros_like(low),
            done=~yes,
        )

    def some(self, which: Tensor) -> "_Rows":
        return _Rows(**{name: value[which] for name, value in vars(self).items()})

    def see(self, height: Tensor, first: bool) -> Tensor:
        """Take note of the height of the points; which rows are at their best."""
        if not first:
            self.rises += height > self.height
        better = height > self.top
        self.height, self.top = height, torch.maximum(height, self.top)
        self.best[better] = self.z[better]
        return better

    def check(self, window: int) -> None:
        """Halve the lengths of rows that swing or stand still, and take them to their best."""
        stuck = (self.rises < _UP * window) | (~self.halved & (self.top <= self.mark))
        self.length = torch.where(stuck, self.length / 2, self.length)
        self.halved, self.mark, self.rises = stuck, self.top.clone(), torch.zeros_like(self.top)
        self.z[stuck], self.g[stuck] = self.best[stuck], self.best_g[stuck]
        self.height = torch.where(stuck, self.top, self.height)

    def step(self, ball: Ball, new: float) -> None:
        """Along the gradient, and a little along the last step."""
        ahead = ball.nearest(self.z + per_row(self.length, self.z) * steepest(self.g, ball.norm))
        moved = new * ahead + (2 - 2 * new) * self.z - (1 - new) * self.before
        self.before, self.z = self.z, ball.nearest(moved)
