"""Faults for the question "Will it generalise?"."""

import torch
from torch import Tensor, nn

from planted.fault import Fault
from planted.networks import about, mlp, table
from planted.weights import trained


def misaligned(shuffle: bool) -> dict[str, object]:
    """Labels in another order than their inputs, or not."""
    x, y = table(400)
    return about(mlp(m=64), (x, y[torch.randperm(len(y))] if shuffle else y))


def misread(noise: bool) -> dict[str, object]:
    """Inputs that are noise, as of a file read at the wrong place, or not."""
    x, y = table(400)
    return about(mlp(), (torch.randn(400, 10) if noise else x, y))


class Cancelling(nn.Module):
    """The difference of two heads."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(10, 32), nn.ReLU())
        self.plus, self.minus = nn.Linear(32, 3), nn.Linear(32, 3)

    def forward(self, x: Tensor) -> Tensor:
        h = self.body(x)
        return self.plus(h) - self.minus(h)


def cancelling(shared: float) -> dict[str, object]:
    """Two heads that have learned their data and then share a large part, or none.

    A shared part of 100 makes an untrained network brittle. A trained one answers with a margin:
    the rounding of bfloat16 then changes 1.3 % of its answers, which is no fault; 1000 is one.
    """
    x, y = table()
    model = trained(Cancelling(), x, y, lr=1e-2)
    common = shared * torch.randn(3, 32)
    model.plus.weight.data += common
    model.minus.weight.data += common
    return about(model, (x, y))


FAULTS = (
    Fault("labels of other samples", "generalization/unseen", "", "same order",
          lambda: misaligned(True), lambda: misaligned(False)),
    Fault("shuffled labels", "generalization/memorisation", "", "same order",
          lambda: misaligned(True), lambda: misaligned(False)),
    Fault("inputs that are noise", "generalization/memorisation", "", "loaded correctly",
          lambda: misread(True), lambda: misread(False)),
    Fault("heads that cancel", "generalization/flatness", "", "cancel",
          lambda: cancelling(1000.0), lambda: cancelling(0.0)),
)  # fmt: skip
