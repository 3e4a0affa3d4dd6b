"""Losses with a wrong sign, a wrong weight or a term that is lost."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import SGD, Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.fourth.scores import both_tasks, brightness_of_the_dot, worst_explained
from real_bugs.fourth.tasks import dots, handwriting, homes, split
from real_bugs.scores import balanced_accuracy
from real_bugs.second.scores import confidence
from real_bugs.tasks import mlp

KIND = "loss function"


class Quantile(nn.Module):
    """Asks for the value that nine of ten targets stay below."""

    def __init__(self, sign: float, tau: float = 0.9) -> None:
        super().__init__()
        self.sign, self.tau = sign, tau

    def forward(self, out: Tensor, y: Tensor) -> Tensor:
        above = y - out
        below = self.sign * (1 - self.tau) * above
        return torch.where(above > 0, self.tau * above, below).mean()


def quantile_met(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Minus the quantile loss as it should be."""
    return float(-Quantile(sign=-1)(model(x), y))


def sign_of_the_quantile_loss(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = homes()
    model = mlp(6, 1)
    return dict(
        model=model,
        data=(x, y + 0.5 * torch.randn_like(y)),
        held_out=(x_held, y_held + 0.5 * torch.randn_like(y_held)),
        loss=Quantile(sign=1 if broken else -1),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=400,
    )


def frequent_classes_weigh_more(broken: bool) -> Arguments:
    share = torch.tensor([0.75, 0.2, 0.05])
    y = torch.multinomial(share, 2400, replacement=True)
    x = torch.randn(2400, 6) + 2 * torch.eye(3, 6)[y]
    data, held_out = split(x, y, 900)
    weight = 1 / (1 / share).log() if broken else 1 / share
    model = mlp(6, 3)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(weight=weight / weight.mean()),
        optimizer=SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-3),
        batch_size=64,
        steps=300,
    )


def likelihood_of_raw_scores(broken: bool) -> Arguments:
    data, held_out = handwriting()
    model = mlp(64, 10)
    if not broken:
        model.append(nn.LogSoftmax(dim=1))
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.NLLLoss(),
        optimizer=Adam(model.parameters(), lr=2e-3),
        batch_size=64,
        steps=300,
    )


class TwoHeads(nn.Module):
    """Is the digit above four, and is it odd?"""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 64), nn.ReLU())
        self.above, self.odd = nn.Linear(64, 2), nn.Linear(64, 2)

    def forward(self, x: Tensor) -> Tensor:
        h = self.body(x)
        return torch.stack([self.above(h), self.odd(h)], 1)


class Total(nn.Module):
    """The loss of two tasks; the second may replace the first instead of being added."""

    def __init__(self, overwrites: bool) -> None:
        super().__init__()
        self.overwrites = overwrites

    def forward(self, out: Tensor, y: Tensor) -> Tensor:
        first = F.cross_entropy(out[:, 0], y[:, 0])
        second = F.cross_entropy(out[:, 1], y[:, 1])
        return second if self.overwrites else first + second


def loss_overwritten(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = handwriting()
    model = TwoHeads()
    return dict(
        model=model,
        data=(x, torch.stack([y > 4, y % 2 == 1], 1).long()),
        held_out=(x_held, torch.stack([y_held > 4, y_held % 2 == 1], 1).long()),
        loss=Total(overwrites=broken),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=400,
    )


class LearnedWeights(nn.Module):
    """Weighs two squared errors by precisions that are learned with the network."""

    def __init__(self, log_term: bool) -> None:
        super().__init__()
        self.log_variance, self.log_term = nn.Parameter(torch.zeros(2)), log_term

    def forward(self, out: Tensor, y: Tensor) -> Tensor:
        error = (out - y).square().mean(0)
        weighed = (-self.log_variance).exp() * error
        return (weighed + self.log_variance if self.log_term else weighed).sum()


def weights_learned_away(broken: bool) -> Arguments:
    (x, y), (x_held, y_held) = homes()
    model, loss = mlp(6, 2), LearnedWeights(log_term=not broken)
    return dict(
        model=model,
        data=(x, torch.cat([y, x[:, :1] * x[:, 1:2]], 1) + 0.3 * torch.randn(len(x), 2)),
        held_out=(x_held, torch.cat([y_held, x_held[:, :1] * x_held[:, 1:2]], 1)),
        loss=loss,
        optimizer=SGD([*model.parameters(), *loss.parameters()], lr=0.005, momentum=0.9),
        batch_size=64,
        steps=900,
    )


class MapLoss(nn.Module):
    """Squared error over the pixels, with a weight of those that are not background."""

    def __init__(self, weight: float) -> None:
        super().__init__()
        self.weight = weight

    def forward(self, out: Tensor, y: Tensor) -> Tensor:
        weight = torch.where(y > 0, self.weight, 1.0)
        return (weight * (out - y).square()).mean()


def empty_map(broken: bool) -> Arguments:
    data, held_out = split(*dots(600), 200)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 8, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 1, 1),
    )
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=MapLoss(weight=1 if broken else 100),
        optimizer=SGD(model.parameters(), lr=0.02, momentum=0.9),
        batch_size=32,
        steps=300,
    )


BUGS = (
    Bug(
        "sign of the quantile loss",
        "scikit-learn/scikit-learn#8087 (Sign error in QuantileLossFunction)",
        KIND,
        "Answers above the target lower the quantile loss, so that it falls without end.",
        sign_of_the_quantile_loss,
        ("loss", "negative|unbounded|bounded below|no minimum|no lower bound|sign|below zero"),
        quantile_met,
        bad=-0.3,
        good=-0.15,
    ),
    Bug(
        "frequent classes weigh more",
        "PRBonn/lidar-bonnetal#48 (Calculation of the weights for the loss-function)",
        KIND,
        "The class weights grow with the frequency of a class instead of falling with it.",
        frequent_classes_weigh_more,
        ("weight|imbalance|rare|frequen", "class"),
        balanced_accuracy,
        bad=0.65,
        good=0.75,
    ),
    Bug(
        "likelihood of raw scores",
        "https://codestudyblog.com/8ten8/80409021901.html (Loss is negative in the process of "
        "PyTorch training)",
        KIND,
        "The negative log-likelihood gets raw scores, which have no upper bound.",
        likelihood_of_raw_scores,
        (
            "log_softmax|log-softmax|logsoftmax|log softmax|log-probabilit|log probabilit|softmax",
            "nll|likelihood|loss",
        ),
        confidence,
        bad=0.6,
        good=0.8,
    ),
    Bug(
        "loss overwritten",
        "yuanyuanli85/Fast_Human_Pose_Estimation_Pytorch#5 (loss function)",
        KIND,
        "The total is assigned twice: the loss of the first task is lost and its head not trained.",
        loss_overwritten,
        (
            "above|head|output|loss|task|part",
            "no gradient|not depend|unused|ignore|not use|never|overwrit|no effect|zero gradient",
        ),
        both_tasks,
        bad=0.7,
        good=0.88,
    ),
    Bug(
        "weights learned away",
        "yaringal/multi-task-learning-example#6 (The loss might be nagative value)",
        KIND,
        "Learned precisions weigh the losses without the log term, so that they shrink to nothing.",
        weights_learned_away,
        (
            "log_variance|weight|precision|log term|regulari",
            "loss",
            "zero|vanish|shrink|trivial|log term|without|unbounded|scale|minimi",
        ),
        worst_explained,
        bad=0.7,
        good=0.85,
    ),
    Bug(
        "empty map",
        "WeidiXie/cell_counting_v2#9 (How to escape all zeros prediction?)",
        KIND,
        "One pixel of 144 is not background and the squared error is not weighted.",
        empty_map,
        (
            "imbalance|rare|sparse|background|mostly zero|mostly the same|weight|few",
            "target|pixel|loss|class|foreground|positive",
        ),
        brightness_of_the_dot,
        bad=0.35,
        good=0.6,
    ),
)
