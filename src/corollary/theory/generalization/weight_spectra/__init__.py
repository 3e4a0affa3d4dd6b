"""What the weights alone say: laws of random matrices, spikes, and tails of spectra.

A weight matrix that was drawn and never trained has a known spectrum
(:mod:`~corollary.theory.generalization.weight_spectra.marchenko_pastur`), and its largest
eigenvalue fluctuates by a known law
(:mod:`~corollary.theory.generalization.weight_spectra.tracy_widom`). What stands out of that was
put there by training (:mod:`~corollary.theory.generalization.weight_spectra.spikes`). Whether the
largest eigenvalues follow a power law is a question to be tested, not assumed
(:mod:`~corollary.theory.generalization.weight_spectra.power_law`,
:mod:`~corollary.theory.generalization.weight_spectra.tail_tests`).

Example:
    >>> import torch
    >>> layer, rng = torch.nn.Linear(200, 100), torch.Generator().manual_seed(0)
    >>> _ = torch.nn.init.normal_(layer.weight, generator=rng)
    >>> (found,) = portraits(layer)
    >>> found.spikes.count  # it was only drawn
    0
"""

from corollary.theory.generalization.weight_spectra.portrait import Portrait, portrait, portraits

__all__ = ["Portrait", "portrait", "portraits"]
