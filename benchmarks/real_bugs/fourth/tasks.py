"""Small data of the fourth part, each with samples that are held out."""

import torch
from torch import Tensor
from torch.nn import functional as F

from corollary.data import digits as read_digits
from real_bugs.tasks import Data, house_prices, sentences

Split = tuple[Data, Data]


def split(x: Tensor, y: Tensor, held_out: int) -> Split:
    """All but the last samples, and the last ones."""
    return (x[:-held_out], y[:-held_out]), (x[-held_out:], y[-held_out:])


def handwriting() -> Split:
    """A thousand handwritten digits, 64 pixels from 0 to 1, and 400 held out."""
    x, y = read_digits()
    return split(x[:1400].float().flatten(1) / x.max(), y[:1400].long(), 400)


def homes(n: int = 1000) -> Split:
    """Six standardised features and a standardised price that depends on them."""
    x, price = house_prices(n + 300)
    return split(x, (price - price.mean()) / price.std(), 300)


def topics(n: int = 800, length: int = 12) -> Split:
    """Sentences of word numbers from 0 to 39 and which of four topics they are about."""
    return split(*sentences(n + 300, length), 300)


def quadrants(n: int = 800) -> Split:
    """Points of the plane; the class is whether both coordinates have the same sign."""
    x = 2 * torch.rand(n + 300, 2) - 1
    return split(x, (x[:, 0] * x[:, 1] > 0).long(), 300)


def dots(n: int = 500, size: int = 12) -> tuple[Tensor, Tensor]:
    """Noisy pictures with one bright dot, and the picture of the dot alone."""
    place = torch.randint(size * size, (n,))
    dot = F.one_hot(place, size * size).float().view(n, 1, size, size)
    return dot + 0.1 * torch.randn_like(dot), dot


def codes(n: int, length: int, symbols: int) -> Tensor:
    """Random sequences of symbols."""
    return torch.randint(symbols, (n, length))


def sums(n: int, numbers: int, length: int = 10) -> Data:
    """Sequences, each number the sum of the last two modulo ``numbers``, and the next number."""
    series = [*codes(n, 2, numbers).unbind(1)]
    for _ in range(length - 1):
        series.append((series[-1] + series[-2]) % numbers)
    whole = torch.stack(series, 1)
    after = whole[:, 1:].clone()
    after[:, 0] = -100  # cannot be known
    return whole[:, :-1], after
