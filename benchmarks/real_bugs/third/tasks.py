"""Data of the third part: each task comes with samples that are held out."""

import torch
from torch import Tensor
from torch.nn import functional as F

from real_bugs.tasks import Data, digits

Split = tuple[Data, Data]
PADDING = 0


def split(x: Tensor, y: Tensor, train: int) -> Split:
    """The first samples to train on, the others held out."""
    return (x[:train], y[:train]), (x[train:], y[train:])


def numbers(images: bool = False, train: int = 1200) -> Split:
    """Handwritten digits."""
    return split(*digits(images, n=1700), train)


def products(n: int = 900, train: int = 700) -> Split:
    """Six features; the class is the sign of the product of two of them."""
    x = torch.randn(n, 6)
    return split(x, (x[:, 0] * x[:, 1] > 0).long(), train)


def standardised_prices(n: int = 900, train: int = 700) -> Split:
    """Six features and a price of mean 0 and variance about 1 that depends on four of them."""
    x = torch.randn(n, 6)
    price = 0.7 * x[:, 0] - 0.5 * x[:, 1] * x[:, 2] + 0.5 * torch.sin(2 * x[:, 3])
    return split(x, price[:, None], train)


def headlines(n: int = 900, train: int = 700, longest: int = 12, words: int = 40) -> Split:
    """Padded sequences of three to ten words; the class is the topic of most of them."""
    y = torch.randint(4, (n,))
    on_topic = y[:, None] * (words // 4) + torch.randint(words // 4, (n, longest))
    off_topic = torch.randint(words, (n, longest))
    shown = 1 + torch.where(torch.rand(n, longest) < 0.7, on_topic, off_topic)
    length = torch.randint(3, longest - 1, (n, 1))
    return split(torch.where(torch.arange(longest) < length, shown, PADDING), y, train)


def tags(n: int = 700, train: int = 500, length: int = 10, words: int = 12) -> Split:
    """Each word has one of four tags, which depends on it and on the word before it."""
    x = torch.randint(words, (n, length))
    before = F.pad(x, (1, 0))[:, :-1]
    return split(x, (x // 3 + before // 3) % 4, train)


def told_first(n: int = 900, train: int = 700, length: int = 40) -> Split:
    """Series of numbers with noise whose class stands in the first place only."""
    y = torch.randint(4, (n,))
    x = 0.5 * torch.randn(n, length, 4)
    x[:, 0] += 2 * F.one_hot(y, 4)
    return split(x, y, train)


def which_first(n: int = 900, train: int = 700, tokens: int = 12) -> Split:
    """All tokens in some order: does 0 come before 1?"""
    x = torch.rand(n, tokens).argsort(1)
    return split(x, ((x == 0).int().argmax(1) < (x == 1).int().argmax(1)).long(), train)


def coloured_blobs(ground: tuple[float, float, float], n: int = 700, size: int = 12) -> Split:
    """Pictures, channels last, of one blob on a ground; the class is the colour of the blob."""
    y = torch.randint(3, (n,))
    top, left = torch.randint(size - 4, (2, n, 1, 1))
    row, column = torch.arange(size)[:, None], torch.arange(size)
    inside = (row - top - 1.5).abs() + (column - left - 1.5).abs() < 3
    colour = 0.2 + 0.8 * F.one_hot(y, 3).float()
    picture = torch.tensor(ground).expand(n, size, size, 3)
    picture = torch.where(inside[..., None], colour[:, None, None], picture)
    return split(picture + 0.1 * torch.randn(n, size, size, 3), y, train=500)


def boxes(n: int = 900, train: int = 700, size: int = 12) -> Split:
    """Noisy pictures of one bright rectangle; its centre, width and height, from 0 to 1."""
    height, width = torch.randint(3, 8, (2, n, 1, 1))
    top, left = (torch.rand(2, n, 1, 1) * (size + 1 - torch.stack([height, width]))).long()
    row, column = torch.arange(size)[:, None], torch.arange(size)
    inside = (row >= top) & (row < top + height) & (column >= left) & (column < left + width)
    picture = inside + 0.2 * torch.randn(n, size, size)
    box = torch.cat([left + width / 2, top + height / 2, width, height], 1).flatten(1) / size
    return split(picture[:, None], box, train)


def spoken(n: int = 700, train: int = 500, frames: int = 15) -> Split:
    """Frames of three symbols of four, with pauses between; which symbols are said?"""
    y = torch.randint(4, (n, 3))
    length = frames // 3
    frame = torch.arange(length)
    start = torch.randint(1, 3, (n, 3, 1))
    said = (frame >= start) & (frame < start + 2)
    x = F.one_hot(y, 4)[:, :, None] * said[..., None].float()
    return split(x.flatten(1, 2) + 0.2 * torch.randn(n, frames, 4), y, train)
