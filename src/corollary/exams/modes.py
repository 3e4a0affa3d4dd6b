"""The mode for measuring training without its noise."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm


@contextmanager
def steady(model: nn.Module) -> Iterator[None]:
    """Evaluation mode, except that batch normalisation uses the statistics of the batch."""
    modes = [(m, m.training) for m in model.modules()]
    model.eval()
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.train()
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode
