"""Losses that get the wrong labels, the wrong head or the wrong pairs."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import sign_accuracy
from real_bugs.second.places import PlaceLoss, Speaker
from real_bugs.second.scores import confidence
from real_bugs.tasks import Data, mlp
from real_bugs.third.scores import place_accuracy
from real_bugs.third.tasks import numbers, products, tags

KIND = "loss function"


def first_class_ignored(broken: bool) -> Arguments:
    data, held_out = tags()
    model = Speaker(12, width=32)
    model.head = nn.Linear(32, 4)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=PlaceLoss(ignored=0 if broken else -100),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=200,
    )


class Hinge(nn.Module):
    """The margin of one output to labels -1 and 1."""

    def forward(self, out: Tensor, y: Tensor) -> Tensor:
        return (1 - y * out).clamp(min=0).mean()


def hinge_of_zeros(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = products()
    scale, shift = (1, 0) if broken else (2, -1)
    model = mlp(6, 1)
    return dict(
        model=model,
        data=(x, (scale * y + shift).float()[:, None]),
        held_out=(x_held, (scale * y_held + shift).float()[:, None]),
        loss=Hinge(),
        optimizer=Adam(model.parameters(), lr=5e-3, weight_decay=1e-3),
        batch_size=64,
        steps=300,
    )


class SigmoidHead(nn.Module):
    """A classifier whose outputs may be squeezed between 0 and 1."""

    def __init__(self, sigmoid: bool) -> None:
        super().__init__()
        self.inner, self.sigmoid = mlp(64, 10), sigmoid

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x).sigmoid() if self.sigmoid else self.inner(x)


def sigmoid_before_cross_entropy(broken: bool) -> Arguments:
    data, held_out = numbers()
    model = SigmoidHead(sigmoid=broken)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=SGD(model.parameters(), lr=0.05, momentum=0.9),
        batch_size=64,
        steps=400,
    )


def pairs(x: Tensor, y: Tensor, n: int) -> Data:
    """Pairs of digits; half of them, with label 1, are of the same digit."""
    first, same = torch.randint(len(y), (n,)), torch.arange(n) % 2
    alike = (y[first][:, None] == y) & (first[:, None] != torch.arange(len(y)))
    wanted = torch.where(same[:, None] == 1, alike, y[first][:, None] != y)
    return torch.stack([x[first], x[wanted.float().multinomial(1)[:, 0]]], 1), same.float()


class Distance(nn.Module):
    """The distance of two pictures in the eyes of one network."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = mlp(64, 8, width=64)

    def forward(self, x: Tensor) -> Tensor:
        a, b = self.embed(x).unbind(1)
        return (a - b).square().sum(1).add(1e-6).sqrt()


class Contrast(nn.Module):
    """Draws some pairs together and the others apart, up to a margin of 2."""

    def __init__(self, one_is_alike: bool) -> None:
        super().__init__()
        self.one_is_alike = one_is_alike

    def forward(self, distance: Tensor, label: Tensor) -> Tensor:
        alike = label if self.one_is_alike else 1 - label
        apart = (2 - distance).clamp(min=0).square()
        return (alike * distance.square() + (1 - alike) * apart).mean()


def alike_apart(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of pairs that are near if and only if they are of the same digit."""
    return float(((model(x) < 1).float() == y).float().mean())


def pairs_the_other_way_round(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = numbers()
    model = Distance()
    return dict(
        model=model,
        data=pairs(x, y, 2000),
        held_out=pairs(x_held, y_held, 400),
        loss=Contrast(one_is_alike=not broken),
        optimizer=Adam(model.parameters(), lr=2e-3),
        batch_size=64,
        steps=400,
    )


class TwoViews(nn.Module):
    """Vectors of length 1 of two views of a picture."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = mlp(64, 32, width=128, depth=1)

    def forward(self, x: Tensor) -> Tensor:
        return F.normalize(self.embed(x), dim=2)


class Matching(nn.Module):
    """Each view is to be nearest to the other view of its own picture."""

    def __init__(self, other: int) -> None:
        super().__init__()
        self.other = other

    def forward(self, z: Tensor, _: Tensor) -> Tensor:
        return F.cross_entropy(z[:, 0] @ z[:, self.other].T / 0.1, torch.arange(len(z)))


def views_matched(model: nn.Module, x: Tensor, _: Tensor) -> float:
    """Share of first views whose second view is nearest among a hundred."""
    z = model(x[:100])
    return float(((z[:, 0] @ z[:, 1].T).argmax(1) == torch.arange(len(z))).float().mean())


def view_matched_with_itself(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = numbers()

    def views(x: Tensor) -> Tensor:
        left = F.dropout(x, 0.05)
        right = F.dropout(1 - x, 0.05)  # the negative of the picture
        return torch.stack([left, right], 1)

    model = TwoViews()
    return dict(
        model=model,
        data=(views(x), y),
        held_out=(views(x_held), y_held),
        loss=Matching(other=0 if broken else 1),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=128,
        steps=500,
    )


BUGS = (
    Bug(
        "first class ignored",
        "nyu-mll/jiant#925",
        KIND,
        "The loss ignores label 0 as padding, but 0 is one of the tags.",
        first_class_ignored,
        (
            "ignore|never predict|excluded|skip|no gradient|not counted|never",
            "class|label|target|tag",
        ),
        place_accuracy,
        bad=0.8,
        good=0.92,
    ),
    Bug(
        "hinge of zeros",
        "deepchem/deepchem#5017",
        KIND,
        "A hinge loss of labels 0 and 1: those with 0 have no gradient; it wants -1 and 1.",
        hinge_of_zeros,
        ("label|target|hinge", "-1|±1|sign|minus one|no gradient|0 and 1|zero gradient"),
        sign_accuracy,
        bad=0.65,
        good=0.85,
    ),
    Bug(
        "sigmoid before cross-entropy",
        "eriklindernoren/PyTorch-YOLOv3#10",
        KIND,
        "Class scores go through a sigmoid before a cross-entropy that wants logits.",
        sigmoid_before_cross_entropy,
        ("sigmoid", "cross-entropy|cross entropy|logit|softmax|range|bounded|probab|twice"),
        confidence,
        bad=0.3,
        good=0.8,
    ),
    Bug(
        "pairs the other way round",
        "keras-team/keras#16935",
        KIND,
        "The loss takes label 1 for unlike, the pairs take it for alike: equals are torn apart.",
        pairs_the_other_way_round,
        (
            "sign|invert|revers|flip|opposite|swap|apart|convention|wrong way|wrong direction",
            "pair|label|distance|target|similar|same|alike",
        ),
        alike_apart,
        bad=0.65,
        good=0.85,
    ),
    Bug(
        "view matched with itself",
        "microsoft/A-CLIP#4",
        KIND,
        "The contrastive loss compares the first view with itself; the second view is never used.",
        view_matched_with_itself,
        (
            "view|second|pair|half|input|output|part",
            "ignore|unused|not use|not depend|no gradient|itself|no effect|never|without effect",
        ),
        views_matched,
        bad=0.4,
        good=0.7,
    ),
)
