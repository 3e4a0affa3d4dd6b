r"""The square attack: random search that changes a square of each image.

For the :math:`\ell_\infty` ball it goes from corner to corner: from vertical stripes of
:math:`\pm\epsilon`, each step draws for every image a square and a sign for each channel, and keeps
the change where it lowers the margin. For :math:`\ell_2` see
:mod:`corollary.theory.robustness.bumps`. The squares shrink as the budget is spent (for
:math:`\ell_2`, where small ones do little, as if it were 10,000 at least). Inputs without the shape
of an image change in random coordinates instead.

:source: Andriushchenko, Croce, Flammarion and Hein (2020), "Square attack: a query-efficient
    black-box adversarial attack via random search", Algorithms 1 and 2.
"""

from typing import Protocol

import torch
from torch import Generator, Tensor

from corollary.theory.robustness.attack import Model, outputs
from corollary.theory.robustness.bumps import Bumps, as_images, random_signs
from corollary.theory.robustness.climbing import Ball
from corollary.theory.robustness.scores import margins

_FIRST_SHARE = 0.8  # of the pixels in the first square
_HORIZON = 10_000
_HALVINGS = (10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000)  # in steps out of 10,000


class Proposals(Protocol):
    """What a random search over images of shape (n, channels, rows, columns) tries."""

    def first(self) -> Tensor:
        """Where it begins."""
        ...

    def trial(self, best: Tensor, share: float) -> Tensor:
        """A change of about this share of the pixels of each image."""
        ...

    def rows(self, which: Tensor) -> "Proposals":
        """The same for some of the images."""
        ...


def square_search(
    f: Model, ball: Ball, y: Tensor, queries: int, *, rng: Generator
) -> tuple[Tensor, int]:
    """The points found and the queries spent; one was spent before, on the inputs themselves."""
    n, shape = len(y), ball.x.shape[1:]
    propose: Proposals = (Corners if ball.norm == "linf" else Bumps)(ball, rng)
    best, horizon = propose.first(), queries if ball.norm == "linf" else max(queries, _HORIZON)
    margin = margins(outputs(f, best.reshape(n, *shape)), y)
    left, labels, spent = torch.arange(n, device=y.device), y, 2
    found = best.clone()
    while spent < queries:
        alive = margin > 0
        if not bool(alive.all()):
            found[left] = best
            left, best, margin, labels = left[alive], best[alive], margin[alive], labels[alive]
            propose = propose.rows(alive.nonzero()[:, 0])
            if len(left) == 0:
                break
        trial = propose.trial(best, _share(spent, horizon))
        now = margins(outputs(f, trial.reshape(-1, *shape)), labels)
        better = now < margin
        best = torch.where(better[:, None, None, None], trial, best)
        margin, spent = torch.minimum(now, margin), spent + 1
    found[left] = best
    return found.reshape(n, *shape), spent


class Corners:
    """Stripes first, then squares at corners of the cube.

    Example:
        >>> ball = Ball(torch.zeros(2, 1, 4, 4), 0.5, "linf", None)
        >>> first = Corners(ball, torch.Generator().manual_seed(0)).first()
        >>> first.abs().unique().tolist(), bool((first == first[:, :, :1]).all())
        ([0.5], True)
    """

    def __init__(self, ball: Ball, rng: Generator) -> None:
        self.low, self.high, self.rng = as_images(ball.low), as_images(ball.high), rng

    def first(self) -> Tensor:
        """Each column of each channel at one end."""
        n, c, _, columns = self.low.shape
        return torch.where(random_signs(n, (c, 1, columns), self.rng), self.high, self.low)

    def trial(self, best: Tensor, share: float) -> Tensor:
        """A square of each channel at one end; for vectors, random entries at random ends."""
        n, c, rows, columns = best.shape
        mask = _squares(n, rows, columns, share, self.rng)
        signs = random_signs(n, (c, 1, 1) if rows > 1 else (c, 1, columns), self.rng)
        return torch.where(mask, torch.where(signs, self.high, self.low), best)

    def rows(self, which: Tensor) -> "Corners":
        """The same for some of the images."""
        part = object.__new__(Corners)
        part.low, part.high, part.rng = self.low[which], self.high[which], self.rng
        return part


def _share(spent: int, horizon: int) -> float:
    done = _HORIZON * spent / horizon
    return _FIRST_SHARE / (1 << sum(done > k for k in _HALVINGS))


def _squares(n: int, rows: int, columns: int, share: float, rng: Generator) -> Tensor:
    """One square an image (or, for vectors, a random set of coordinates) as a mask."""
    if rows == 1:
        mask = torch.rand(n, columns, generator=rng, device=rng.device) < share
        some = torch.randint(columns, (n, 1), generator=rng, device=rng.device)
        return mask.scatter_(1, some, True)[:, None, None]
    side = max(1, min(round((share * rows * columns) ** 0.5), rows, columns))
    inside: list[Tensor] = []
    for length in (rows, columns):
        first = torch.randint(length - side + 1, (n, 1), generator=rng, device=rng.device)
        place = torch.arange(length, device=rng.device)
        inside.append((place >= first) & (place < first + side))
    return inside[0][:, None, :, None] & inside[1][:, None, None, :]
