r"""Affine pieces of a network along a segment of its input space, exactly.

Breakpoints are found layer by layer: between two neighbours every pre-activation is affine, so a
sign change puts one new breakpoint at :math:`a + t(b - a)`, :math:`t = z_a/(z_a - z_b)`, and every
value in the network is interpolated there. At the end, breakpoints at which the output does not
bend are dropped.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.1; Telgarsky (2016), "Benefits of
    depth in neural networks".
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.expressivity.piecewise import bends_at
from corollary.theory.expressivity.regions.program import Program, resized
from corollary.theory.expressivity.regions.reading import Values
from corollary.theory.prerequisites.wellformed import check_at_least, check_finite
from corollary.theory.wording import span


@dataclass(frozen=True)
class Pieces:
    """A network along ``start + s (end - start)``, s from 0 to 1, as a piecewise-linear curve."""

    s: Float[Tensor, " b"]  # ends of the pieces, from 0 to 1
    values: Float[Tensor, "b k"]  # outputs there

    def __repr__(self) -> str:
        return f"{self.count} affine pieces from start to end, outputs {span(self.values)}"

    @property
    def count(self) -> int:
        """Number of pieces."""
        return len(self.s) - 1

    @property
    def slopes(self) -> Float[Tensor, "p k"]:
        """Change of the outputs for s by one, on each piece."""
        return self.values.diff(dim=0) / self.s.diff()[:, None]


def affine_pieces(
    model: nn.Module,
    start: Shaped[Tensor, " *shape"] | float | int,
    end: Shaped[Tensor, " *shape"] | float | int,
    *,
    merge: bool = True,
    tolerance: float = 1e-12,
) -> Pieces:
    r"""The pieces of a piecewise-linear network between two inputs.

    Cost: every breakpoint passes the layers after the one it comes from; memory is that of the
    widest layer times the number of breakpoints. Ten million pieces take seconds.

    Args:
        model: As for :func:`corollary.theory.expressivity.regions.plane.linear_regions`.
        start: First input; a number for a network of one number.
        end: Last input.
        merge: Drop breakpoints at which no output bends. Without it the pieces are those of the
            activation pattern.
        tolerance: Numbers up to this share of their layer's largest are zero.

    Example:
        >>> bump = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 1))
        >>> _ = bump[0].weight.data.fill_(1.0), bump[0].bias.data.copy_(torch.tensor([0.0, -1.0]))
        >>> _ = bump[2].weight.data.copy_(torch.tensor([[1.0, -2.0]])), bump[2].bias.data.zero_()
        >>> curve = affine_pieces(bump, -4.0, 4.0)
        >>> curve.count, (8 * curve.s - 4).tolist()
        (3, [-4.0, 0.0, 1.0, 4.0])

    :covers: affine-pieces
    """
    program = Program.read(model)
    a, b = (_input(x, name) for x, name in ((start, "start"), (end, "end")))
    if a.shape != b.shape or not bool((a != b).any()):
        raise InputError(
            f"start and end need the same shape and different values, got {tuple(a.shape)} "
            f"and {tuple(b.shape)}" + (" and equal" if a.shape == b.shape else "")
        )
    check_at_least("tolerance", tolerance, 0)
    s = torch.tensor([0.0, 1.0], dtype=torch.float64)
    values, step = _begin(program, torch.stack([a, b])), 0
    while True:
        step, z = program.advance(values, step)
        if z is None:
            break
        s, values = _divided(s, values, z, tolerance)
    out = values["output"].reshape(len(s), -1)
    check_finite("the output of the network on the line", out)
    bends = bends_at(s, out, 4 * tolerance) if merge else torch.ones(len(s), dtype=torch.bool)
    return Pieces(s[bends], out[bends])


def count_affine_pieces(
    model: nn.Module, start: float | int, end: float | int, *, tolerance: float = 1e-12
) -> int:
    r"""The number :math:`\delta_A` of affine pieces of a network :math:`\mathbb R \to \mathbb R^k`.

    Example:
        >>> count_affine_pieces(nn.Sequential(nn.Linear(1, 1), nn.Tanh()), 0.0, 1.0)
        Traceback (most recent call last):
        ...
        corollary.errors.NotApplicableError: linear regions need layers that are piecewise linear,
        but '1' is a Tanh; replace it (ReLU, LeakyReLU, Hardtanh, MaxPool, BatchNorm in eval mode
        and affine layers are known) or pass the part of the network before this
        layer

    :source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.1.
    """
    return affine_pieces(model, start, end, tolerance=tolerance).count


def sampled_pieces(
    model: nn.Module,
    start: float | int,
    end: float | int,
    *,
    points: int = 10_001,
    tolerance: float = 1e-6,
) -> int:
    """Pieces seen by equally spaced points: stretches with one slope. At most the exact count.

    A breakpoint between two grid points bends the slope twice; both bends are one breakpoint. Two
    breakpoints closer than two steps of the grid may be seen as one.
    """
    if points < 3:
        raise InputError(f"points must be at least 3, got {points}")
    x = torch.linspace(start, end, points, dtype=torch.float64)
    out = Program.read(model).output(x[:, None])
    slope = out.diff(dim=0)
    scale = tolerance * float(slope.abs().max())
    steady = ((slope[1:] - slope[:-1]).abs() <= scale).all(dim=1)  # one piece on two intervals
    fresh = torch.cat([torch.tensor([False]), ~steady[:-1]])
    runs = int((steady & fresh).sum()) + int(steady[0])
    return max(runs, 1)


def _input(x: Tensor | float, name: str) -> Tensor:
    x = torch.as_tensor(x, dtype=torch.float64).detach().cpu()
    if not bool(x.isfinite().all()):
        raise InputError(f"{name} must be finite")
    return x.reshape(1) if x.ndim == 0 else x


def _begin(program: Program, ends: Tensor) -> Values:
    try:
        program.output(ends)
    except (RuntimeError, ValueError, IndexError) as error:
        raise InputError(
            f"the network does not take inputs of shape {tuple(ends.shape[1:])} ({error}); pass "
            "start and end with the shape of one input"
        ) from error
    return program.start(ends)


def _divided(s: Tensor, values: Values, z: Tensor, tolerance: float) -> tuple[Tensor, Values]:
    """Breakpoints with those of this layer put in between, and all values there."""
    slack = tolerance * float(z.abs().max()) if z.numel() else 0.0
    above, below = z > slack, z < -slack
    crossed = (above[:-1] & below[1:]) | (below[:-1] & above[1:])
    place, unit = crossed.nonzero(as_tuple=True)
    if len(place) == 0:
        return s, values
    za, zb = z[place, unit], z[place + 1, unit]
    t = za / (za - zb)
    if bool((place[1:] == place[:-1]).any()):
        order = torch.argsort(t, stable=True)
        order = order[torch.argsort(place[order], stable=True)]
        place, t, rise = place[order], t[order], (zb - za).abs()[order]
        # Two units that vanish at one point make one breakpoint.
        fresh = (place[1:] != place[:-1]) | (t.diff() * rise[1:] > slack)
        kept = torch.cat([torch.ones(1, dtype=torch.bool), fresh])
        place, t = place[kept], t[kept]
    old = torch.arange(len(s)) + torch.bincount(place + 1, minlength=len(s)).cumsum(0)
    new = torch.ones(len(s) + len(place), dtype=torch.bool)
    new[old] = False
    new = new.nonzero()[:, 0]
    put = partial(_spread, old=old, new=new, place=place, t=t)
    return put(s), {name: put(v) for name, v in values.items()}


def _spread(v: Any, old: Tensor, new: Tensor, place: Tensor, t: Tensor) -> Any:
    """A value with its interpolations between ``place`` and the next put in at ``new``."""
    if not isinstance(v, Tensor):
        return resized(v, len(old), len(old) + len(new))
    out = v.new_empty(len(old) + len(new), *v.shape[1:])
    w = t.reshape(-1, *[1] * (v.ndim - 1))
    out[old] = v
    out[new] = v[place] + w * (v[place + 1] - v[place])
    return out
