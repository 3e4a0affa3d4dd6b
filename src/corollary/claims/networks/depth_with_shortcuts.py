r"""Depth hurts plain networks and helps residual ones.

Two networks of :math:`L` tanh layers start from the same weights, of variance :math:`g^2/m` at
width :math:`m`; one of them has shortcuts. After the same gradient steps on the same points, on
average over runs,

* the plain network of the largest depth has a larger *training* loss than that of the smallest,
* the residual network has a smaller one, less than half that of the plain network of its depth,
* at the smallest depth the two are within a factor of two.

It is not overfitting: training itself fails, because gradients shrink with depth. Measured are the
four ratios of losses, with intervals over the runs, against 1, 1, 1/2 and 2.

:source: Perez Jensen (2025), Deep Learning, Section 2.3; Lucchi (2025), Foundations of Deep
    Learning, Section 10.2, Figures 10.13-10.15; He, Zhang, Ren and Sun (2016), "Deep residual
    learning for image recognition".
:kind: experiment
:cost: seconds
:uses: residual_jacobian, residual_identity
:covers: resnet-depth-experiment
"""

from copy import deepcopy
from functools import partial
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Along, Claim, Sample, Suppose, Sweep, Trial, at_most, normal, option
from corollary.core.picture import Marks, Points, picture
from corollary.data.imagenet_errors import resnets
from corollary.data.two_moons import two_moons
from corollary.train import fit

SHALLOW = 2  # hidden layers


class Stack(nn.Module):
    """Tanh networks of one depth side by side, one for each run, with or without shortcuts."""

    def __init__(self, depth: int, claim: "DepthWithShortcuts", rng: Generator) -> None:
        super().__init__()
        runs, m = claim.runs, claim.width
        self.first = nn.Parameter(normal(rng, runs, 2, m) / 2**0.5)
        self.W = nn.Parameter(claim.gain * normal(rng, depth, runs, m, m) / m**0.5)
        self.b = nn.Parameter(torch.zeros(depth, runs, 1, m, dtype=torch.float64))
        self.last = nn.Parameter(normal(rng, runs, m, 1) / m**0.5)
        self.shortcut = 0.0

    def hidden(self, x: Tensor) -> Tensor:
        """What reaches the last layer."""
        h = x.transpose(0, 1) @ self.first
        for W, b in zip(self.W, self.b, strict=True):
            h = self.shortcut * h + torch.tanh(h @ W + b)
        return h

    def forward(self, x: Tensor) -> Tensor:
        """Logits (n, runs) of points (n, runs, 2)."""
        return (self.hidden(x) @ self.last)[..., 0].T


class Given(NamedTuple):
    x: Tensor  # (n, runs, 2)
    y: Tensor  # (n, runs), labels -1 or +1
    plain: list[Stack]  # shallow and deep
    second: list[Stack]  # the same weights, with shortcuts


def carried(given: Given) -> float:
    """The share of the spread of the points that reaches the last layer, above a tenth."""
    deep = given.second[-1]
    with torch.no_grad():
        first = given.x.transpose(0, 1) @ deep.first
        return float(deep.hidden(given.x).std(dim=1).mean() / first.std(dim=1).mean()) - 0.1


def losses(z: Tensor, y: Tensor) -> Tensor:
    """The logistic loss of each run."""
    return nn.functional.softplus(-y * z).mean(dim=0)


class DepthWithShortcuts(Claim[Given]):
    L: int = option(24, low=2, high=64)  # hidden layers of the deep networks
    runs: int = option(10, low=2, high=100)  # repetitions with other points and weights
    width: int = option(16, low=4, high=128)  # units of a layer, m
    gain: float = option(0.7, low=0.1, high=0.9)  # weights have variance g²/m
    eta: float = option(0.05, low=1e-3, high=0.1)  # learning rate
    steps: int = option(40, low=10, high=1000)  # gradient steps

    relation = at_most()  # Student intervals over the runs
    supposes = (
        Suppose(
            "shortcuts carry the points through the second network",
            carried,
            "If both networks are plain, depth does not help.",
            second=lambda g: g.plain,
        ),
        Suppose(
            "the deep networks have at least eight times the layers",
            lambda g: len(g.plain[1].W) - 8 * len(g.plain[0].W) + 1,
            "If both networks have the same depth, their losses are equal.",
            plain=lambda g: g.plain[:1] * 2,
            second=lambda g: g.second[:1] * 2,
        ),
    )
    symbols = "limit", "ratio of training losses"
    predicts = [1.0, 1.0, 0.5, 2.0]
    rows = ("plain 2 : L", "residual L : 2", "L residual : plain", "2 plain : residual")
    shows = (
        Along("Training loss after the same number of steps", x="ratio", y="ratio of losses"),
        Sweep("Shortcuts help more in deeper networks", "L", (16, 24, 32), x="layers L", entry=2),
    )

    def given(self, rng: Generator) -> Given:
        drawn = [two_moons(100, noise=0.25, rng=rng) for _ in range(self.runs)]
        x, y = (torch.stack(part, dim=1) for part in zip(*drawn, strict=True))
        plain = [Stack(depth, self, rng) for depth in (SHALLOW, self.L)]
        second = deepcopy(plain)
        for stack in second:
            stack.shortcut = 1.0
        return Given((x - x.mean(0)) / x.std(0), y, plain, second)

    def measure(self, given: Given) -> list[Sample]:
        def trained(start: Stack) -> Tensor:
            net, sgd = deepcopy(start), partial(torch.optim.SGD, lr=self.eta)
            fit(net, (given.x, given.y), lambda z, y: losses(z, y).sum(), sgd, steps=self.steps)
            return losses(net(given.x), given.y).detach()

        (plain, deep), (short, long) = (map(trained, s) for s in (given.plain, given.second))
        return [Sample(r) for r in (plain / deep, long / short, long / deep, plain / short)]

    @picture(
        "ImageNet, as reported by He et al. (2016)",
        x="layers of the residual network",
        y="error in %",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        known = [(r.depth, r.top1, r.top5) for r in resnets() if r.depth and r.top1 and r.top5]
        depth, top1, top5 = zip(*known, strict=True)
        yield Points(depth, top1, "top-1", "other")
        yield Points(depth, top5, "top-5", "other")
