"""Axes and places: what is normalised, pooled, sorted or swapped along the wrong one."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.tasks import mlp
from real_bugs.third.scores import one_by_one
from real_bugs.third.tasks import PADDING, coloured_blobs, headlines, split

KIND = "tensors and axes"


class PointNet(nn.Module):
    """The class of a cloud of points, whatever their order."""

    def __init__(self, classes_axis: int) -> None:
        super().__init__()
        self.point, self.head = mlp(2, 64), nn.Linear(64, 3)
        self.classes_axis = classes_axis

    def forward(self, cloud: Tensor) -> Tensor:
        return F.log_softmax(self.head(self.point(cloud).amax(1)), dim=self.classes_axis)


def clouds(n: int = 900) -> tuple[Tensor, Tensor]:
    """Points of a circle, of a cross or of a square."""
    y = torch.randint(3, (n,))
    turn = 2 * torch.pi * torch.rand(n, 24)
    circle = torch.stack([turn.cos(), turn.sin()], 2)
    along = 2 * torch.rand(n, 24) - 1
    flat = torch.stack([along, torch.zeros_like(along)], 2)
    cross = torch.where(torch.rand(n, 24, 1) < 0.5, flat, flat.flip(2))
    square = 2 * torch.rand(n, 24, 2) - 1
    shapes = torch.stack([circle, cross, square])
    return shapes[y, torch.arange(n)] + 0.05 * torch.randn(n, 24, 2), y


def normalised_over_the_batch(broken: bool) -> Arguments:
    data, held_out = split(*clouds(), train=700)
    model = PointNet(classes_axis=0 if broken else -1)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.NLLLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=32,
        steps=250,
    )


class UnitFeatures(nn.Module):
    """Two features of length 1, to be drawn on a circle, then a classifier."""

    def __init__(self, axis: int) -> None:
        super().__init__()
        self.features, self.head, self.axis = mlp(8, 2), mlp(2, 8), axis

    def forward(self, x: Tensor) -> Tensor:
        return self.head(F.normalize(self.features(x), dim=self.axis))


def sectors(n: int = 1200) -> tuple[Tensor, Tensor]:
    """Which of eight sectors the first two of eight features point to."""
    x = torch.randn(n, 8)
    turn = torch.atan2(x[:, 1], x[:, 0]) / (2 * torch.pi) + 0.5
    return x, (8 * turn).long().clamp(max=7)


def unit_length_over_the_batch(broken: bool) -> Arguments:
    data, held_out = split(*sectors(), train=900)
    model = UnitFeatures(axis=0 if broken else 1)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=500,
    )


class Reader(nn.Module):
    """Words, a convolution over them, and their mean along one axis."""

    def __init__(self, axis: int, width: int = 12) -> None:
        super().__init__()
        self.word = nn.Embedding(41, width, padding_idx=PADDING)
        self.neighbours = nn.Conv1d(width, width, 3, padding=1)
        self.head, self.axis = nn.Linear(width, 4), axis

    def forward(self, ids: Tensor) -> Tensor:
        h = F.relu(self.neighbours(self.word(ids).transpose(1, 2)).transpose(1, 2))
        return self.head(h.mean(self.axis))


def mean_over_the_features(broken: bool) -> Arguments:
    data, held_out = headlines()
    model = Reader(axis=2 if broken else 1)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=250,
    )


class SortingReader(nn.Module):
    """Sorts sentences by their length for a recurrent layer, and may put them back."""

    def __init__(self, put_back: bool, width: int = 24) -> None:
        super().__init__()
        self.word = nn.Embedding(41, width, padding_idx=PADDING)
        self.rnn, self.head = nn.GRU(width, width, batch_first=True), nn.Linear(width, 4)
        self.put_back = put_back

    def forward(self, ids: Tensor) -> Tensor:
        length, order = (ids != PADDING).sum(1).sort(descending=True)
        packed = pack_padded_sequence(self.word(ids[order]), length, batch_first=True)
        state = self.rnn(packed)[1][-1]
        return self.head(state[order.argsort()] if self.put_back else state)


def sorted_and_not_put_back(broken: bool) -> Arguments:
    data, held_out = headlines()
    model = SortingReader(put_back=not broken)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=200,
    )


def channels_by_reshape(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = coloured_blobs(ground=(0.5, 0.4, 0.2))
    first = x.permute(0, 3, 1, 2).contiguous()
    first_held = x_held.reshape(-1, 3, 12, 12) if broken else x_held.permute(0, 3, 1, 2)
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 16, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(16, 3),
    )
    return dict(
        model=model,
        data=(first, y),
        held_out=(first_held.contiguous(), y_held),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=200,
    )


BUGS = (
    Bug(
        "normalised over the batch",
        "fxia22/pointnet.pytorch#27",
        KIND,
        "log_softmax runs along the batch: a sample asked alone gets zeros for every class.",
        normalised_over_the_batch,
        (
            "softmax|normali|probabilit|sum to|batch",
            "batch|sample|axis|dim|sum|other|depend",
        ),
        one_by_one,
        bad=0.5,
        good=0.9,
    ),
    Bug(
        "unit length over the batch",
        "alireza-nasiri/SoundCLR#4",
        KIND,
        "F.normalize is given dim=0 and divides by a length over the batch, not over the features.",
        unit_length_over_the_batch,
        ("batch|sample|normali", "other|depend|mix|axis|dim|neighbour|neighbor|alone|batch size"),
        one_by_one,
        bad=0.6,
        good=0.8,
    ),
    Bug(
        "mean over the features",
        "terrifyzhao/text_matching#2",
        KIND,
        "The mean is taken over the features of a word instead of over the words.",
        mean_over_the_features,
        (
            "axis|dim|mean|pool|average|bottleneck|rank|feature|width",
            "feature|channel|word|position|token|axis|one number|single number|lost|dim",
        ),
        accuracy,
        bad=0.7,
        good=0.85,
    ),
    Bug(
        "sorted and not put back",
        "Lizhen0628/text_classification#12",
        KIND,
        "Sentences are sorted by length for packing and stay in that order: labels do not match.",
        sorted_and_not_put_back,
        ("sample|batch|row|order", "other|mix|depend|neighbour|neighbor|sort|permut|another|order"),
        accuracy,
        bad=0.5,
        good=0.85,
    ),
    Bug(
        "channels first by reshape",
        "Trusted-AI/adversarial-robustness-toolbox#2101",
        "preprocessing",
        "Test pictures get their channels first by reshape, which scrambles them, not by permute.",
        channels_by_reshape,
        (
            "held-out|held out|test|unseen|validation",
            "shift|reshape|differ|distribut|channel|layout|scrambl|preprocess|order",
        ),
        accuracy,
        bad=0.6,
        good=0.9,
    ),
)
