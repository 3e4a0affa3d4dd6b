"""Wires: where the gradient stops, and rows that go to the wrong place."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.second.scores import overlap
from real_bugs.second.tasks import patches
from real_bugs.tasks import mlp
from real_bugs.third.tasks import numbers, split

KIND = "wiring"


class Compressor(nn.Module):
    """Digits through twelve rounded numbers to their class."""

    def __init__(self, straight_through: bool) -> None:
        super().__init__()
        self.encode, self.decode = mlp(64, 12, depth=1), mlp(12, 10, width=64)
        self.straight_through = straight_through

    def forward(self, x: Tensor) -> Tensor:
        soft = 2 * torch.tanh(self.encode(x))
        if self.straight_through:
            code = soft + (soft.round() - soft).detach()
        else:
            code = (soft + (soft.round() - soft).detach()).round()
        return self.decode(code)


def rounded_once_more(broken: bool) -> Arguments:
    data, held_out = numbers()
    model = Compressor(straight_through=not broken)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=500,
    )


class DiceLoss(nn.Module):
    """One minus the overlap of masks, of probabilities or after a threshold."""

    def __init__(self, threshold: bool) -> None:
        super().__init__()
        self.threshold = threshold

    def forward(self, logits: Tensor, mask: Tensor) -> Tensor:
        p = logits.sigmoid()
        if self.threshold:
            p = (p > 0.5).float().detach().requires_grad_()
        return 1 - (2 * (p * mask).sum() + 1) / (p.sum() + mask.sum() + 1)


def mask_cut_before_the_loss(broken: bool) -> Arguments:
    data, held_out = split(*patches(n=300), train=200)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 5, padding=2),
        nn.ReLU(),
        nn.Conv2d(8, 8, 5, padding=2),
        nn.ReLU(),
        nn.Conv2d(8, 1, 1),
    )
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=DiceLoss(threshold=broken),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=32,
        steps=150,
    )


class Candidates(nn.Module):
    """Scores of four candidates for each query."""

    def __init__(self, interleave: bool) -> None:
        super().__init__()
        self.query, self.candidate = nn.Linear(8, 24), nn.Linear(8, 24)
        self.score, self.interleave = mlp(48, 1, depth=2, width=48), interleave

    def forward(self, x: Tensor) -> Tensor:
        n, k = len(x), x.shape[1] - 1
        asked, offered = F.relu(self.query(x[:, 0])), F.relu(self.candidate(x[:, 1:]))
        asked = asked.repeat_interleave(k, 0) if self.interleave else asked.repeat(k, 1)
        return self.score(torch.cat([asked, offered.flatten(0, 1)], 1)).view(n, k)


def repeated_in_the_wrong_order(broken: bool) -> Arguments:
    x = torch.randn(1500, 5, 8)
    y = torch.randint(4, (1500,))
    row = torch.arange(1500)
    x[row, 1 + y] = x[:, 0] + 0.3 * torch.randn(1500, 8)
    data, held_out = split(x, y, train=1200)
    model = Candidates(interleave=not broken)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=400,
    )


BUGS = (
    Bug(
        "rounded once more",
        "Justin-Tan/generative-compression#51",
        KIND,
        "The straight-through code is rounded again, and no gradient reaches the encoder.",
        rounded_once_more,
        (
            "round|quanti|piecewise|step function|differentiable|straight-through|constant",
            "gradient|encode",
        ),
        accuracy,
        bad=0.7,
        good=0.9,
    ),
    Bug(
        "mask cut before the loss",
        "qubvel-org/segmentation_models.pytorch#611",
        KIND,
        "The Dice loss thresholds the mask and makes a new tensor of it, so that no weight learns.",
        mask_cut_before_the_loss,
        (
            "gradient|graph|backward|loss",
            "none|no gradient|cut|detach|threshold|new tensor|not reach|disconnect"
            "|does not depend|not depend|not connected|without a gradient|no parameter",
        ),
        overlap,
        bad=0.3,
        good=0.6,
    ),
    Bug(
        "repeated in the wrong order",
        "huggingface/transformers#25074",
        "tensors and axes",
        "repeat instead of repeat_interleave pairs queries with candidates of other queries.",
        repeated_in_the_wrong_order,
        ("sample|batch|row", "other|mix|depend|neighbour|neighbor|repeat|interleave|align|wrong"),
        accuracy,
        bad=0.5,
        good=0.8,
    ),
)
