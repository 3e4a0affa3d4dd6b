"""Distributions drawn from a seed, and data sets that are downloaded once and read from disk.

``digits("train")``, ``mnist``, ``fashion_mnist``, ``cifar10``, ``tinyshakespeare``, ``multi30k``,
``sst2``, ``rt_polarity`` and the graphs of ``planetoid`` are real; the others are drawn from
``rng``, a seed or a generator, and are the same each time without it. The names are loaded on first
use.

Example:
    >>> from corollary import data
    >>> x, y = data.two_moons(100)
    >>> x.shape, sorted(set(y.tolist()))
    (torch.Size([100, 2]), [-1.0, 1.0])
"""

from corollary import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
