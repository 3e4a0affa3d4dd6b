"""Logarithms of what has become zero."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.fourth.tasks import codes, split
from real_bugs.scores import sign_accuracy
from real_bugs.tasks import mlp

KIND = "numerics"


class Counter(nn.Module):
    """Logits of six symbols at each place, from cosines to a vector per symbol."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
        self.symbols = nn.Parameter(torch.randn(6, 4))

    def forward(self, x: Tensor) -> Tensor:
        cosine = F.normalize(self.body(x), dim=2) @ F.normalize(self.symbols, dim=1).T
        return 100 * cosine  # the scale that such networks end with


class Aggregated(nn.Module):
    """Cross-entropy of how often each symbol occurs, wherever it is."""

    def __init__(self, in_logs: bool) -> None:
        super().__init__()
        self.in_logs = in_logs

    def forward(self, logits: Tensor, share: Tensor) -> Tensor:
        if self.in_logs:
            log_p = logits.log_softmax(2).logsumexp(1) - math.log(logits.shape[1])
        else:
            log_p = logits.softmax(2).mean(1).log()
        return -(share * log_p).sum(1).mean()


def shares_met(model: nn.Module, x: Tensor, share: Tensor) -> float:
    """One less half the distance between the shares found and the true ones."""
    return float(1 - 0.5 * (model(x).softmax(2).mean(1) - share).abs().sum(1).mean())


def symbol_that_never_occurs(broken: bool) -> Arguments:
    text, look = codes(1300, 3, 6), torch.randn(6, 16)
    x = look[text] + 0.3 * torch.randn(1300, 3, 16)
    data, held_out = split(x, F.one_hot(text, 6).float().mean(1), 300)
    model = Counter()
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=Aggregated(in_logs=not broken),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=400,
    )


class Mixture(nn.Module):
    """Minus the log-likelihood of paths under two Gaussians that the network gives."""

    def __init__(self, in_logs: bool) -> None:
        super().__init__()
        self.in_logs = in_logs

    def forward(self, out: Tensor, y: Tensor) -> Tensor:
        out = out.view(len(y), 2, -1)  # per Gaussian: its weight, its width, its mean
        weight, log_width, mean = out[:, :, 0], out[:, :, 1].clamp(-4, 2), out[:, :, 2:]
        exponent = -0.5 * ((y[:, None] - mean).square().sum(2) / (2 * log_width).exp())
        if self.in_logs:
            log_p = exponent - y.shape[1] * log_width
            return -(weight.log_softmax(1) + log_p).logsumexp(1).mean()
        density = exponent.exp() / (y.shape[1] * log_width).exp()
        return -(weight.softmax(1) * density).sum(1).log().mean()


def likelihood(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Mean log-likelihood, up to a constant."""
    return float(-Mixture(in_logs=True)(model(x), y))


def densities_that_underflow(broken: bool) -> Arguments:
    speed, side = 2 * torch.rand(1300, 1) - 1, torch.randint(2, (1300, 1)) * 2 - 1
    path = side * (1 + speed) * torch.linspace(0.2, 1, 16)  # to the left or to the right
    wobble = torch.where(torch.rand(1300, 1) < 0.03, 0.5, 0.05)
    data, held_out = split(speed, path + wobble * torch.randn(1300, 16), 300)
    model = mlp(1, 36, width=64)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=Mixture(in_logs=not broken),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=500,
    )


class Focal(nn.Module):
    """Cross-entropy that looks away from what is already right."""

    def __init__(self, from_logits: bool) -> None:
        super().__init__()
        self.from_logits = from_logits

    def forward(self, logit: Tensor, y: Tensor) -> Tensor:
        p = logit.sigmoid()
        if self.from_logits:
            log_p, log_q = F.logsigmoid(logit), F.logsigmoid(-logit)
        else:
            log_p, log_q = p.log(), (1 - p).log()
        return -(y * (1 - p).square() * log_p + (1 - y) * p.square() * log_q).mean()


def log_of_a_certain_zero(broken: bool) -> Arguments:
    x = torch.randn(1300, 6) * torch.randn(1300, 1).exp()  # a few large values
    y = (x[:, :1] + 0.5 * x[:, 1:2] > 0).float()
    data, held_out = split(x, y, 300)
    model = mlp(6, 1, width=64)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=Focal(from_logits=not broken),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=500,
    )


BUGS = (
    Bug(
        "symbol that never occurs",
        "summerlvsong/Aggregation-Cross-Entropy#2 (Need Help! Loss nan)",
        KIND,
        "The logarithm of a probability that is rounded to zero, times a share of zero, is NaN.",
        symbol_that_never_occurs,
        ("nan|inf|finite|underflow|log", "loss|log|zero|probabilit|gradient"),
        shares_met,
        bad=0.5,
        good=0.85,
    ),
    Bug(
        "densities that underflow",
        "keras-team/keras#1061 (Mixture Density Network)",
        KIND,
        "Densities are summed before the logarithm and underflow to zero far from every mean.",
        densities_that_underflow,
        ("nan|inf|finite|underflow|logsumexp|log-sum-exp", "loss|log|zero|densit|gradient|exp"),
        likelihood,
        bad=5,
        good=15,
    ),
    Bug(
        "log of a certain zero",
        "mkocabas/focal-loss-keras#17 (Nan problem for LOG)",
        KIND,
        "The focal loss takes the logarithm of one minus a sigmoid that is rounded to one.",
        log_of_a_certain_zero,
        ("nan|inf|finite|saturat|round|underflow", "loss|log|sigmoid|zero|gradient|probabilit"),
        sign_accuracy,
        bad=0.7,
        good=0.9,
    ),
)
