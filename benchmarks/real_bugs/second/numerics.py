"""Numbers: logarithms, exponentials and branches that are not finite."""

import torch
from torch import Tensor, nn
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy, explained
from real_bugs.tasks import digits, mlp

KIND = "numerics"


class HandmadeLoss(nn.Module):
    """Binary cross-entropy by hand; probabilities are kept away from 0 and 1 by a small number."""

    def __init__(self, small: float) -> None:
        super().__init__()
        self.small = small

    def forward(self, p: Tensor, y: Tensor) -> Tensor:
        p = p.float().clamp(self.small, 1 - self.small)
        return -(y * p.log() + (1 - y) * (1 - p).log()).mean()


class HalfSigmoid(nn.Module):
    """Probabilities in half precision, as mixed precision gives them."""

    def forward(self, logits: Tensor) -> Tensor:
        return logits.half().sigmoid()


def floor_below_the_precision(broken: bool) -> Arguments:
    x = torch.randn(600, 6)
    y = (x[:, :1] + x[:, 1:2] * x[:, 2:3] > 0).float()
    model = nn.Sequential(*mlp(6, 1), HalfSigmoid())
    return dict(
        model=model,
        data=(x, y),
        loss=HandmadeLoss(1e-8 if broken else 1e-6),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=400,
    )


class HandmadeSoftmax(nn.Module):
    """Exponentials over their sum, with or without the largest logit taken off first."""

    def __init__(self, naive: bool) -> None:
        super().__init__()
        self.naive = naive

    def forward(self, logits: Tensor) -> Tensor:
        top = 0.0 if self.naive else logits.amax(-1, keepdim=True).detach()
        e = (logits - top).exp()
        return e / e.sum(-1, keepdim=True)


class Selector(nn.Module):
    """Attention over rows of a picture by hand; then a classifier."""

    def __init__(self, naive: bool) -> None:
        super().__init__()
        self.key, self.softmax = nn.Linear(8, 1), HandmadeSoftmax(naive)
        self.body = mlp(72, 10)

    def forward(self, x: Tensor) -> Tensor:
        weight = self.softmax(400 * self.key(x).squeeze(-1))
        chosen = (weight[..., None] * x).sum(1)
        return self.body(torch.cat([x.flatten(1), chosen], 1))


def exponential_overflows(broken: bool) -> Arguments:
    x, y = digits()
    model = Selector(naive=broken)
    return dict(
        model=model,
        data=(x.view(-1, 8, 8), y),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=200,
    )


class LogCounts(nn.Module):
    """Logarithms of counts in learned units, 0 where the count is 0, and layers on top."""

    def __init__(self, guarded: bool) -> None:
        super().__init__()
        self.unit, self.body, self.guarded = nn.Parameter(torch.ones(6)), mlp(6, 1), guarded

    def forward(self, count: Tensor) -> Tensor:
        h = count * self.unit.exp()
        some = count > 0
        safe = torch.where(some, h, 1.0) if self.guarded else h
        return self.body(torch.where(some, safe.log(), 0.0))


def branch_not_taken(broken: bool) -> Arguments:
    count = torch.poisson(torch.full((600, 6), 2.0))
    y = (count[:, :1] + 1).log() - 0.5 * (count[:, 1:2] > 2)
    model = LogCounts(guarded=not broken)
    return dict(
        model=model,
        data=(count, (y - y.mean()) / y.std()),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=300,
    )


BUGS = (
    Bug(
        "floor below the precision",
        "NVIDIA/apex#358",
        KIND,
        "Probabilities round to 1, and a clamp at 1 - 1e-8, which is 1 in float32, lets them.",
        floor_below_the_precision,
        ("log|clamp|1e-8", "zero|nan|finite|precision|eps"),
        accuracy,
        bad=0.6,
        good=0.95,
    ),
    Bug(
        "exponential overflows",
        "deeplearning4j/deeplearning4j#6039",
        KIND,
        "A softmax by hand does not take off the largest logit, and exp overflows.",
        exponential_overflows,
        ("exp|softmax|overflow", "overflow|inf|nan|finite|subtract|max"),
        accuracy,
        bad=0.5,
        good=0.9,
    ),
    Bug(
        "branch not taken",
        "pytorch/pytorch#108618",
        KIND,
        "torch.where hides a log of 0, but its gradient is still NaN.",
        branch_not_taken,
        ("nan|finite", "gradient|where|log"),
        explained,
        bad=0.3,
        good=0.7,
    ),
)
