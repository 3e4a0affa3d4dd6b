"""Faults for the question "Is it sound?"."""

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from planted.fault import Fault
from planted.networks import about, images, mlp, shifted, table, tokens, two_classes


class Noisy(nn.Module):
    """Dropout by its function, which is on whatever the mode unless told otherwise."""

    def __init__(self, heed: bool) -> None:
        super().__init__()
        self.first, self.heed, self.last = nn.Linear(10, 32), heed, nn.Linear(32, 3)

    def forward(self, x: Tensor) -> Tensor:
        h = F.dropout(F.relu(self.first(x)), training=self.training or not self.heed)
        return self.last(h)


class Normalising(nn.Module):
    """Divides each sample by its length, guarded or not."""

    def __init__(self, guard: float) -> None:
        super().__init__()
        self.guard, self.net = guard, mlp()

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x / (x.norm(dim=1, keepdim=True) + self.guard))


class Forgetful(nn.Module):
    """Has a branch that forward uses or forgets."""

    def __init__(self, use: bool) -> None:
        super().__init__()
        self.main, self.branch, self.use = mlp(), nn.Linear(10, 3), use

    def forward(self, x: Tensor) -> Tensor:
        return self.main(x) + (self.branch(x) if self.use else 0)


class Attentive(nn.Module):
    """One attention layer over tokens, masked or not."""

    def __init__(self, causal: bool) -> None:
        super().__init__()
        self.embed, self.causal, self.head = nn.Embedding(11, 16), causal, nn.Linear(16, 11)

    def forward(self, ids: Tensor) -> Tensor:
        h = self.embed(ids)
        h = h + F.scaled_dot_product_attention(h, h, h, is_causal=self.causal)
        return self.head(h)


class DeepSets(nn.Module):
    """Pools the elements of a set, or joins them in their order."""

    def __init__(self, pool: bool) -> None:
        super().__init__()
        self.each, self.pool, self.last = nn.Linear(4, 8), pool, nn.Linear(8 if pool else 40, 3)

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu(self.each(x))
        return self.last(h.sum(1) if self.pool else h.flatten(1))


def normed(batch_size: int) -> dict[str, object]:
    """A batch-normalised network and the batch size it is trained with."""
    model = nn.Sequential(nn.Linear(10, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
    return about(model, table(), batch_size=batch_size)


def drifted(factor: float) -> dict[str, object]:
    """A batch-normalised network whose running statistics saw data of another scale."""
    model = nn.Sequential(nn.Linear(10, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
    data = table()
    model.train()
    with torch.no_grad():
        for _ in range(60):
            model(data[0] * factor)
    return about(model, data)


def twins(shared_seed: bool) -> dict[str, object]:
    """Two hidden layers, the second one a copy of the first or drawn anew."""
    layer = nn.Linear(16, 16)
    other = copy.deepcopy(layer) if shared_seed else nn.Linear(16, 16)
    model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), layer, nn.ReLU(), other, nn.Linear(16, 3))
    return about(model, table())


def ordered(sort: bool) -> dict[str, object]:
    """A loader that gives the data in the order of its labels, or not."""
    x, y = table()
    order = y.argsort() if sort else torch.arange(len(y))
    loader = DataLoader(TensorDataset(x[order], y[order]), batch_size=16)
    return about(mlp(), loader, optimizer="sgd:lr=0.1,momentum=0.9")


def unbalanced(rare: int) -> dict[str, object]:
    """A class of which only so many samples are left."""
    x, y = table()
    keep = (y != 2) | ((y == 2).cumsum(0) <= rare)
    return about(mlp(), (x[keep], y[keep]))


def sets(pool: bool) -> dict[str, object]:
    """Sets of five elements."""
    return about(DeepSets(pool), (torch.randn(32, 5, 4), torch.arange(32) % 3))


def convolutional() -> nn.Sequential:
    """A small convolutional network."""
    return nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 3))


FAULTS = (
    Fault("quotient without a guard", "soundness/finite", "net.0", "guard",
          lambda: about(Normalising(0.0), table()), lambda: about(Normalising(1e-6), table())),
    Fault("pixels from 0 to 255", "soundness/inputs", "input 0", "divide",
          lambda: about(convolutional(), (images()[0] * 255, images()[1]), lr=0.1),
          lambda: about(convolutional(), images(), lr=0.1)),
    Fault("inputs far from their mean", "soundness/inputs", "input 0", "subtract",
          lambda: about(mlp(), shifted(8.0, times=0.5)), lambda: about(mlp(), table())),
    Fault("dropout in eval mode", "soundness/determinism", "", "self.training",
          lambda: about(Noisy(heed=False), table()), lambda: about(Noisy(heed=True), table())),
    Fault("forgotten branch", "soundness/parameters", "branch", "forward",
          lambda: about(Forgetful(use=False), table()),
          lambda: about(Forgetful(use=True), table())),
    Fault("copied layer", "soundness/parameters", "4", "initialise",
          lambda: twins(True), lambda: twins(False)),
    Fault("softmax twice", "soundness/double_softmax", "", "logits",
          lambda: about(mlp(end=nn.Softmax(dim=1)), table(), loss="cross_entropy"),
          lambda: about(mlp(), table(), loss="cross_entropy")),
    Fault("sigmoid twice", "soundness/double_softmax", "", "logits",
          lambda: about(mlp(k=1, end=nn.Sigmoid()), two_classes()),
          lambda: about(mlp(k=1), two_classes())),
    Fault("summed loss", "soundness/loss_reduction", "", "mean",
          lambda: about(mlp(), table(), loss=nn.CrossEntropyLoss(reduction="sum"), batch_size=64,
                        lr=0.5),
          lambda: about(mlp(), table(), loss=nn.CrossEntropyLoss(), batch_size=64, lr=0.5)),
    Fault("sorted data", "soundness/labels", "", "shuffle",
          lambda: ordered(True), lambda: ordered(False)),
    Fault("rare class", "soundness/labels", "", "weight",
          lambda: unbalanced(3), lambda: unbalanced(99)),
    Fault("labels from one", "soundness/labels", "", "number the classes from 0",
          lambda: about(mlp(), (table()[0], table()[1] + 1)), lambda: about(mlp(), table())),
    Fault("normalised one by one", "soundness/batch_norm", "1", "larger batches",
          lambda: normed(2), lambda: normed(32)),
    Fault("statistics of other data", "soundness/modes", "1", "statistics",
          lambda: drifted(10.0), lambda: drifted(1.0)),
    Fault("attention to the future", "soundness/causality", "", "mask",
          lambda: about(Attentive(False), tokens()), lambda: about(Attentive(True), tokens())),
    Fault("set in its order", "soundness/symmetry", "", "pool",
          lambda: sets(False), lambda: sets(True)),
)  # fmt: skip
