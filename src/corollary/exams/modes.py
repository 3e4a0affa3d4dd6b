"""The mode in which questions about training are asked without its noise."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm


@contextmanager
def steady(model: nn.Module) -> Iterator[None]:
    """Evaluation mode, but for batch normalisation, which keeps to the batch's statistics."""
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
