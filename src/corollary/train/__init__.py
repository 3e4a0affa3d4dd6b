"""Training: one small loop, bit-identical when repeated or resumed, used by the whole package.

``fit(model, data, loss, optimizer)`` runs it; the rest are its parts: callbacks, checkpoints, ways
to value a batch (adversarial, certified, augmented), early stopping, distillation. The names are
loaded on first use.

Example:
    >>> import torch
    >>> from corollary import train
    >>> model = torch.nn.Linear(1, 1)
    >>> data = torch.ones(4, 1), torch.zeros(4, 1)
    >>> sgd = torch.optim.SGD(model.parameters(), lr=0.25)
    >>> train.fit(model, data, torch.nn.MSELoss(), sgd, steps=2).steps
    2
"""

from corollary import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
