"""Robustness: attacks from above, certificates from below.

* ``PGD(0.1)(model, x, y)`` and the other attacks: perturbed inputs, with the share that stands.
* ``radius(model, x, y)``: how far each input can be moved, in any direction, and keep its class.
* ``prove(model, x, y, eps)``: for each input a proof, a counterexample, or neither.
* ``Smoothed(sigma).certify(model, x)``: a certificate for the average over noise, at any size.

Example:
    >>> import torch
    >>> from corollary import robustness
    >>> line = torch.nn.Linear(2, 1, bias=False)
    >>> _ = torch.nn.init.ones_(line.weight)
    >>> x, y = torch.tensor([[0.5, 0.5], [0.1, 0.0]]), torch.tensor([1.0, 1.0])
    >>> robustness.PGD(0.1)(line, x, y).robust_accuracy  # 1.0 - 0.2 is above zero, 0.1 - 0.1 not
    0.5
    >>> [round(r, 2) for r in robustness.radius(line, x, y).tolist()]  # 1.0 / 2 and 0.1 / 2
    [0.5, 0.05]
"""

from corollary import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
