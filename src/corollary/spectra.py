"""Spectra of weights, without any data: what is noise, what was learned, and which tails there are.

* ``portraits(model)``: one portrait per layer, with its spikes, norms and tail.
* ``MarchenkoPastur``, ``tracy_widom``, ``spikes``: the laws of random matrices they are held
  against.
* ``power_law(values)`` with ``goodness_of_fit`` and ``compared``: is the tail a power law?

Example:
    >>> import torch
    >>> from corollary import spectra
    >>> layer, rng = torch.nn.Linear(200, 100), torch.Generator().manual_seed(0)
    >>> _ = torch.nn.init.normal_(layer.weight, generator=rng)
    >>> (found,) = spectra.portraits(layer)
    >>> found.spikes.count  # it was only drawn
    0
"""

from corollary import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
