"""Data of the second half: real pictures, reviews, plays and citations, and small made ones."""

from collections import Counter
from functools import cache

import torch
from torch import Tensor
from torch.nn import functional as F

from corollary.data import fashion_mnist, planetoid, rt_polarity, tinyshakespeare
from real_bugs.tasks import Data

UNKNOWN = 1  # word number of all that are not in the vocabulary; 0 is padding


@cache
def _clothes() -> Data:
    x, y = fashion_mnist("test")
    return F.avg_pool2d(x[:, None], 2), y


def clothes(n: int = 1500) -> tuple[Data, Data]:
    """Pieces of clothing, 14 by 14 pixels from 0 to 1, and as many held out."""
    x, y = _clothes()
    return (x[:n].clone(), y[:n].clone()), (x[n : 2 * n].clone(), y[n : 2 * n].clone())


@cache
def _reviews(n: int, words: int) -> tuple[list[list[int]], Tensor]:
    lines, praise = rt_polarity("train")
    split = [line.split() for line in lines[:n]]
    common = Counter(word for line in split for word in line).most_common(words)
    number = {word: k for k, (word, _) in enumerate(common, start=UNKNOWN + 1)}
    return [[number.get(w, UNKNOWN) for w in line] for line in split], torch.tensor(praise[:n])


def reviews(n: int = 800, words: int = 600, length: int = 20) -> Data:
    """Sentences of film reviews as word numbers, cut or padded with zeros; 1 is praise."""
    lines, praise = _reviews(n, words)
    x = torch.zeros(n, length, dtype=torch.long)
    for row, line in zip(x, lines, strict=True):
        row[: len(line)] = torch.tensor(line[:length])
    return x, praise.clone()


@cache
def _letters(n: int) -> Tensor:
    text = tinyshakespeare()[:n]
    number = {letter: k for k, letter in enumerate(sorted(set(text)))}
    return torch.tensor([number[letter] for letter in text])


def letters(rows: int = 600, length: int = 24) -> tuple[Tensor, int]:
    """Lines of Shakespeare as letter numbers, and how many letters there are."""
    ids = _letters(40_000)
    starts = torch.randint(len(ids) - length, (rows, 1))
    return ids[starts + torch.arange(length)], int(ids.max()) + 1


@cache
def cora() -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Words, classes, links in both directions, papers to train on, papers to test on."""
    papers = planetoid("cora")
    edges = papers.graph.edges.T
    links = torch.cat([edges, edges.flip(0)], 1)
    return papers.x, papers.y, links, papers.train.nonzero()[:, 0], papers.test.nonzero()[:, 0]


def patches(n: int = 200, size: int = 12) -> Data:
    """Noisy pictures with one bright rectangle, and the mask of its pixels."""
    top, left = torch.randint(0, size - 5, (2, n, 1, 1))
    height, width = torch.randint(3, 6, (2, n, 1, 1))
    row, column = torch.arange(size)[:, None], torch.arange(size)
    rows = (row >= top) & (row < top + height)
    mask = rows & (column >= left) & (column < left + width)
    picture = mask + 0.4 * torch.randn(n, size, size)
    return picture[:, None], mask[:, None].float()


def recalls(n: int = 800, keys: int = 6, pairs: int = 4) -> Data:
    """Pairs of a key and a value, then a key alone: which value belongs to it?"""
    key = torch.rand(n, keys).argsort(1)[:, :pairs]
    value = torch.randint(keys, (n, pairs))
    asked = torch.randint(pairs, (n, 1))
    shown = torch.stack([key, keys + value], 2).flatten(1)
    return torch.cat([shown, key.gather(1, asked)], 1), value.gather(1, asked)[:, 0]
