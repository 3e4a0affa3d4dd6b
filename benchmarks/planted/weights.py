"""Faults that the weights alone show: no data is given."""

from collections.abc import Iterable
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from planted.fault import Fault
from planted.networks import about, mlp, table


def trained(
    model: nn.Module, x: Tensor, y: Tensor, lr: float = 3e-3, kept: Iterable[nn.Module] = ()
) -> nn.Module:
    """A hundred steps of Adam on all samples, without the parameters of some layers."""
    left_out = {id(p) for layer in kept for p in layer.parameters()}
    adam = torch.optim.Adam([p for p in model.parameters() if id(p) not in left_out], lr=lr)
    for _ in range(100):
        adam.zero_grad()
        F.cross_entropy(model(x), y).backward()
        adam.step()
    return model


def forgotten(forget: bool) -> dict[str, object]:
    """The optimizer did not get the second layer, or did."""
    x, y = table(400, 64, 10)
    model = mlp(64, 128, 10)
    return about(trained(model, x, y, kept=[model[2]] if forget else []), None)


def noisy(noise: bool) -> dict[str, object]:
    """Trained on shuffled labels with steps that are far too large, or as it should be."""
    x, y = table(400, 64, 10)
    y = y[torch.randperm(len(y))] if noise else y
    return about(trained(mlp(64, 128, 10), x, y, lr=0.1 if noise else 3e-3), None)


def changed(factor: float, everywhere: bool) -> dict[str, object]:
    """After training one weight, or all of the second layer, is multiplied."""
    x, y = table(400, 64, 10)
    model = trained(mlp(64, 128, 10), x, y)
    weight = model[2].weight.data
    if everywhere:
        weight *= factor
    else:
        weight[5, 7] = factor * weight.std()
    return about(model, None)


FAULTS = (
    Fault("layer the optimizer did not get", "generalization/untouched_layers", "2", "optimizer",
          partial(forgotten, True), partial(forgotten, False)),
    Fault("noise learned with huge steps", "generalization/weight_spectra", "2",
          "smaller learning rate", partial(noisy, True), partial(noisy, False)),
    Fault("flipped bit in a weight", "generalization/weight_spectra", "2", "flipped bit",
          partial(changed, 1000.0, False), partial(changed, 1.0, False)),
    Fault("layer at another scale", "generalization/weight_spectra", "2", "weight decay",
          partial(changed, 100.0, True), partial(changed, 1.0, True)),
)  # fmt: skip
