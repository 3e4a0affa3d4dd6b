r"""What the square attack tries in an :math:`\ell_2` ball: bumps that carry its size about.

The size of a perturbation is spent where it does most: a trial takes what lies in one square of the
image away, and adds it, with what is left of the radius, to another square as a bump

.. math:: \eta_{rs}=\sum_{k=0}^{m-\max(|r-m|,|s-m'|)}\frac1{(m+1-k)^2},

high in the middle and falling like an inverse square, of which one half is turned negative. The
first perturbation is a grid of 5 by 5 such bumps with random signs.

:source: Andriushchenko, Croce, Flammarion and Hein (2020), "Square attack: a query-efficient
    black-box adversarial attack via random search", Algorithm 3 and Equation 2.
"""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from corollary.theory.robustness.balls import TINY
from corollary.theory.robustness.climbing import Ball

_GRID = 5  # bumps a side of the first perturbation
_LEAST = 3  # side of the smallest bump


class Bumps:
    """Trials in the ball around some images; vectors change in random sets of entries.

    Example:
        >>> ball = Ball(torch.zeros(2, 3, 10, 10), 0.5, "l2", None)
        >>> bumps = Bumps(ball, torch.Generator().manual_seed(0))
        >>> first = bumps.first()
        >>> trial = bumps.trial(first, 0.1)
        >>> [[round(v, 4) for v in z.flatten(1).norm(dim=1).tolist()] for z in (first, trial)]
        [[0.5, 0.5], [0.5, 0.5]]
    """

    def __init__(self, ball: Ball, rng: Generator) -> None:
        self.x, self.eps, self.box, self.rng = as_images(ball.x), ball.eps, ball.box, rng

    def rows(self, which: Tensor) -> "Bumps":
        """The same for some of the images."""
        part = object.__new__(Bumps)
        part.x, part.eps, part.box, part.rng = self.x[which], self.eps, self.box, self.rng
        return part

    def first(self) -> Float[Tensor, "n c r s"]:
        """A grid of bumps with random signs."""
        n, c, rows, columns = self.x.shape
        if rows == 1:
            return self._within(self._draw_signs(c, rows, columns))
        delta = torch.zeros_like(self.x)
        side = max(1, min(rows, columns) // _GRID)
        bump = halved_bump(side, like=self.x)
        down, across = (min(_GRID, length // side) for length in (rows, columns))
        signs = self._draw_signs(c, down, across)
        tiles = signs[..., :, None, :, None] * bump[:, None, :]
        top, left = (rows - down * side) // 2, (columns - across * side) // 2
        part = tiles.reshape(n, c, down * side, across * side)
        delta[:, :, top : top + down * side, left : left + across * side] = part
        return self._within(delta)

    def trial(self, best: Tensor, share: float) -> Float[Tensor, "n c r s"]:
        """What lies in one square goes to another, with what is left of the radius."""
        delta = best - self.x
        c, rows, columns = delta.shape[1:]
        if rows == 1:
            here, there = (self._some(columns, share) for _ in range(2))
            bump = self._draw_signs(c, 1, columns) * here
            bump = bump / _size(bump).clamp_min(TINY)
        else:
            side = round((share * rows * columns) ** 0.5)
            side = min(max(side, _LEAST) | 1, rows, columns)
            here, bump = self._bump(side)
            there, _ = self._square(side)
            bump = bump * self._draw_signs(c, 1, 1)
        old = delta * here
        new = bump + old / _size(old).clamp_min(TINY)
        left = (self.eps**2 - _square_of(delta).sum(dim=1, keepdim=True)).clamp_min(0.0)
        free = (_square_of(delta * (here | there)) + left / c).sqrt()
        new = new * (free / _size(new).clamp_min(TINY))
        return self._within(torch.where(here, new, torch.where(there, 0.0, delta)))

    def _within(self, delta: Tensor) -> Tensor:
        """The images moved by this much, stretched to the radius, and put into the box."""
        length: Tensor = delta.flatten(1).norm(dim=1).clamp_min(TINY)
        z = self.x + delta * (self.eps / length)[:, None, None, None]
        return z if self.box is None else z.clamp_(*self.box)

    def _square(self, side: int) -> tuple[Bool[Tensor, "n 1 r s"], list[Tensor]]:
        """A square of each image as a mask, and the place of each line in it."""
        n, _, *lengths = self.x.shape
        places = []
        for length in lengths:
            first = torch.randint(length - side + 1, (n, 1), **self._options())
            places.append(torch.arange(length, device=self.rng.device) - first)
        inside = [(place >= 0) & (place < side) for place in places]
        return inside[0][:, None, :, None] & inside[1][:, None, None, :], places

    def _bump(self, side: int) -> tuple[Tensor, Tensor]:
        """A square of each image, and a bump in it, with its halves one above the other or not."""
        mask, (down, across) = self._square(side)
        bump = halved_bump(side, like=self.x)
        both = torch.stack([bump, bump.T])
        turned = torch.randint(2, (len(mask), 1, 1), **self._options())
        down, across = (place.clamp(0, side - 1) for place in (down, across))
        return mask, both[turned, down[:, :, None], across[:, None, :]][:, None] * mask

    def _some(self, columns: int, share: float) -> Bool[Tensor, "n 1 1 s"]:
        """A random set of entries of each vector, never empty."""
        n = len(self.x)
        mask = torch.rand(n, columns, **self._options()) < share
        some = torch.randint(columns, (n, 1), **self._options())
        return mask.scatter_(1, some, True)[:, None, None]

    def _draw_signs(self, *shape: int) -> Tensor:
        return 2 * random_signs(len(self.x), shape, self.rng).to(self.x.dtype) - 1

    def _options(self) -> dict[str, Any]:
        return {"generator": self.rng, "device": self.rng.device}


def halved_bump(side: int, *, like: Tensor) -> Float[Tensor, "side side"]:
    """Two bumps side by side, of opposite signs, with squares that sum to 1.

    Example:
        >>> bump = halved_bump(2, like=torch.zeros(1))
        >>> bump / bump[0, 0]  # 1/4 at the rim, 1 + 1/4 in the middle
        tensor([[ 1., -1.],
                [ 5., -5.]])
    """
    left = _bump_of(side, side // 2, like)
    both = torch.cat([left, -_bump_of(side, side - side // 2, like)], dim=1)
    length: Tensor = both.norm()
    return both / length


def _bump_of(rows: int, columns: int, like: Tensor) -> Tensor:
    """The sum of the formula, from the rim of a rectangle to its middle."""
    r, s = (torch.arange(length, device=like.device) for length in (rows, columns))
    m = rows // 2
    height = m - torch.maximum((r - m).abs()[:, None], (s - columns // 2).abs()[None])
    terms = 1 / (m + 1 - torch.arange(m + 1, device=like.device, dtype=like.dtype)) ** 2
    return terms.cumsum(0)[height]


def as_images(x: Float[Tensor, "n *s"]) -> Float[Tensor, "n c r s"]:
    """Channels, rows and columns; a vector is one row.

    Example:
        >>> [tuple(as_images(torch.zeros(shape)).shape) for shape in ((2, 5), (2, 4, 4))]
        [(2, 1, 1, 5), (2, 1, 4, 4)]
    """
    if x.dim() == 4:
        return x
    return x[:, None] if x.dim() == 3 else x.flatten(1)[:, None, None]


def random_signs(n: int, shape: tuple[int, ...], rng: Generator) -> Bool[Tensor, "n *s"]:
    """A fair coin for each entry.

    Example:
        >>> random_signs(2, (3, 1), torch.Generator()).shape
        torch.Size([2, 3, 1])
    """
    return torch.rand(n, *shape, generator=rng, device=rng.device) < 0.5


def _square_of(delta: Tensor) -> Tensor:
    """Sum of squares of each channel."""
    return delta.square().sum(dim=(2, 3), keepdim=True)


def _size(delta: Tensor) -> Tensor:
    return _square_of(delta).sqrt()
