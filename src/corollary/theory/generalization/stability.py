r"""Stability of stochastic gradient descent: coupled runs on data sets that differ in one example.

If each example's loss is convex, L-Lipschitz and :math:`\beta`-smooth *in the parameters*, T steps
of SGD with :math:`\eta_t\le2/\beta` on n examples end, on two data sets that differ in one,

.. math:: \mathbb E\|w_T-w_T'\|\le\frac{2L}n\sum_{t\le T}\eta_t,\qquad
   |\mathbb E[R_S(w_T)-R(w_T)]|\le\epsilon_s=\frac{2L^2}n\sum_{t\le T}\eta_t .

:source: Mathematical Foundations of Deep Learning (slides), Hardt's Theorem; Hardt, Recht and
    Singer (2016), "Train faster, generalize better: stability of stochastic gradient descent",
    Theorem 3.8.
:covers: hardt-stability
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn import functional as F

from corollary.errors import InputError
from corollary.theory.generalization.conditions import Number, check_nonnegative, check_sample
from corollary.theory.optimization.convexity import convexity_probe


class MarginLoss(NamedTuple):
    r"""A loss :math:`\varphi(\langle w,z\rangle)` of signed examples z = y x, with its slope."""

    name: str
    phi: Callable[[Tensor], Tensor]
    slope: Callable[[Tensor], Tensor]
    lipschitz: float  # of phi
    smooth: float  # of phi

    def constants(self, z: Float[Tensor, "*k d"]) -> tuple[float, float]:
        r"""The constants L and :math:`\beta` in the parameters, from the longest example."""
        longest = float(z.norm(dim=-1).max())
        return self.lipschitz * longest, self.smooth * longest**2


LOGISTIC = MarginLoss("logistic", lambda m: F.softplus(-m), lambda m: -torch.sigmoid(-m), 1.0, 0.25)
# Lipschitz and smooth, but bent the other way: what the theorem loses without convexity.
CONCAVE = MarginLoss(
    "concave", lambda m: -torch.log(torch.cosh(m)), lambda m: -torch.tanh(m), 1.0, 1.0
)


class CoupledRuns(NamedTuple):
    """Pairs of runs with the same indices, on data sets that differ in one example."""

    steps: tuple[int, ...]
    w: Float[Tensor, "k r d"]
    w_other: Float[Tensor, "k r d"]

    @property
    def distance(self) -> Float[Tensor, "k r"]:
        """How far apart the runs are."""
        distance: Tensor = (self.w - self.w_other).norm(dim=-1)
        return distance


def hardt_bound(L: Number, etas: Sequence[Number], n: int, beta: Number) -> float:
    r"""The stability :math:`\epsilon_s=\frac{2L^2}n\sum_t\eta_t`, a bound on the expected gap.

    Args:
        L: Lipschitz constant of each example's loss in the parameters.
        etas: Step sizes, each at most 2 / beta.
        n: Training examples.
        beta: Smoothness of each example's loss in the parameters.

    Example:
        >>> hardt_bound(1.0, [0.5] * 100, 1000, 0.25)
        0.1
    """
    return L * divergence_bound(L, etas, n, beta)


def divergence_bound(L: Number, etas: Sequence[Number], n: int, beta: Number) -> float:
    r"""The bound :math:`\frac{2L}n\sum_t\eta_t` on the expected distance of coupled runs.

    Example:
        >>> divergence_bound(2.0, [0.5] * 100, 1000, 0.25)
        0.2
    """
    check_nonnegative("L", L)
    check_nonnegative("beta", beta)
    check_sample("n", n)
    largest = max(etas, default=0.0)
    if min(etas, default=0.0) < 0 or largest * beta > 2 * (1 + 1e-12):
        limit = 2 / beta if beta else math.inf
        raise InputError(
            f"stability of SGD needs step sizes from 0 to 2/beta = {limit:g}, got step sizes "
            f"up to {largest:g}; use smaller steps"
        )
    return 2 * L * math.fsum(etas) / n


def coupled_sgd(
    loss: MarginLoss,
    z: Float[Tensor, "r n d"],
    other: Float[Tensor, "r d"],
    etas: Sequence[Number],
    *,
    start: Float[Tensor, "r d"] | None = None,
    keep: Sequence[int] | None = None,
    rng: Generator,
) -> CoupledRuns:
    """Run SGD on each data set, and on it with its first example replaced.

    Both runs of a pair see the same uniform indices, so they agree until the replaced example is
    drawn for the first time.

    Args:
        loss: The loss of signed examples.
        z: Signed examples y x of r data sets.
        other: What replaces the first example of each.
        etas: Step sizes.
        start: Where both runs of a pair start; zero without it.
        keep: Steps to record; the start and the end without it.
        rng: Where the indices come from.

    Example:
        >>> z = torch.ones(1, 1, 1).double()
        >>> runs = coupled_sgd(LOGISTIC, z, -z[:, 0], [1.0], rng=torch.Generator().manual_seed(0))
        >>> runs.w[-1].item(), runs.w_other[-1].item(), runs.distance[-1].item()
        (0.5, -0.5, 1.0)
    """
    r, n, d = z.shape
    if other.shape != (r, d):
        raise InputError(
            f"expected one replacement per data set, shape {(r, d)}, got {other.shape}"
        )
    kept = {0, len(etas)} if keep is None else set(keep)
    index = torch.randint(n, (len(etas), r), generator=rng, device=rng.device)
    w = (torch.zeros_like(other) if start is None else start).expand(2, r, d)
    steps, states = [], []
    for t in range(len(etas) + 1):
        if t > 0:
            drawn = _drawn(z, other, index[t - 1])  # 2 r d
            m = (w * drawn).sum(dim=-1, keepdim=True)
            w = w - etas[t - 1] * loss.slope(m) * drawn
        if t in kept:
            steps.append(t)
            states.append(w)
    path = torch.stack(states)
    return CoupledRuns(tuple(steps), path[:, 0], path[:, 1])


def check_convex(
    f: Callable[[Float[Tensor, " d"]], Tensor], d: int, *, radius: Number = 5.0, rng: Generator
) -> None:
    """Refuse a loss of d parameters that has a chord below it within a box.

    Example:
        >>> check_convex(lambda w: (w**2).sum(), 2, rng=torch.Generator().manual_seed(0))

    Raises:
        InputError: with the chord, if one is found; a loss that passes may still not be convex.
    """
    corner = torch.full((d,), radius, dtype=torch.float64)
    found = convexity_probe(f, -corner, corner, rng=rng)
    if found is not None:
        raise InputError(
            "the stability bound needs a loss that is convex in the parameters, but between "
            f"{_short(found.x)} and {_short(found.y)} it lies {found.excess:.3g} above its chord"
        )


def _short(x: Tensor) -> list[float]:
    return [round(v, 3) for v in x.tolist()[:4]]


def _drawn(z: Tensor, other: Tensor, i: Int[Tensor, " r"]) -> Tensor:
    mine = z[torch.arange(len(z), device=z.device), i]
    theirs = torch.where((i == 0)[:, None], other, mine)
    return torch.stack([mine, theirs])
