r"""Attacks that only ask for outputs: finite differences, random directions, random squares.

.. math:: \partial_i\ell\approx\frac{\ell(x+he_i)-\ell(x-he_i)}{2h},\qquad
   \nabla\ell\approx\frac1q\sum_{j=1}^q\frac{\ell(x+hu_j)-\ell(x-hu_j)}{2h}\,u_j,\quad
   u_j\sim\mathcal N(0,I).

The first is exact up to :math:`O(h^2)` and takes 2d queries; the second takes 2q and has the
relative squared error :math:`(d+1)/q` on a linear loss. With few queries random search over squares
(:mod:`corollary.theory.robustness.square`) is far stronger than either, and is the default.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.1; Ilyas, Engstrom, Athalye and Lin
    (2018), "Black-box adversarial attacks with limited queries and information"; Andriushchenko,
    Croce, Flammarion and Hein (2020), "Square attack".
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Literal

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
from corollary.theory.robustness.balls import Norm, check_ball, steepest
from corollary.theory.robustness.climbing import Ball
from corollary.theory.robustness.scores import is_fooled, margins
from corollary.theory.robustness.square import square_search
from corollary.theory.seeding import as_generator

Method = Literal["square", "nes", "coordinates"]
Value = Callable[[Tensor], Tensor]  # a loss of each row
ROWS = 8192  # inputs of one call of the model, to bound memory


def difference_gradient(
    value: Value, x: Float[Tensor, "n *s"], h: float | int = 1e-4, *, central: bool = True
) -> Float[Tensor, "n *s"]:
    """The gradient of ``value`` at each row from 2d of its values (d + 1 if not ``central``).

    Example:
        >>> x = torch.tensor([[3.0, 4.0]], dtype=torch.float64)
        >>> difference_gradient(lambda x: (x**2).sum(1), x, 0.5).tolist()  # exact for squares
        [[6.0, 8.0]]

    :covers: black-box-finite-difference-attack
    """
    _check_step(h)
    flat = x.flatten(1)
    d = flat.shape[1]
    steps = h * torch.eye(d, dtype=x.dtype, device=x.device)
    ahead = _shifted(value, x, steps)
    if not central:
        return ((ahead - value(x)[:, None]) / h).view_as(x)
    return ((ahead - _shifted(value, x, -steps)) / (2 * h)).view_as(x)


def random_direction_gradient(
    value: Value, x: Float[Tensor, "n *s"], q: int, h: float | int = 1e-4, *, rng: Generator
) -> Float[Tensor, "n *s"]:
    """An unbiased estimate (for small h) from q pairs of values along normal directions.

    Example:
        >>> x = torch.zeros(1, 2, dtype=torch.float64)
        >>> rng = torch.Generator().manual_seed(0)
        >>> g = random_direction_gradient(lambda x: x[:, 0], x, 10_000, rng=rng)
        >>> bool((g - torch.tensor([[1.0, 0.0]])).norm() < 0.05)
        True

    :covers: black-box-finite-difference-attack
    """
    _check_step(h)
    if q < 1:
        raise InputError(f"at least one direction is needed, got q = {q}")
    d = x[0].numel()
    u = torch.randn(q, d, generator=rng, device=rng.device, dtype=x.dtype)
    slopes = (_shifted(value, x, h * u) - _shifted(value, x, -h * u)) / (2 * h)  # (n, q)
    return (slopes @ u / q).view_as(x)


@dataclass(frozen=True)
class BlackBoxAttack:
    """An attack on a model of which nothing but its outputs can be had.

    Args:
        eps: Largest size of a perturbation.
        queries: Outputs asked for each row, at most; the one at the input itself is counted.
        method: ``square`` (random search; not for ``l1``), ``nes`` (random directions) or
            ``coordinates`` (2d queries per step).
        norm: ``linf``, ``l2`` or ``l1``.
        alpha: Length of a step of the last two methods; eps / 5 if absent.
        directions: Pairs of queries of one step of ``nes``.
        h: Length of the differences.
        box: Valid inputs; None if every number is valid.

    Example:
        >>> model = torch.nn.Linear(2, 1, bias=False)
        >>> with torch.no_grad():
        ...     _ = model.weight.copy_(torch.tensor([[1.0, -2.0]]))
        >>> attack = BlackBoxAttack(0.5, queries=30, method="coordinates", box=None)
        >>> found = attack(model, torch.tensor([[1.0, 0.0]]), torch.ones(1))
        >>> found.fooled.item(), found.queries
        (True, 21)

    :covers: black-box-finite-difference-attack
    """

    eps: float | int
    _: KW_ONLY
    queries: int = 1000
    method: Method = "square"
    norm: Norm = "linf"
    alpha: float | int | None = None
    directions: int = 10
    h: float | int = 1e-3
    box: Box = (0.0, 1.0)

    def __post_init__(self) -> None:
        check_ball(self.eps, self.norm)
        check_box(self.box)
        _check_step(self.h)
        if self.method not in ("square", "nes", "coordinates"):
            raise InputError(
                f"expected method to be square, nes or coordinates, got '{self.method}'"
            )
        if self.queries < 2 or self.directions < 1:
            raise InputError("queries must be at least 2, and directions at least 1")
        if self.method == "square" and self.norm == "l1":
            raise InputError(
                "method='square' is for norm='linf' or 'l2'; for 'l1' use method='nes'"
            )

    def __call__(
        self, model: Model, x: Tensor, y: Tensor, *, rng: int | Generator = 0
    ) -> Perturbed:
        """Perturb within the budget of queries, and judge (the last pass is not a query)."""
        check_inputs(x, y, self.box)
        with borrowed(model) as f, torch.no_grad():
            clean = clean_outputs(f, x, y)
            moved, asked = self._search(f, x, y, clean, as_generator(rng, x.device))
            found = judged(f, x, y, moved, clean)
        return Perturbed(**{**vars(found), "queries": asked})

    def inputs(self, model: Model, x: Tensor, y: Tensor, *, rng: int | Generator = 0) -> Tensor:
        """The perturbed inputs alone."""
        return self(model, x, y, rng=rng).x

    def _search(
        self, f: Model, x: Tensor, y: Tensor, clean: Tensor, rng: Generator
    ) -> tuple[Tensor, int]:
        rows = (~is_fooled(clean, y)).nonzero()[:, 0]
        moved, asked = x.clone(), 1
        if len(rows) == 0 or self.eps == 0:
            return moved, asked
        if self.method == "square":
            ball = Ball(x[rows], self.eps, self.norm, self.box)
            moved[rows], asked = square_search(f, ball, y[rows], self.queries, rng=rng)
            return moved, asked
        return self._ascend(f, x, y, moved, rows, rng)

    def _ascend(
        self, f: Model, x: Tensor, y: Tensor, moved: Tensor, rows: Tensor, rng: Generator
    ) -> tuple[Tensor, int]:
        """Steps along estimated gradients; each is followed by one query that tells who fell."""
        pairs = x[0].numel() if self.method == "coordinates" else self.directions
        alpha = self.eps / 5 if self.alpha is None else self.alpha
        ball, asked = Ball(x[rows], self.eps, self.norm, self.box), 1
        while asked + 2 * pairs + 1 <= self.queries and len(rows):
            z, labels = moved[rows], y[rows]
            g = self._estimate(f, z, labels, rng)
            z = ball.nearest(z + alpha * steepest(g, self.norm))
            asked += 2 * pairs + 1
            moved[rows] = z
            alive = ~is_fooled(outputs(f, z), labels)
            rows, ball = rows[alive], ball.rows(alive.nonzero()[:, 0])
        return moved, asked

    def _estimate(self, f: Model, z: Tensor, y: Tensor, rng: Generator) -> Tensor:
        def value(points: Tensor) -> Tensor:
            return -margins(outputs(f, points), y.repeat_interleave(len(points) // len(y)))

        if self.method == "coordinates":
            return difference_gradient(value, z, self.h)
        return random_direction_gradient(value, z, self.directions, self.h, rng=rng)


def _shifted(value: Value, x: Tensor, steps: Float[Tensor, "q d"]) -> Float[Tensor, "n q"]:
    """The values at every row moved by every step; memory is bounded by blocks of rows."""
    n, d = len(x), x[0].numel()
    block = max(1, ROWS // n)
    parts = []
    for some in steps.split(block):
        points = (x.reshape(n, 1, d) + some).reshape(n * len(some), *x.shape[1:])
        parts.append(value(points).view(n, len(some)))
    return torch.cat(parts, dim=1)


def _check_step(h: float | int) -> None:
    if not h > 0:
        raise InputError(f"h, the length of the differences, must be positive, got {h}")
