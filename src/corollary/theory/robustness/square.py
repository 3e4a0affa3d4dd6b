r"""The square attack: random search over squares at the corners of the :math:`\ell_\infty` ball.

From vertical stripes of :math:`\pm\epsilon`, each step draws for every image a square and a sign
for each channel, and keeps the change where it lowers the margin. The squares shrink as the budget
is spent. Inputs without the shape of an image change in random coordinates instead.

:source: Andriushchenko, Croce, Flammarion and Hein (2020), "Square attack: a query-efficient
    black-box adversarial attack via random search", Algorithms 1 and 2.
"""

import torch
from torch import Generator, Tensor

from corollary.theory.robustness.attack import Model, outputs
from corollary.theory.robustness.climbing import Ball
from corollary.theory.robustness.scores import margins

_FIRST_SHARE = 0.8  # of the pixels in the first square; the paper's choice for l_inf
_HALVINGS = (10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000)  # in steps out of 10,000


def square_search(
    f: Model, ball: Ball, y: Tensor, queries: int, *, rng: Generator
) -> tuple[Tensor, int]:
    """The points found and the queries spent; one was spent before, on the inputs themselves."""
    n, shape = len(y), ball.low.shape[1:]
    images = _as_images(ball.low)
    low, high = images, _as_images(ball.high)
    c, rows, columns = low.shape[1:]
    signs = _signs(n, (c, 1, columns), rng)
    best = torch.where(signs, high, low)  # stripes
    margin = margins(outputs(f, best.reshape(n, *shape)), y)
    left, labels, spent = torch.arange(n, device=y.device), y, 2
    found = best.clone()
    while spent < queries:
        alive = margin > 0
        if not bool(alive.all()):
            found[left] = best
            left, best, margin = left[alive], best[alive], margin[alive]
            low, high, labels = low[alive], high[alive], labels[alive]
            if len(left) == 0:
                break
        share = _share(spent, queries)
        mask = _squares(len(left), rows, columns, share, rng)
        signs = _signs(len(left), (c, 1, 1) if rows > 1 else (c, 1, columns), rng)
        trial = torch.where(mask, torch.where(signs, high, low), best)
        now = margins(outputs(f, trial.reshape(-1, *shape)), labels)
        better = now < margin
        best = torch.where(better[:, None, None, None], trial, best)
        margin, spent = torch.minimum(now, margin), spent + 1
    found[left] = best
    return found.reshape(n, *shape), spent


def _as_images(x: Tensor) -> Tensor:
    """(n, channels, rows, columns); a vector is one row."""
    if x.dim() == 4:
        return x
    return x[:, None] if x.dim() == 3 else x.flatten(1)[:, None, None]


def _share(spent: int, queries: int) -> float:
    done = 10_000 * spent / queries
    return _FIRST_SHARE / 2 ** sum(done > k for k in _HALVINGS)


def _squares(n: int, rows: int, columns: int, share: float, rng: Generator) -> Tensor:
    """One square an image (or, for vectors, a random set of coordinates) as a mask."""
    if rows == 1:
        mask = torch.rand(n, columns, generator=rng, device=rng.device) < share
        some = torch.randint(columns, (n, 1), generator=rng, device=rng.device)
        return mask.scatter_(1, some, True)[:, None, None]
    side = max(1, min(round((share * rows * columns) ** 0.5), rows, columns))
    inside = []
    for length in (rows, columns):
        first = torch.randint(length - side + 1, (n, 1), generator=rng, device=rng.device)
        place = torch.arange(length, device=rng.device)
        inside.append((place >= first) & (place < first + side))
    return inside[0][:, None, :, None] & inside[1][:, None, None, :]


def _signs(n: int, shape: tuple[int, ...], rng: Generator) -> Tensor:
    return torch.rand(n, *shape, generator=rng, device=rng.device) < 0.5
