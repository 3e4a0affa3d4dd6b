"""Targets: shifted, cut, of unlike scales, or not what the loss should weigh."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import explained
from real_bugs.second.places import PlaceLoss, Speaker
from real_bugs.second.scores import next_letter
from real_bugs.second.tasks import letters
from real_bugs.tasks import digits, mlp

KIND = "targets"


class ShiftingLoss(nn.Module):
    """Compares each place with the label of the next one, as causal language models do."""

    def forward(self, logits: Tensor, labels: Tensor) -> Tensor:
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())


def shifted_twice(broken: bool) -> Arguments:
    ids, k = letters(length=25)
    model = Speaker(k)
    return dict(
        model=model,
        data=(ids[:, :-1], ids[:, 1:] if broken else ids[:, :-1]),
        loss=ShiftingLoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=32,
        steps=150,
    )


def end_taken_for_padding(broken: bool) -> Arguments:
    end, longest = 0, 10
    length = torch.randint(3, longest, (600, 1))
    place = torch.arange(longest)
    words = length - place.clamp(max=longest)  # counts down, so that the end can be foreseen
    x = torch.where(place < length, words, end)
    following = torch.cat([x[:, 1:], torch.full((600, 1), end)], 1)
    y = torch.where(place < length, following, end if broken else -100)
    model = Speaker(longest + 1, width=24)
    return dict(
        model=model,
        data=(x, y),
        loss=PlaceLoss(ignored=end if broken else -100),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=150,
    )


def ends_foreseen(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of sentences whose end is foreseen at their last word."""
    last = (x > 0).sum(1) - 1
    return float((model(x)[torch.arange(len(x)), last].argmax(-1) == 0).float().mean())


def cut_to_integers(broken: bool) -> Arguments:
    x = torch.randn(800, 6)
    y = (x[:, :1] - x[:, 1:2] * x[:, 2:3]).sigmoid()
    model = mlp(6, 1)
    return dict(
        model=model,
        data=(x[:600], y[:600].long() if broken else y[:600]),
        held_out=(x[600:], y[600:]),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=300,
    )


def two_targets_of_unlike_scale(broken: bool) -> Arguments:
    x = torch.randn(600, 8)
    price = 40_000 + 9_000 * x[:, 0] * x[:, 1] + 9_000 * x[:, 2]
    rating = (x[:, 3] * x[:, 4]).tanh() + 0.5 * x[:, 5]
    y = torch.stack([price, rating], 1)
    model = mlp(8, 2)
    return dict(
        model=model,
        data=(x, y if broken else (y - y.mean(0)) / y.std(0)),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=500,
    )


def worst_explained(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of the variance explained of the target that is explained worst."""
    error = (model(x) - y).square().mean(0)
    return float((1 - error / y.var(0)).min())


def angle_in_degrees(broken: bool) -> Arguments:
    turn = 2 * math.pi * torch.rand(600, 1)
    seen = torch.cat([turn.cos(), turn.sin()], 1) + 0.25 * torch.randn(600, 2)
    x = torch.cat([seen, torch.randn(600, 6)], 1)
    y = turn / math.pi - 1 if broken else torch.cat([turn.cos(), turn.sin()], 1)
    model = mlp(8, 1 if broken else 2)
    return dict(
        model=model,
        data=(x, y),
        loss=nn.MSELoss(),
        optimizer=Adam(model.parameters(), lr=3e-3),
        batch_size=64,
        steps=250,
    )


def direction(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of angles that are right within 45 degrees."""
    out = model(x)
    if y.shape[1] == 1:
        gap = math.pi * (out - y)
    else:
        gap = torch.atan2(out[:, 1], out[:, 0]) - torch.atan2(y[:, 1], y[:, 0])
    near_seam = x[:, 0] > x[:, 1].abs()  # the quarter in which 0 and 360 degrees meet
    return float((gap.cos() > 0.5**0.5).flatten()[near_seam].float().mean())


class Vae(nn.Module):
    """A variational autoencoder; gives the picture, the mean and the log-variance of its code."""

    def __init__(self) -> None:
        super().__init__()
        self.encode, self.decode = mlp(64, 16, depth=1), mlp(8, 64, depth=1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_var = self.encode(x).chunk(2, 1)
        noise = torch.randn_like(mean) if self.training else 0.0
        return self.decode(mean + (0.5 * log_var).exp() * noise), mean, log_var


class Evidence(nn.Module):
    """Reconstruction error, as a mean over pixels or a sum, plus the divergence from the prior."""

    def __init__(self, mean_over_pixels: bool) -> None:
        super().__init__()
        self.mean_over_pixels = mean_over_pixels

    def forward(self, out: tuple[Tensor, Tensor, Tensor], x: Tensor) -> Tensor:
        picture, mean, log_var = out
        error = 8 * (picture - x).square()
        error = error.mean(1) if self.mean_over_pixels else error.sum(1)
        divergence = 0.5 * (log_var.exp() + mean.square() - 1 - log_var).sum(1)
        return (error + divergence).mean()


def divergence_outweighs(broken: bool) -> Arguments:
    x, _ = digits()
    model = Vae()
    return dict(
        model=model,
        data=(x, x),
        loss=Evidence(mean_over_pixels=broken),
        optimizer=Adam(model.parameters(), lr=0.01),
        batch_size=64,
        steps=300,
    )


def reconstruction(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Share of the variance of the pictures that is in their reconstructions."""
    return float(1 - (model(x)[0] - x).square().mean() / (x - x.mean(0)).square().mean())


BUGS = (
    Bug(
        "labels shifted twice",
        "InternLM/InternLM#318",
        KIND,
        "The data set shifts the labels by one token and the loss shifts them once more.",
        shifted_twice,
        ("shift|next token|offset|one place", "label|target"),
        next_letter,
        bad=0.25,
        good=0.35,
    ),
    Bug(
        "end of sentence taken for padding",
        "mlabonne/llm-course#33",
        KIND,
        "The end token is also the padding token, which the loss ignores: no end is ever learned.",
        end_taken_for_padding,
        ("ignore|mask|padding|-100|never", "label|target|class|token"),
        ends_foreseen,
        bad=0.2,
        good=0.9,
    ),
    Bug(
        "targets cut to integers",
        "amaiya/ktrain#129",
        KIND,
        "Targets between 0 and 1 are cast to integers, and all of them become 0.",
        cut_to_integers,
        ("target|label", "integer|constant|int64|all 0|all zero|one value|no variance"),
        explained,
        bad=0.1,
        good=0.8,
    ),
    Bug(
        "two targets of unlike scale",
        "vlfeat/matconvnet#1146",
        KIND,
        "The error of a price in thousands drowns that of a rating near 1 in one loss.",
        two_targets_of_unlike_scale,
        ("target|output", "scale|standardi|normali|magnitude|large"),
        worst_explained,
        bad=0.2,
        good=0.8,
    ),
    Bug(
        "angle with a seam",
        "WeijingShi/Point-GNN#49",
        KIND,
        "An angle is regressed as one number, although 0 and 360 degrees are the same.",
        angle_in_degrees,
        ("target|angle|output|function", "discontinu|jump|wrap|periodic|steep|sine"),
        direction,
        bad=0.75,
        good=0.85,
    ),
    Bug(
        "divergence outweighs the reconstruction",
        "AppliedDataSciencePartners/WorldModels#12",
        KIND,
        "The error is a mean over pixels and the divergence a sum, so that the code is ignored.",
        divergence_outweighs,
        (
            "ignore|constant|collapse|does not depend|same output",
            "code|input|output|divergence|term",
        ),
        reconstruction,
        bad=0.15,
        good=0.3,
    ),
)
