"""Roots, quotients, logarithms and angles that leave their domain."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.second.places import Speaker
from real_bugs.tasks import mlp
from real_bugs.third.scores import centre_explained, cosine, order_kept, place_accuracy
from real_bugs.third.tasks import boxes, split, tags

KIND = "numerics"
NOT_A_NUMBER = "nan|not finite|non-finite|nonfinite|infinit|not a number|invalid"


class BoxLoss(nn.Module):
    """Errors of the centre and of the roots of the sides; the network may give the roots."""

    def __init__(self, root_of_output: bool) -> None:
        super().__init__()
        self.root_of_output = root_of_output

    def forward(self, out: Tensor, box: Tensor) -> Tensor:
        sides = out[:, 2:].sqrt() if self.root_of_output else out[:, 2:]
        return F.mse_loss(out[:, :2], box[:, :2]) + F.mse_loss(sides, box[:, 2:].sqrt())


def root_of_a_side(broken: bool) -> Arguments:
    data, held_out = boxes()
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(16 * 9, 4),
    )
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=BoxLoss(root_of_output=broken),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=250,
    )


class SentenceMean(nn.Module):
    """The mean over sentences of the mean loss of their labelled words."""

    def __init__(self, least: int) -> None:
        super().__init__()
        self.least = least  # what a count is raised to before it divides

    def forward(self, logits: Tensor, labels: Tensor) -> Tensor:
        mask = (labels != -100).float()
        loss = F.cross_entropy(logits.transpose(1, 2), labels.clamp(min=0), reduction="none")
        return ((mask * loss).sum(1) / mask.sum(1).clamp(min=self.least)).mean()


def sentence_without_labels(broken: bool) -> Arguments:
    (x, y), held_out = tags()
    unlabelled = torch.rand(len(x), 1) < 0.02
    model = Speaker(12, width=32)
    model.head = nn.Linear(32, 4)
    return dict(
        model=model,
        data=(x, torch.where(unlabelled, -100, y)),
        held_out=held_out,
        loss=SentenceMean(least=0 if broken else 1),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=200,
    )


class Angle(nn.Module):
    """The mean angle between two directions."""

    def __init__(self, gap: float) -> None:
        super().__init__()
        self.gap = gap

    def forward(self, out: Tensor, y: Tensor) -> Tensor:
        cos = F.cosine_similarity(out, y)
        return cos.clamp(self.gap - 1, 1 - self.gap).acos().mean()


def angle_of_nothing(broken: bool) -> Arguments:
    x = torch.randn(900, 6)
    y = F.normalize(x @ torch.randn(6, 3), dim=1)
    data, held_out = split(x, y, train=700)
    model = nn.Linear(6, 3)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=Angle(gap=0.0 if broken else 1e-6),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=400,
    )


def negative_rate(broken: bool) -> Arguments:
    x = torch.randn(900, 6)
    y = torch.poisson((1 + 0.5 * x[:, :4] - 0.5 * x.roll(-1, 1)[:, :4]).exp())
    data, held_out = split(x, y, train=700)
    model = mlp(6, 4)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.PoissonNLLLoss(log_input=not broken),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=300,
    )


BUGS = (
    Bug(
        "root of a side",
        "DeepBaksuVision/You_Only_Look_Once#7",
        KIND,
        "The loss takes the root of the predicted sides of a box, which may be negative.",
        root_of_a_side,
        (NOT_A_NUMBER, "sqrt|root|negative|domain"),
        centre_explained,
        bad=0.3,
        good=0.8,
    ),
    Bug(
        "sentence without labels",
        "Zhen-Dong/Magic-Me#14",
        KIND,
        "The loss of a sentence is divided by its number of labels, which may be zero.",
        sentence_without_labels,
        (NOT_A_NUMBER, "divi|zero|0/0|empty|ignored|-100|no label|no target|count|sample"),
        place_accuracy,
        bad=0.5,
        good=0.9,
    ),
    Bug(
        "angle of nothing",
        "pytorch/pytorch#8069",
        KIND,
        "The arc cosine has an infinite slope at 1, where a perfect prediction ends.",
        angle_of_nothing,
        (NOT_A_NUMBER, "acos|arccos|arc cosine|inverse cosine|clamp|domain|derivative|slope"),
        cosine,
        bad=0.9,
        good=0.99,
    ),
    Bug(
        "negative rate",
        "pytorch/pytorch#184030",
        KIND,
        "A Poisson loss that wants rates gets any number, and takes logarithms of negative ones.",
        negative_rate,
        (NOT_A_NUMBER + "|negative", "log|rate|negative|poisson|positive|domain"),
        order_kept,
        bad=0.3,
        good=0.5,
    ),
)
