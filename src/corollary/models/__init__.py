"""The architectures of the notes, one file each, and whole networks by name.

A network is drawn from ``rng``, a seed or a generator, and is the same each time without it. Layers
and cells are in the files (``corollary.models.mlp.Dense``): these take the generator of the network
that they are drawn with. The names are loaded on first use.

Example:
    >>> from corollary import models
    >>> net = models.MLP([2, 5, 1])
    >>> sum(p.numel() for p in net.parameters())
    21
"""

from corollary import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
