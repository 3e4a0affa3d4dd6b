r"""Minima, maxima and saddles, also where the Hessian does not decide.

A critical point is a **saddle** if it is neither a local minimum nor a local maximum: every ball
around it holds smaller and larger values. An indefinite Hessian is sufficient, not necessary.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6, Definitions 22-24.
:covers: critical-point-taxonomy
:erratum: [wrong] Definition 24 calls a critical point a saddle only if its Hessian is indefinite.
    Theorem 46(3) is false in this reading: (w1 w2 w3 - 1)^2 / 2 has zero gradient and zero Hessian
    at 0 and is no local minimum there, as (0.1, 0.1, 0.1) has the smaller value 0.499.
"""

from functools import partial
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.optimization.critical_points import stationarity
from corollary.theory.prerequisites.gradients import Function, scalar
from corollary.theory.prerequisites.hessians import hessian

Kind = Literal["minimum", "maximum", "saddle", "flat"]


class Classified(NamedTuple):
    """What a critical point is, and how it was decided."""

    kind: Kind
    by: Literal["hessian", "sampling"]
    curvatures: Float[Tensor, " d"]  # eigenvalues of the Hessian, ascending
    lowest: float  # smallest change of f that was seen nearby; NaN if none was looked for
    highest: float


def classify(
    f: Function,
    w: Float[Tensor, " d"],
    *,
    rng: Generator,
    tol: float = 1e-6,
    radius: float = 0.1,
    samples: int = 64,
) -> Classified:
    r"""Decide by the eigenvalues of the Hessian, and by sampling nearby where they are silent.

    Points are drawn on spheres of falling radius, half of them along the kernel of the Hessian, and
    compared on the smallest sphere on which a quarter of the differences rise above rounding.
    Sampling can overlook a descent that is confined to a thin set: "minimum" by sampling is
    evidence, a saddle by sampling is proved by two points. Costs a dense Hessian and
    ``6 * samples`` values.

    Args:
        f: Twice differentiable.
        w: A critical point; refused when its gradient is longer than ``tol``.
        rng: Draws the directions.
        tol: Eigenvalues below ``tol`` times the largest (or ``tol``) count as 0.
        radius: Of the first sphere; five more follow, each smaller by a factor of about 3.
        samples: Directions.

    Example:
        >>> rng, zero = torch.Generator().manual_seed(0), torch.zeros(3, dtype=torch.float64)
        >>> classify(lambda w: (w.prod() - 1) ** 2 / 2, zero, rng=rng)[:2]
        ('saddle', 'sampling')
    """
    residual = stationarity(f, w)
    if residual > tol:
        raise InputError(
            f"only critical points are classified, but the gradient has length {residual:.3g}"
        )
    values, vectors = torch.linalg.eigh(hessian(f, w))
    zero = tol * max(1.0, float(values.abs().max()))
    low, high = float(values[0]), float(values[-1])
    if low < -zero and high > zero:
        return Classified("saddle", "hessian", values, float("nan"), float("nan"))
    if low > zero or high < -zero:
        kind: Kind = "minimum" if low > zero else "maximum"
        return Classified(kind, "hessian", values, float("nan"), float("nan"))
    least, most = _nearby(f, w, vectors[:, values.abs() <= zero], radius, samples, rng)
    below, above = least < 0 or low < -zero, most > 0 or high > zero
    names: dict[tuple[bool, bool], Kind] = {
        (True, True): "saddle",
        (False, True): "minimum",
        (True, False): "maximum",
        (False, False): "flat",
    }
    return Classified(names[below, above], "sampling", values, least, most)


def _nearby(
    f: Function, w: Tensor, kernel: Tensor, radius: float, samples: int, rng: Generator
) -> tuple[float, float]:
    """Extreme changes of f on the smallest sphere where they are more than rounding, or zeros."""
    normal = partial(torch.randn, generator=rng, device=rng.device, dtype=w.dtype)
    inside = normal(samples // 2, kernel.shape[1]) @ kernel.T
    ways = torch.cat([inside, normal(samples - samples // 2, len(w))])
    ways = ways / ways.norm(dim=1, keepdim=True)
    with torch.no_grad():
        here = float(scalar(f, w))
        rounding = 256 * torch.finfo(w.dtype).eps * max(1.0, abs(here))
        found = (0.0, 0.0)
        for i in range(6):
            sphere = w + radius * 10 ** (-i / 2) * ways
            change = torch.stack([scalar(f, p) for p in sphere]) - here
            change[change.abs() <= rounding] = 0.0
            seen = float((change != 0).double().mean())
            if seen == 0 or (i > 0 and seen < 0.25):  # what is left of the signs is chance
                break
            found = (min(float(change.min()), 0.0), max(float(change.max()), 0.0))
    return found
