"""Robustness: attacks, certificates, and what theory says of both.

The attacks can be had from here, each loaded on first use; certificates are in
:mod:`corollary.theory.robustness.certificates`.

Example:
    >>> import torch
    >>> from corollary.theory.robustness import FGSM
    >>> line = torch.nn.Linear(2, 1, bias=False)
    >>> _ = torch.nn.init.ones_(line.weight)
    >>> x, y = torch.tensor([[0.5, 0.5], [0.1, 0.0]]), torch.tensor([1.0, 1.0])
    >>> FGSM(0.1)(line, x, y).robust_accuracy  # 1.0 - 0.2 is above zero, 0.1 - 0.1 is not
    0.5
"""

from corollary import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
