r"""Training does not find the robust network.

Nearly orthogonal points of length :math:`\sqrt d` have a network that needs perturbations of order
:math:`\sqrt d` (see robust_network), whatever the number m of points. Gradient descent on the
logistic loss ends elsewhere: a small change along :math:`\sum_iy_ix_i` moves all points at
once, and perturbations of order :math:`\sqrt{d/m}` flip the trained network. Measured: the median
distance to a flip over :math:`\sqrt d` as m grows, by DeepFool or along that sum, whichever is
less; it falls like :math:`m^{-1/2}` or faster, within the gap of the fit.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.2; Vardi, Yehudai and Shamir
    (2022), "Gradient methods provably converge to non-robust networks", Theorem 4.1.
:kind: experiment
:cost: seconds
:covers: robustness-of-trained-networks
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
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
    """Points and labels, of which the first m are used; whether the network is trained."""

    x: Float[Tensor, "m d"]
    y: Float[Tensor, " m"]
    trained: bool
    seed: int


@dataclass(frozen=True)
class TrainedRobustness(Claim[Given]):
    """Flip distances of trained networks against the number of points."""

    d: int = option(300, low=50, high=2000)  # dimension
    sizes: tuple[int, ...] = (8, 16, 32, 64)  # numbers of points
    width: int = option(100, low=10, high=1000)  # hidden units
    steps: int = option(400, low=100, high=5000)  # of training
    relation = slope(gap=0.2, side=-1)  # four sizes of one draw; the theorem is about the limit

    def given(self, rng: Generator) -> Given:
        """Uniform on the sphere, random labels."""
        m = max(self.sizes)
        y = 2.0 * torch.randint(2, (m,), generator=rng).double() - 1
        seed = int(torch.randint(2**31, (1,), generator=rng))
        return Given(on_sphere(m, self.d, rng=rng), y, True, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Nearly orthogonal data, and a network that was trained."""
        c = correlation(given.x)
        yield Hypothesis("the points are nearly orthogonal", c < 0.5, f"c = {c:.3g}")
        yield Hypothesis("the network is trained by gradient descent", given.trained)

    def predict(self, given: Given) -> float:
        """Distances in units of sqrt(d) fall like 1/sqrt(m)."""
        return -0.5

    def measure(self, given: Given) -> Series:
        """Median flip distance over sqrt(d)."""
        return Series(self.sizes, [float(r.median()) for r in self._ratios(given)])

    def counterexample(self, rng: Generator) -> Given:
        """The construction itself: its radius hardly depends on m."""
        return self.given(rng)._replace(trained=False)

    def figure(self, given: Given) -> Figure:
        """Ratios of both networks, with their spread over the points."""
        trained, built = (self._ratios(given._replace(trained=t)) for t in (True, False))
        first = float(trained[0].median())
        guide = [first * (self.sizes[0] / m) ** 0.5 for m in self.sizes]
        return Figure(
            "Trained networks against the construction",
            x="m",
            y="distance to a flip / √d",
            log_x=True,
            log_y=True,
            marks=(
                Points(
                    self.sizes, [float(r.median()) for r in trained],
                    label="trained: median, smallest, largest",
                    low=[float(r.min()) for r in trained], high=[float(r.max()) for r in trained],
                ),
                Curve(guide, self.sizes, label="∝ m^(−1/2)", role="predicted"),
                Points(
                    self.sizes, [float(r.median()) for r in built], label="constructed",
                    role="other",
                ),
            ),
        )  # fmt: skip

    def _ratios(self, given: Given) -> list[Tensor]:
        out = []
        for m in self.sizes:
            x, y = given.x[:m], given.y[:m]
            c = correlation(x)
            net = self._net(given, x, y) if given.trained else unchecked_network(x, y, c)
            found = DeepFool(box=None, overshoot=0.001)(net, x, y)
            sizes = torch.where(found.fooled, found.size("l2"), torch.inf)
            out.append(torch.minimum(sizes, _along_all(net, x, y)) / self.d**0.5)
        return out

    def _net(self, given: Given, x: Tensor, y: Tensor) -> nn.Module:
        net = MLP([self.d, self.width, 1], rng=generator(given.seed, "start"))
        with torch.no_grad():  # a small start, so that the end is what training prefers
            for p in net.parameters():
                p.mul_(0.1)
        descent = partial(torch.optim.SGD, lr=0.05, momentum=0.9)
        fit(net, (x, y), _logistic, descent, steps=self.steps, rng=given.seed)
        return net


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
