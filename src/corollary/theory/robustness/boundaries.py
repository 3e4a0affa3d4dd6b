"""Decision boundaries: linearised at a point, and met on the way back to the input."""

import math

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from corollary.theory.robustness.attack import Box, Model, Perturbed, judged, outputs
from corollary.theory.robustness.balls import Norm, check_ball, per_row, size
from corollary.theory.robustness.climbing import Ball, check_graph, forward, pulled_back
from corollary.theory.robustness.scores import is_fooled, is_score


def boundaries(
    f: Model, x: Float[Tensor, "n *s"], y: Shaped[Tensor, " n"]
) -> tuple[Float[Tensor, "n k"], Float[Tensor, "n k *s"]]:
    """For each row and other class: how far it is behind, and the gradient of (it - label).

    One forward pass, and one backward pass per class; memory for k gradients per row. The label
    itself is infinitely far behind.

    Example:
        >>> x, y = torch.tensor([[3.0, 1.0]]), torch.tensor([0])
        >>> gaps, slopes = boundaries(lambda z: 2 * z, x, y)
        >>> gaps.tolist(), slopes[0, 1].tolist()
        ([[inf, 4.0]], [-2.0, 2.0])
    """
    z, out = forward(f, x, y)
    if is_score(out):
        g = pulled_back(z, out, -y.view_as(out).to(out.dtype))
        return (y * out.detach().reshape(-1))[:, None], g[:, None]
    check_graph(out)
    n, k = out.shape
    eye = torch.eye(k, dtype=out.dtype, device=out.device)
    every = eye[:, None].expand(k, n, k)
    (jacobian,) = torch.autograd.grad(out, z, every, is_grads_batched=True)
    jacobian = jacobian.movedim(0, 1)  # (n, k, ...)
    own = torch.arange(n, device=x.device)
    slopes = jacobian - jacobian[own, y][:, None]
    gaps = out.detach()[own, y][:, None] - out.detach()
    return gaps.scatter(1, y[:, None], torch.inf), slopes


def boundary_towards(
    f: Model, x: Float[Tensor, "n *s"], y: Shaped[Tensor, " n"], rival: Shaped[Tensor, " n"]
) -> tuple[Float[Tensor, " n"], Float[Tensor, "n *s"]]:
    """The same for one other class per row, in one pass forward and one back.

    Example:
        >>> x, y, rival = torch.tensor([[3.0, 1.0]]), torch.tensor([0]), torch.tensor([1])
        >>> gap, slope = boundary_towards(lambda z: 2 * z, x, y, rival)
        >>> gap.tolist(), slope.tolist()
        ([4.0], [[-2.0, 2.0]])
    """
    z, out = forward(f, x, y)
    label, other = y[:, None], rival[:, None]
    direction = torch.zeros_like(out).scatter_(1, other, 1.0).scatter_(1, label, -1.0)
    gap = out.detach().gather(1, label) - out.detach().gather(1, other)
    return gap[:, 0], pulled_back(z, out, direction)


def drawn_in(
    f: Model, x: Float[Tensor, "n *s"], y: Shaped[Tensor, " n"], moved: Float[Tensor, "n *s"]
) -> Float[Tensor, "n *s"]:
    """The nearest point to x on each segment that still flips, by bisection over the last half.

    Nine passes forward.

    Example:
        >>> x, y = torch.tensor([[1.0, 0.0]]), torch.ones(1)
        >>> drawn_in(lambda z: z[:, 0] + 0.5, x, y, torch.tensor([[-1.0, 0.0]])).tolist()
        [[-0.5, 0.0]]
    """
    low = x.new_full((len(x),), 0.5)
    high = torch.ones_like(low)
    for _ in range(9):
        middle = (low + high) / 2
        hit = is_fooled(outputs(f, torch.lerp(x, moved, per_row(middle, x))), y)
        low, high = torch.where(hit, low, middle), torch.where(hit, middle, high)
    return torch.where(per_row(high < 1, x), torch.lerp(x, moved, per_row(high, x)), moved)


def judged_in_ball(
    f: Model, x: Tensor, y: Tensor, moved: Tensor, clean: Tensor, ball: tuple[float, Norm, Box]
) -> Perturbed:
    """Put what a search for small perturbations found into the ball, if it is not, and judge it."""
    eps, norm, box = ball
    far = (size(moved - x, norm) > eps).nonzero()[:, 0]
    if len(far):
        moved = moved.index_copy(0, far, Ball(x[far], eps, norm, box).nearest(moved[far]))
    return judged(f, x, y, moved, clean)


def check_reach(eps: float | int, norm: str) -> None:
    """A ball, or any size at all: ``eps`` may be infinite.

    Example:
        >>> check_reach(float("inf"), "l2")
    """
    check_ball(0.0 if eps == math.inf else eps, norm)
