r"""Depth hurts plain networks and helps residual ones.

Two networks of :math:`L` tanh layers start from the same weights, of variance :math:`g^2/m` at
width :math:`m`; one of them has shortcuts. After the same gradient steps on the same points, in
every run,

* the plain network of the largest depth has a larger *training* loss than that of the smallest,
* the residual network has a smaller one, less than half that of the plain network of its depth,
* at the smallest depth the two are within a factor of two.

It is not overfitting: training itself fails, because gradients shrink with depth. Measured are the
four ratios of losses, the worst of all runs, against 1, 1, 1/2 and 2.

:source: Perez Jensen (2025), Deep Learning, Section 2.3; Lucchi (2025), Foundations of Deep
    Learning, Section 10.2, Figures 10.13-10.15; He, Zhang, Ren and Sun (2016), "Deep residual
    learning for image recognition".
:kind: experiment
:cost: seconds
:covers: resnet-depth-experiment
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.data.imagenet_errors import resnets
from corollary.data.two_moons import two_moons
from corollary.models.residual import ResidualMLP
from corollary.train import fit


class Given(NamedTuple):
    """How to train what."""

    seed: int
    depths: tuple[int, ...]
    runs: int
    width: int
    gain: float
    eta: float
    steps: int
    shortcut: bool  # whether the second network has shortcuts


class DepthWithShortcuts(Claim[Given]):
    depths: tuple[int, ...] = (2, 8, 24)  # hidden layers, growing
    runs: int = 3  # repetitions with other points and weights
    width: int = option(16, low=4, high=128)  # units of a layer, m
    gain: float = option(0.7, low=0.1, high=0.9)  # weights have variance g²/m
    eta: float = option(0.05, low=1e-3, high=0.1)  # step size
    steps: int = option(40, low=10, high=1000)  # gradient steps
    relation = at_most()  # the ratios are far from the limits; rounding plays no part

    def given(self, rng: Generator) -> Given:
        """A seed."""
        seed = int(torch.randint(2**31, (), generator=rng))
        how = (self.runs, self.width, self.gain, self.eta, self.steps)
        return Given(seed, self.depths, *how, True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Shortcuts, and depths that differ."""
        yield Hypothesis("the second network has shortcuts", given.shortcut)
        yield Hypothesis(
            "the largest depth is at least eight times the smallest",
            given.depths[-1] >= 8 * given.depths[0],
        )

    def predict(self, given: Given) -> list[float]:
        """Limits of the four ratios."""
        return [1.0, 1.0, 0.5, 2.0]

    def measure(self, given: Given) -> list[float]:
        """The worst ratios of all runs."""
        plain, residual = depth_sweep(given, False), depth_sweep(given, given.shortcut)
        ratios = (
            plain[0] / plain[-1],
            residual[-1] / residual[0],
            residual[-1] / plain[-1],
            plain[0] / residual[0],
        )
        return [float(ratio.max()) for ratio in ratios]

    def counterexample(self, rng: Generator) -> Given:
        """Two plain networks: nothing is gained."""
        given = self.given(rng)
        return given._replace(shortcut=False, depths=(given.depths[0], given.depths[-1]), runs=1)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Training losses against depth, and the errors reported on ImageNet."""
        marks = []
        for shortcut, label in ((False, "plain"), (given.shortcut, "with shortcuts")):
            losses = depth_sweep(given, shortcut)  # (depths, runs)
            low, mid, high = losses.min(1).values, losses.mean(1), losses.max(1).values
            role = "measured" if label != "plain" else "other"
            words = f"{label}, range of runs"
            marks.append(Curve(mid, x=given.depths, label=f"{label}, mean", role=role))
            marks.append(Points(given.depths, mid, label=words, role=role, low=low, high=high))
        ours = Figure(
            "Training loss after the same number of steps",
            x="hidden layers L",
            y="training loss",
            log_x=True,
            log_y=True,
            marks=tuple(marks),
        )
        rows = resnets()
        depth = [r.depth for r in rows]
        table = Figure(
            "ImageNet, as reported by He et al. (2016)",
            x="layers of the residual network",
            y="error in %",
            marks=(
                Points(depth, [r.top1 for r in rows], label="top-1", role="other"),
                Points(depth, [r.top5 for r in rows], label="top-5", role="other"),
            ),
        )
        return ours, table


@lru_cache(maxsize=8)
def depth_sweep(given: Given, shortcut: bool) -> Tensor:
    """Training losses at the end, a row a depth and a column a run."""
    return torch.stack([_last_losses(given, L, shortcut) for L in given.depths])


def networks(given: Given, L: int, shortcut: bool) -> tuple[list[ResidualMLP], Tensor, Tensor]:
    """The networks of all runs at their start, with points (n, runs, 2) and labels (n, runs)."""
    nets, points, labels = [], [], []
    for run in range(given.runs):
        rng = torch.Generator().manual_seed(given.seed + run)
        x, y = two_moons(100, noise=0.25, rng=rng)
        points.append((x - x.mean(0)) / x.std(0))
        labels.append((y + 1) / 2)
        sizes = (2, given.width, L, 1, "tanh")
        nets.append(ResidualMLP(*sizes, shortcut=shortcut, gain=given.gain, rng=rng))
    return nets, torch.stack(points, 1), torch.stack(labels, 1)


class Together(nn.Module):
    """Networks of one shape side by side: every layer is one batched product for all of them."""

    def __init__(self, nets: list[ResidualMLP], shortcut: bool) -> None:
        super().__init__()
        self.shortcut = shortcut
        rows = [[n.first, *(getattr(h, "block", h).affine for h in n.hidden), n.last] for n in nets]
        layers = list(zip(*rows, strict=True))  # one layer of all networks
        self.W = nn.ParameterList(torch.stack([f.W.detach() for f in fs]) for fs in layers)
        self.b = nn.ParameterList(torch.stack([f.b.detach()[None] for f in fs]) for fs in layers)

    def forward(self, x: Tensor) -> Tensor:
        """Logits (n, runs) of points (n, runs, d)."""
        *inner, last = zip(self.W, self.b, strict=True)
        (W, b), *hidden = inner
        h = torch.baddbmm(b, x.transpose(0, 1), W.mT)
        for W, b in hidden:
            change = torch.tanh(torch.baddbmm(b, h, W.mT))
            h = h + change if self.shortcut else change
        return torch.baddbmm(last[1], h, last[0].mT)[..., 0].T


def _last_losses(given: Given, L: int, shortcut: bool) -> Tensor:
    nets, x, y = networks(given, L, shortcut)
    model = Together(nets, shortcut)

    def losses(z: Tensor, target: Tensor) -> Tensor:
        return nn.functional.softplus((1 - 2 * target) * z).mean(dim=0)  # (runs,)

    def total(z: Tensor, target: Tensor) -> Tensor:  # its gradient trains each run on its own
        return losses(z, target).sum()

    fit(model, (x, y), total, lambda p: torch.optim.SGD(p, lr=given.eta), steps=given.steps)
    with torch.no_grad():
        return losses(model(x), y)
