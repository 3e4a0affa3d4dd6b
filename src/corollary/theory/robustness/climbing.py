"""The ascent behind gradient attacks: three ways to end it, one way to step."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.robustness.attack import Box, Model, outputs
from corollary.theory.robustness.balls import (
    TINY,
    Norm,
    per_row,
    project,
    random_in_ball,
    size,
    steepest,
)
from corollary.theory.robustness.scores import (
    check_outputs,
    is_fooled,
    loss_slope,
    losses,
    margin_slope,
    margins,
)

Keep = Literal["fooled", "best", "last"]
Objective = Literal["loss", "margin"]
Step = Literal["steepest", "gradient"]
Start = Literal["random", "zero"]
CARRIED = 0.1  # share of fooled rows from which on the survivors are copied out


class Ball:
    """The allowed points around each input: a ball, cut by the box of valid inputs."""

    def __init__(self, x: Tensor, eps: float | int, norm: Norm, box: Box) -> None:
        self.x, self.eps, self.norm, self.box = x, eps, norm, box
        if norm == "linf":  # ball and box together are a box again: one clamp per step
            self.low, self.high = x - eps, x + eps
            if box is not None:
                self.low.clamp_min_(box[0])
                self.high.clamp_max_(box[1])

    def rows(self, which: Tensor) -> "Ball":
        """The same around some of the inputs."""
        part = object.__new__(Ball)
        part.x, part.eps, part.norm, part.box = self.x, self.eps, self.norm, self.box
        if self.norm == "linf":
            part.low, part.high = self.low[which], self.high[which]
        else:
            part.x = self.x[which]
        return part

    def first(self, start: Start, rng: Generator) -> Tensor:
        """Where a search begins: at the inputs, or at random points around them.

        For a whole ball, not for its :meth:`rows`: for ``linf`` those have bounds and no inputs.
        """
        if start == "zero" or self.eps == 0:
            return self.x.clone()
        first = self.x + random_in_ball(self.x, self.eps, self.norm, rng=rng)
        return first if self.box is None else first.clamp_(*self.box)

    def nearest(self, z: Tensor) -> Tensor:
        """The points, put back into the ball and the box; ``z`` is overwritten."""
        if self.norm == "linf":
            return torch.clamp(z, self.low, self.high, out=z)
        z = self.x + project(z.sub_(self.x), self.eps, self.norm)
        # towards an input inside the box no entry grows, so the point stays in the ball
        return z if self.box is None else z.clamp_(*self.box)


@dataclass(frozen=True)
class Climb:
    """Steps of length ``alpha`` up the loss; down it ``towards`` labels that are to be reached."""

    f: Model
    alpha: float | int
    steps: int
    objective: Objective
    step: Step
    towards: bool = False
    momentum: float | int = 0.0  # what is kept of the directions before

    def last(self, ball: Ball, y: Tensor, z: Tensor) -> Tensor:
        """The end of the recursion."""
        speed = None
        for _ in range(self.steps):
            z, out = self.forward(z, y)
            speed = self._speed(speed, self.slope(z, out, y))
            z = self._moved(z, speed, ball)
        return z

    def best(self, ball: Ball, y: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
        """The point of largest objective on the way, and its value."""
        top, value, speed = z.clone(), z.new_full((len(z),), -torch.inf), None
        for k in range(self.steps + 1):
            end = k == self.steps
            z, out = (z, outputs(self.f, z)) if end else self.forward(z, y)
            now = self._value(out.detach(), y)
            better = now > value
            top = torch.where(per_row(better, z), z.detach(), top)
            value = torch.maximum(now, value)
            if not end:
                speed = self._speed(speed, self.slope(z, out, y))
                z = self._moved(z, speed, ball)
        return top, value

    def until_fooled(self, ball: Ball, y: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
        """The first point that fools (or reaches the label), or the last one; and which rows do.

        The pass that gives the gradient also tells who is fooled; later passes leave them out.
        """
        found, fooled = z.clone(), torch.zeros(len(z), dtype=torch.bool, device=z.device)
        rows = torch.arange(len(z), device=z.device)
        done, speed = fooled.clone(), None  # fooled, but still carried along
        for _ in range(self.steps):
            z, out = self.forward(z, y)
            new = self.hit(out.detach(), y) & ~done
            if bool(new.any()):
                found[rows[new]], fooled[rows[new]] = z.detach()[new], True
                done |= new
            if bool(done.all()):
                return found, fooled
            speed = self._speed(speed, self.slope(z, out, y))
            if int(done.sum()) > CARRIED * len(z):  # copying the others pays now
                alive = (~done).nonzero()[:, 0]
                z, speed, y, rows = z.detach()[alive], speed[alive], y[alive], rows[alive]
                ball, done = ball.rows(alive), done[alive]
            z = self._moved(z, speed, ball)
        left = ~done
        hit = self.hit(outputs(self.f, z), y) & left
        found[rows[left]], fooled[rows[hit]] = z[left], True
        return found, fooled

    def forward(self, z: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """The points as leaves of a graph, and the outputs there."""
        return forward(self.f, z, y)

    def hit(self, out: Tensor, y: Tensor) -> Tensor:
        """Which rows are where the search wants them: off their label, or on it if ``towards``."""
        return is_fooled(out, y) != self.towards

    def slope(self, z: Tensor, out: Tensor, y: Tensor) -> Tensor:
        """The gradient of the objective at the points, up to a factor a row for ``steepest``."""
        known = out.detach()
        if self.objective == "margin":
            slope = margin_slope(known, y)
        else:
            slope = loss_slope(known, y, scaled=self.step == "gradient")
        return pulled_back(z, out, -slope if self.towards else slope)

    def _speed(self, before: Tensor | None, g: Tensor) -> Tensor:
        """The gradient; with momentum its direction, added to a share of those before."""
        if self.momentum == 0:
            return g
        g = g / per_row(size(g, "l1").clamp_min(TINY), g)
        return g if before is None else g.add_(before, alpha=self.momentum)

    def _moved(self, z: Tensor, g: Tensor, ball: Ball) -> Tensor:
        z = z.detach()
        if self.step == "gradient":
            direction = g
        elif ball.norm == "linf":
            direction = g.sign() if self.momentum else g.sign_()
        else:
            direction = steepest(g, ball.norm)
        return ball.nearest(z.add_(direction, alpha=self.alpha))

    def _value(self, out: Tensor, y: Tensor) -> Tensor:
        value = -margins(out, y) if self.objective == "margin" else losses(out, y)
        return -value if self.towards else value


def forward(f: Model, z: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """The points as leaves of a graph, and the outputs there."""
    z = z.detach().requires_grad_(True)
    with torch.enable_grad():
        out = f(z)
    check_outputs(out, y)
    return z, out


def pulled_back(z: Tensor, out: Tensor, slope: Tensor) -> Tensor:
    """A gradient in the outputs, as one in the points.

    Example:
        >>> z = torch.ones(1, 2, requires_grad=True)
        >>> pulled_back(z, 3 * z, torch.tensor([[1.0, 0.0]])).tolist()
        [[3.0, 0.0]]
    """
    check_graph(out)
    (g,) = torch.autograd.grad(out, z, slope, allow_unused=True)
    return torch.zeros_like(z) if g is None else g


def check_graph(out: Tensor) -> None:
    """Outputs from which a gradient can be had.

    Example:
        >>> check_graph(2 * torch.ones(1, requires_grad=True))
    """
    if out.grad_fn is None:
        raise InputError(
            "no gradient reaches the inputs of the model from its outputs; use "
            "BlackBoxAttack, or remove the step that cuts the graph (detach, no_grad, a "
            "threshold)"
        )
