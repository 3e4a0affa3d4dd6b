r"""Two hidden layers approximate better than one (Eldan and Shamir).

There are constants c, C such that for :math:`n \ge C` some density :math:`\varphi^2` and some
radial g, :math:`|g| \le 2`, supported in :math:`\|x\| \le C\sqrt n`, computed by two hidden layers
of width :math:`C c_\sigma n^{19/4}`, satisfy

.. math:: \mathbb E_{x\sim\varphi^2} (f(x) - g(x))^2 \ge c

for every f with one hidden layer of width at most :math:`c\,e^{cn}`.

The constants are not known, so this is an illustration and no proof. The target flips its sign on
shells; two hidden layers are written down; networks with one hidden layer and as many parameters
are trained on points of the target, each from other weights, their outer weights solved for before
and after. On new points their mean error is over ten times that of the two layers, and it grows
with n.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 33; Eldan and Shamir (2016), "The
    power of depth for feedforward neural networks", Theorem 1.
:kind: experiment
:cost: seconds
:uses: weighted_parseval, ridge_tubes, tube_volume, ball_density, radial_network
:covers: eldan-shamir
:loose: The constant of the theorem is not known, so the claim compares two errors.
"""

from collections.abc import Callable
from math import ceil
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Along, Claim, Sample, Suppose, at_least, option
from corollary.data.radial_shells import radial_points, radial_shells
from corollary.models.approximators.shallow import Superposition, random_units
from corollary.models.radial import RadialNetwork
from corollary.train import fit


class Given(NamedTuple):
    target: Callable[[Tensor], Tensor]  # to learn
    deep: tuple[RadialNetwork, ...]  # the deep network
    points: tuple[Tensor, ...]  # to learn from, for each dimension
    fresh: tuple[Tensor, ...]  # new ones
    widths: tuple[int, ...]  # of the shallow networks


def size(net: nn.Module) -> int:
    """Number of parameters."""
    return sum(p.numel() for p in net.parameters())


def solved(w: Tensor, b: Tensor, x: Tensor, y: Tensor) -> Superposition:
    """Outer weights by ridge regression; without a penalty 400 units would fit the noise."""
    features = torch.relu(x @ w.T + b)
    gram = features.T @ features
    gram.diagonal().add_(1e-3 * float(gram.diagonal().mean()))
    return Superposition(torch.relu, w, b, torch.linalg.solve(gram, features.T @ y))


def coarse(self: "EldanShamir", given: Given, rng: Generator) -> Given:
    """A deep network with too few parameters does not fit the shells."""
    shells = radial_shells(self.N, 1.0, alternate=True, rng=rng)
    return given._replace(deep=tuple(RadialNetwork(shells, n, 2, 0.004) for n in self.dimensions))


class EldanShamir(Claim[Given]):
    N: int = option(4, low=2, high=12)  # shells
    dimensions: tuple[int, ...] = option((2, 4, 8), low=1, high=16)  # values of n
    draws: int = option(1200, low=100, high=20_000)  # points to train on, and new ones
    runs: int = option(6, low=2, high=100)  # shallow networks in each dimension
    steps: int = option(20, low=0, high=5000)  # steps of Adam

    relation = at_least()  # means over points and runs; the two are far apart
    supposes = (
        Suppose(
            "the target depends on the norm alone",
            lambda g: all(torch.equal(g.target(x), g.target(x.flip(1).neg())) for x in g.fresh),
            "A target that depends on one direction only is easy for one layer.",
            target=lambda g: lambda x: torch.tanh(3 * x[:, 0]),
        ),
        Suppose(
            "both networks have the same number of parameters",
            lambda g: all(
                0.9 <= m * (x.shape[1] + 2) / size(net) <= 1.1
                for m, x, net in zip(g.widths, g.points, g.deep, strict=True)
            ),
            without=coarse,
        ),
    )
    symbols = "two hidden layers, written down", "one hidden layer, trained"
    rows = "n = {dimensions}"
    shows = Along("Test error on radial shells", x="n", y="E(f − g)²", at="dimensions", log="y")

    def given(self, rng: Generator) -> Given:
        shells = radial_shells(self.N, 1.0, alternate=True, rng=rng)
        deep = tuple(RadialNetwork(shells, n, ceil(12 * n**0.5), 0.004) for n in self.dimensions)
        old, new = (
            tuple(radial_points(self.draws, n, rng=rng) for n in self.dimensions) for _ in range(2)
        )
        widths = tuple(size(net) // (n + 2) for net, n in zip(deep, self.dimensions, strict=True))
        return Given(shells, deep, old, new, widths)

    def predict(self, given: Given) -> list[float]:
        pairs = zip(given.deep, given.fresh, strict=True)
        return [(net(x) - given.target(x)).square().mean().item() for net, x in pairs]

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        def error(x: Tensor, new: Tensor, m: int) -> float:
            y = given.target(x)
            net = solved(*random_units(m, x.shape[1], 4.0, low=-1.0, rng=rng), x, y)
            adam = lambda p: torch.optim.Adam(p, lr=0.01)  # noqa: E731
            fit(net, (x, y), nn.functional.mse_loss, adam, steps=self.steps)
            net = solved(net.w.detach(), net.b.detach(), x, y)
            return float((net(new).detach() - given.target(new)).square().mean())

        tasks = zip(given.points, given.fresh, given.widths, strict=True)
        return [Sample([error(*task) for _ in range(self.runs)]) for task in tasks]
