r"""Two hidden layers beat one (Eldan and Shamir).

There are constants c, C such that for :math:`n \ge C` some density :math:`\varphi^2` and some
radial g, :math:`|g| \le 2`, supported in :math:`\|x\| \le C\sqrt n`, computed by two hidden layers
of width :math:`C c_\sigma n^{19/4}`, satisfy

.. math:: \mathbb E_{x\sim\varphi^2} (f(x) - g(x))^2 \ge c

for every f with one hidden layer of width at most :math:`c\,e^{cn}`.

The constants are not known, so this is an illustration and no proof. The target flips its sign on
shells; two hidden layers are written down; one hidden layer with as many parameters is trained on
points of the target, its outer weights solved for before and after. On new points its error is
larger, and it grows with n.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 33; Eldan and Shamir (2016), "The
    power of depth for feedforward neural networks", Theorem 1.
:kind: experiment
:cost: seconds
:covers: eldan-shamir
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Claim, Figure, Hypothesis, Level, Points, at_least, option
from corollary.data.radial_shells import RadialShells, radial_points, radial_shells
from corollary.models.approximators.shallow import Superposition, random_units
from corollary.models.radial import RadialNetwork
from corollary.train import fit


class Given(NamedTuple):
    """For each dimension: what to learn, the deep and the shallow network, and new points."""

    targets: tuple[Callable[[Tensor], Tensor], ...]
    deep: tuple[RadialNetwork, ...]
    shallow: tuple[Superposition, ...]
    points: tuple[Tensor, ...]


@dataclass(frozen=True)
class EldanShamir(Claim[Given]):
    """Errors on new points of one and of two hidden layers with as many parameters."""

    N: int = option(4, low=2, high=12)  # shells
    dimensions: tuple[int, ...] = option((2, 4, 8), low=1, high=16)  # values of n
    draws: int = option(1500, low=100, high=20_000)  # points to train on, and new ones
    steps: int = option(60, low=0, high=5000)  # of Adam
    relation = at_least()  # means over points; the two are far apart

    def given(self, rng: Generator) -> Given:
        """Networks for alternating shells."""
        shells = radial_shells(self.N, 1.0, alternate=True, rng=rng)
        return self._learned(shells, [shells] * len(self.dimensions), rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A radial target and equal means."""
        pairs = list(zip(given.targets, given.points, strict=True))
        radial = all(bool((g(x) == g(x.flip(1).neg())).all()) for g, x in pairs)
        yield Hypothesis("the target depends on the norm alone", radial)
        sizes = [(_size(a), _size(b)) for a, b in zip(given.deep, given.shallow, strict=True)]
        fair = all(0.9 * deep <= shallow <= 1.1 * deep for deep, shallow in sizes)
        yield Hypothesis("both networks have as many parameters", fair, f"{sizes}")

    def predict(self, given: Given) -> list[float]:
        """The errors of two hidden layers."""
        return _errors(given.deep, given)

    def measure(self, given: Given) -> list[float]:
        """The errors of one."""
        return _errors(given.shallow, given)

    def counterexample(self, rng: Generator) -> Given:
        """A target along one direction, which one hidden layer learns and the radial one cannot."""
        shells = radial_shells(self.N, 1.0, alternate=True, rng=rng)
        ridges = [lambda x: torch.tanh(3 * x[:, 0]) for _ in self.dimensions]
        return self._learned(shells, ridges, rng)

    def figure(self, given: Given) -> Figure:
        """Errors against the dimension."""
        n = [x.shape[1] for x in given.points]
        budgets = ", ".join(str(_size(net)) for net in given.deep)
        marks = (
            Points(n, self.predict(given), "two hidden layers, written down", "predicted"),
            Points(n, self.measure(given), "one hidden layer, trained"),
            Level(1.0, "no better than zero", "other"),
        )
        caption = f"Parameters of each: {budgets}."
        return Figure("Shells on new points", "n", "E(f - g)²", marks, log_y=True, caption=caption)

    def _learned(
        self, shells: RadialShells, targets: list[Callable[[Tensor], Tensor]], rng: Generator
    ) -> Given:
        deep, shallow, points = [], [], []
        for n, target in zip(self.dimensions, targets, strict=True):
            net = RadialNetwork(shells, n, ceil(12 * n**0.5), 0.004)
            x = radial_points(self.draws, n, rng=rng)
            deep.append(net)
            shallow.append(trained(target, x, _size(net) // (n + 2), self.steps, rng=rng))
            points.append(radial_points(self.draws, n, rng=rng))
        return Given(tuple(targets), tuple(deep), tuple(shallow), tuple(points))


def trained(
    target: Callable[[Tensor], Tensor], x: Tensor, m: int, steps: int, *, rng: Generator
) -> Superposition:
    """One hidden layer of m rectifiers: outer weights solved for, all trained, solved for again."""
    y = target(x)
    w, b = random_units(m, x.shape[1], 4.0, low=-1.0, high=1.0, rng=rng)
    net = _solved(w, b, x, y)
    if steps:
        adam = lambda p: torch.optim.Adam(p, lr=0.01)  # noqa: E731
        fit(net, (x, y), nn.functional.mse_loss, adam, steps=steps)
        net = _solved(net.w.detach(), net.b.detach(), x, y)
    return net


def _solved(w: Tensor, b: Tensor, x: Tensor, y: Tensor) -> Superposition:
    """Outer weights by ridge regression; without a penalty 400 units would fit the noise."""
    features = torch.relu(x @ w.T + b)
    gram = features.T @ features
    gram.diagonal().add_(1e-3 * float(gram.diagonal().mean()))
    return Superposition(torch.relu, w, b, torch.linalg.solve(gram, features.T @ y))


def _errors(networks: tuple[nn.Module, ...], given: Given) -> list[float]:
    with torch.no_grad():
        return [
            float((net(x) - g(x)).square().mean())
            for net, g, x in zip(networks, given.targets, given.points, strict=True)
        ]


def _size(net: nn.Module) -> int:
    return sum(p.numel() for p in net.parameters())
