r"""Training does not find the robust network.

Nearly orthogonal points of length :math:`\sqrt d` have a network that needs perturbations of order
:math:`\sqrt d` (see robust_network), whatever the number m of points. Gradient descent on the
logistic loss ends elsewhere: a small change along :math:`\sum_iy_ix_i` moves all points at
once, and perturbations of order :math:`\sqrt{d/m}` flip the trained network. Measured: the median
distance to a flip over :math:`\sqrt d` as m grows, by DeepFool or along that sum, whichever is
less, and of that the geometric mean over draws; it falls like :math:`m^{-1/2}` or faster, within
the gap of the fit.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.2; Vardi, Yehudai and Shamir
    (2022), "Gradient methods provably converge to non-robust networks", Theorem 4.1.
:kind: experiment
:cost: seconds
:covers: robustness-of-trained-networks
"""

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Points,
    Series,
    generator,
    option,
    slope,
)
from corollary.models.mlp import MLP
from corollary.models.random_two_layer import on_sphere
from corollary.models.robust_two_layer import correlation, unchecked_network
from corollary.theory.robustness.flip import DeepFool
from corollary.train import fit


class Given(NamedTuple):
    """Seeds of points, labels and starts; whether the network is trained."""

    seeds: tuple[int, ...]
    trained: bool


class TrainedRobustness(Claim[Given]):
    d: int = option(300, low=50, high=2000)  # dimension
    sizes: tuple[int, ...] = (8, 16, 32, 64)  # numbers of points
    width: int = option(100, low=10, high=1000)  # hidden units
    steps: int = option(400, low=100, high=5000)  # of training
    draws: int = option(3, low=1, high=50)  # of points and labels
    relation = slope(
        gap=0.1, side=-1
    )  # at these m and d it is -0.46; the theorem is about the limit

    def given(self, rng: Generator) -> Given:
        """Seeds."""
        seeds = torch.randint(2**31, (self.draws,), generator=rng)
        return Given(tuple(seeds.tolist()), True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Nearly orthogonal data, and a network that was trained."""
        c = max(correlation(self._points(seed)[0]) for seed in given.seeds)
        yield Hypothesis("the points are nearly orthogonal", c < 0.5, f"c = {c:.3g}")
        yield Hypothesis("the network is trained by gradient descent", given.trained)

    def predict(self, given: Given) -> float:
        """Distances in units of sqrt(d) fall like 1/sqrt(m)."""
        return -0.5

    def measure(self, given: Given) -> Series:
        """Median flip distance over sqrt(d), the geometric mean over draws."""
        return Series(self.sizes, _middle(self._medians(given)))

    def counterexample(self, rng: Generator) -> Given:
        """The construction itself: its radius hardly depends on m."""
        return self.given(rng)._replace(trained=False)

    def figure(self, given: Given) -> Figure:
        """Medians of both networks, with their spread over the draws."""
        trained, built = (self._medians(given._replace(trained=t)) for t in (True, False))
        first = _middle(trained)[0]
        guide = [first * (self.sizes[0] / m) ** 0.5 for m in self.sizes]

        def points(medians: Tensor, label: str, role: str) -> Points:
            return Points(
                self.sizes, _middle(medians), label=label, role=role,
                low=medians.amin(dim=0), high=medians.amax(dim=0),
            )  # fmt: skip

        return Figure(
            "Trained networks against the construction",
            x="m",
            y="median distance to a flip / √d",
            log_x=True,
            log_y=True,
            marks=(
                points(trained, "trained, range of draws", "measured"),
                Curve(guide, self.sizes, label="∝ m^(−1/2)", role="predicted"),
                points(built, "constructed, range of draws", "other"),
            ),
        )

    def _points(self, seed: int) -> tuple[Tensor, Tensor]:
        """Uniform on the sphere, random labels; the first m are used."""
        rng, m = generator(seed, "points"), max(self.sizes)
        y = 2.0 * torch.randint(2, (m,), generator=rng).double() - 1
        return on_sphere(m, self.d, rng=rng), y

    def _medians(self, given: Given) -> Float[Tensor, "draws sizes"]:
        rows = [_medians(self, seed, given.trained) for seed in given.seeds]
        return torch.tensor(rows, dtype=torch.float64)

    def _net(self, seed: int, x: Tensor, y: Tensor) -> nn.Module:
        net = MLP([self.d, self.width, 1], rng=generator(seed, "start"))
        with torch.no_grad():  # a small start, so that the end is what training prefers
            for p in net.parameters():
                p.mul_(0.1)
        descent = partial(torch.optim.SGD, lr=0.05, momentum=0.9)
        fit(net, (x, y), _logistic, descent, steps=self.steps, rng=seed)
        return net


@lru_cache(maxsize=64)
def _medians(claim: TrainedRobustness, seed: int, trained: bool) -> tuple[float, ...]:
    """The median distance over sqrt(d) at each size; computed once for measure and figure."""
    points, labels = claim._points(seed)
    out = []
    for m in claim.sizes:
        x, y = points[:m], labels[:m]
        net = claim._net(seed, x, y) if trained else unchecked_network(x, y, correlation(x))
        found = DeepFool(box=None, overshoot=0.001)(net, x, y)
        sizes = torch.where(found.fooled, found.size("l2"), torch.inf)
        out.append(float(torch.minimum(sizes, _along_all(net, x, y)).median()) / claim.d**0.5)
    return tuple(out)


def _middle(medians: Float[Tensor, "draws sizes"]) -> list[float]:
    """The geometric mean over draws."""
    return medians.log().mean(dim=0).exp().tolist()


def _along_all(net: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """Distance at which each point flips along -y times the sum of all y_i x_i, by bisection."""
    z = (y[:, None] * x).sum(dim=0)
    step = -y[:, None] * z / z.norm()
    low, high = torch.zeros_like(y), x.norm(dim=1)
    with torch.no_grad():
        lost = y * net(x + high[:, None] * step).reshape(-1) <= 0
        for _ in range(40):
            middle = (low + high) / 2
            kept = y * net(x + middle[:, None] * step).reshape(-1) > 0
            low, high = torch.where(kept, middle, low), torch.where(kept, high, middle)
    return torch.where(lost, high, torch.inf)


def _logistic(out: Tensor, y: Tensor) -> Tensor:
    return nn.functional.softplus(-y * out[:, 0]).mean()
