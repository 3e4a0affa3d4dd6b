"""Faults for the question "What function is it?"."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from planted.fault import Fault
from planted.networks import about, images, mlp, table, tokens
from planted.trainability import deep


class Sliced(nn.Module):
    """Reads the first features only, or all."""

    def __init__(self, read: int) -> None:
        super().__init__()
        self.read, self.net = read, mlp(read)

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x[:, : self.read])


class LastWord(nn.Module):
    """Reads the last token of a sequence, or the mean of all."""

    def __init__(self, last: bool) -> None:
        super().__init__()
        self.table, self.head, self.last = nn.Embedding(11, 16), nn.Linear(16, 3), last

    def forward(self, ids: Tensor) -> Tensor:
        h = self.table(ids)
        return self.head(h[:, -1] if self.last else h.mean(1))


def chain(activation: Callable[[], nn.Module]) -> nn.Sequential:
    """Two hidden layers with an activation, or without."""
    return nn.Sequential(
        nn.Linear(10, 32), activation(), nn.Linear(32, 32), activation(), nn.Linear(32, 3)
    )


def pooled(before: bool) -> nn.Sequential:
    """Pools all pixels before the convolution reads them, or after."""
    pool, read = nn.AdaptiveAvgPool2d(1), nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU())
    return nn.Sequential(*([pool, read] if before else [read, pool]), nn.Flatten(), nn.Linear(8, 3))


def bottleneck(width: int) -> nn.Sequential:
    """A layer of this width between two wide ones."""
    return nn.Sequential(
        nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, width), nn.Linear(width, 32), nn.ReLU(),
        nn.Linear(32, 3),
    )  # fmt: skip


def strided(kernel: int) -> nn.Sequential:
    """A convolution with stride 2 and this kernel: with a kernel of 1 it skips pixels."""
    side = (8 - kernel) // 2 + 1
    return nn.Sequential(
        nn.Conv2d(1, 8, kernel, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(8 * side**2, 3)
    )


def fine_images() -> tuple[Tensor, Tensor]:
    """Images whose class is seen in odd rows and columns only."""
    x, y = torch.rand(64, 1, 8, 8) * 0.5, torch.arange(64) % 3
    for c in range(3):
        x[y == c, 0, 2 * c + 1, 1::2] += 0.5
    return x, y


def sentences() -> tuple[Tensor, Tensor]:
    """Sequences of tokens with one label each."""
    ids = tokens()[0]
    return ids, ids.sum(1) % 3


def constant(dead: bool) -> nn.Sequential:
    """A network whose last hidden units are dead, or not."""
    model = mlp()
    if dead:
        nn.init.constant_(model[2].bias, -50.0)
    return model


def chaotic(gain: float) -> nn.Sequential:
    """A deep tanh network at the edge of chaos, or far beyond."""
    return deep(nn.Tanh, 10, gain)


def bent() -> tuple[Tensor, Tensor]:
    """Rows whose class no linear map decides: whether one of two coordinates is far out."""
    x = torch.randn(256, 10)
    return x, x[:, 0].abs().gt(0.7).long() + x[:, 1].abs().gt(0.7).long()


FAULTS = (
    Fault("activation forgotten", "function/linearity", "", "activation",
          lambda: about(chain(nn.Identity), bent(), optimizer="adam:lr=0.01"),
          lambda: about(chain(nn.ReLU), bent(), optimizer="adam:lr=0.01")),
    Fault("dead last layer", "function/linearity", "", "dead",
          lambda: about(constant(True), table()), lambda: about(constant(False), table())),
    Fault("chaos between samples", "function/frequencies", "", "smaller weights",
          lambda: about(chaotic(60.0), table()), lambda: about(chaotic(1.0), table())),
    Fault("features sliced off", "function/features_read", "input 0", "slice",
          lambda: about(Sliced(6), table()), lambda: about(Sliced(10), table())),
    Fault("stride past the kernel", "function/features_read", "input 0", "stride",
          lambda: about(strided(1), fine_images()), lambda: about(strided(2), fine_images())),
    Fault("last word only", "function/features_read", "input 0", "slice",
          lambda: about(LastWord(True), sentences()), lambda: about(LastWord(False), sentences())),
    Fault("pooled before it is read", "function/symmetries", "", "pooled",
          lambda: about(pooled(True), images()), lambda: about(pooled(False), images())),
    Fault("bottleneck of one unit", "function/representations", "2", "wider",
          lambda: about(bottleneck(1), table()), lambda: about(bottleneck(8), table())),
)  # fmt: skip
