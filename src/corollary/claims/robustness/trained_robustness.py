r"""The robustness of trained networks falls with the number of points.

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
:uses: robust_network, homogeneous_kkt
:covers: robustness-of-trained-networks
"""

import math
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Over, Series, Suppose, option, slope
from corollary.models.mlp import MLP
from corollary.models.random_two_layer import on_sphere
from corollary.models.robust_two_layer import correlation, unchecked_network
from corollary.theory.robustness.flip import DeepFool
from corollary.train import fit


class Given(NamedTuple):
    x: Float[Tensor, "draws m d"]  # points of which the first so many are used
    y: Float[Tensor, "draws m"]  # labels
    steps: int  # of gradient descent; with none the network is the construction


class TrainedRobustness(Claim[Given]):
    d: int = option(300, low=50, high=2000)  # dimension
    sizes: tuple[int, ...] = (8, 16, 32, 64)  # numbers of points
    width: int = option(100, low=10, high=1000)  # hidden units
    steps: int = option(400, low=100, high=5000)  # steps of training
    draws: int = option(3, low=1, high=50)  # draws of points and labels

    # at these m and d the exponent is -0.46, known to ±0.1; the theorem is about the limit
    relation = slope(gap=0.2, side=-1)
    supposes = (
        Suppose(
            "the points are nearly orthogonal",
            lambda g: 0.5 - max(correlation(x) for x in g.x),
        ),
        Suppose(
            "the network is trained by gradient descent",
            lambda g: g.steps,
            "The constructed network is not trained, and its radius hardly depends on m.",
            steps=0,
        ),
    )
    symbols = "∝ m^(−1/2)", "median distance to a flip / √d"
    predicts = -0.5
    shows = Over("Trained networks and the constructed network", x="m")

    def given(self, rng: Generator) -> Given:
        m = max(self.sizes)
        x = on_sphere(self.draws * m, self.d, rng=rng).unflatten(0, (self.draws, m))
        y = torch.tensor([1.0, -1.0], dtype=torch.float64).repeat(self.draws, -(-m // 2))
        return Given(x, y[:, :m], self.steps)

    def measure(self, given: Given, rng: Generator) -> Series:
        def median(x: Tensor, y: Tensor) -> float:
            net = self.network(x, y, given.steps, rng)
            found = DeepFool(box=None, overshoot=0.001)(net, x, y)
            sizes = torch.where(found.fooled, found.size("l2"), torch.inf)
            return float(torch.minimum(sizes, _along_all(net, x, y)).median()) / math.sqrt(self.d)

        medians = [
            [median(x[:m], y[:m]) for x, y in zip(given.x, given.y, strict=True)]
            for m in self.sizes
        ]
        return Series(self.sizes, torch.tensor(medians).log().mean(dim=1).exp())

    def network(self, x: Tensor, y: Tensor, steps: int, rng: Generator) -> nn.Module:
        """Trained, or constructed if there are no steps."""
        if steps == 0:
            return unchecked_network(x, y, correlation(x))
        net = MLP([self.d, self.width, 1], rng=rng)
        with torch.no_grad():  # a small start, so that the end is what training prefers
            for p in net.parameters():
                p.mul_(0.1)
        descent = partial(torch.optim.SGD, lr=0.05, momentum=0.9)
        fit(net, (x, y), _logistic, descent, steps=steps, rng=rng)
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
