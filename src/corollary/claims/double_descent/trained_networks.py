r"""Double descent of trained networks.

Two-layer ReLU networks with d inputs, h hidden units and k outputs, both layers trained to the end
on n digits, some with a wrong label. They have :math:`p=h(d+1)+(h+1)k` parameters for :math:`nk`
equations: the interpolation threshold is at the width :math:`h^*` with :math:`p=nk`. The test loss
falls, peaks there and falls again:

* at :math:`h^*` it is at least 1.3 times that at :math:`h^*/8`,
* and at least 1.3 times that at :math:`8h^*`, where nothing is left of the training loss,
* and the part of wrong answers is at least 0.03 larger at :math:`h^*` than at :math:`8h^*`,

on the mean over disjoint training sets. A penalty on the weights takes the peak away.

:source: Belkin, Hsu, Ma and Mandal (2019), "Reconciling modern machine-learning practice and the
    classical bias-variance trade-off", Figure 3; Nakkiran, Kaplun, Bansal et al. (2020), "Deep
    double descent: where bigger models and more data hurt".
:kind: experiment
:cost: minutes
:uses: double_descent
:beyond: The notes draw the curve of double descent and compute it for linear models; here the
    networks learn their features.
"""

from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor, nn
from torch.nn.functional import one_hot

from corollary.core import Claim, Kept, Sample, Suppose, Trial, at_least, option
from corollary.core.picture import Figure, Level, Points, Role
from corollary.data.real import digits
from corollary.train import fit

CLASSES = 10


class Given(NamedTuple):
    x: Tensor  # n runs d: disjoint training sets
    y: Tensor  # n runs k: labels, partly drawn anew
    x_test: Tensor
    y_test: Tensor  # clean
    penalty: float  # on the squares of all weights
    steps: int


class Outcome(NamedTuple):
    train: Tensor  # loss of each run
    test: Tensor  # loss
    wrong: Tensor  # part of the test images


class TrainedNetworks(Claim[Given]):
    n: int = option(100, low=50, high=110)  # training images of a network
    d: int = option(10, low=4, high=30)  # principal components used as inputs
    noise: float = option(0.2, low=0.1, high=0.5)  # share of labels that are random
    runs: int = option(12, low=2, high=13)  # training sets of different images
    steps: int = option(2000, low=100, high=20_000)  # steps of Adam, on all images of a set

    relation = at_least(level=0.95)  # means over the training sets, with a Student interval
    supposes = Suppose(
        "there is no penalty on the weights",
        lambda g: g.penalty == 0,
        "With a penalty on the weights, there is no peak.",
        penalty=0.01,
    )
    symbols = "at least", "peak at h* against the ends"
    predicts = [1.3, 1.3, 0.03, 0.99]
    rows = (
        "test loss at h* / at h*/8",
        "test loss at h* / at 8h*",
        "errors at h* − errors at 8h*",
        "1 − training loss at 8h*",
    )

    def given(self, rng: Generator) -> Given:
        images, labels = digits("train")
        others, y_test = digits("test")
        mean = images.flatten(1).mean(dim=0)
        centred, x_test = images.flatten(1) - mean, others.flatten(1) - mean
        axes = torch.linalg.svd(centred, full_matrices=False).Vh[: self.d].T
        axes = axes / (centred @ axes).square().sum(dim=1).mean().sqrt()
        chosen = torch.randperm(len(images), generator=rng)[: self.n * self.runs]
        anew = torch.rand(len(chosen), generator=rng) < self.noise
        y = torch.randint(CLASSES, (len(chosen),), generator=rng)
        target = one_hot(torch.where(anew, y, labels[chosen]), CLASSES) - 1 / CLASSES
        x, sets = centred[chosen] @ axes, (self.n, self.runs, -1)
        tests = (x_test @ axes)[:, None].expand(-1, self.runs, -1)
        return Given(x.reshape(sets), target.reshape(sets), tests, y_test, 0.0, self.steps)

    def measure(self, given: Given, rng: Generator) -> Kept:
        h = threshold(len(given.x), given.x.shape[2])
        found = {h * 2**j // 8: trained(given, h * 2**j // 8, rng) for j in range(7)}
        low, peak, high = found[h // 8], found[h], found[8 * h]
        falls = (
            peak.test / low.test,
            peak.test / high.test,
            peak.wrong - high.wrong,
            1 - high.train,
        )
        return Kept([Sample(v) for v in falls], found=found, h=h)

    def figure(self, trial: Trial[Given]) -> tuple[Figure, Figure]:
        widths, outcomes = list(trial.kept.found), trial.kept.found.values()
        line = Level(trial.kept.h, label="p = nk", axis="x")

        def points(rows: Tensor, label: str, role: Role) -> Points:
            mean, half = rows.mean(dim=1), rows.std(dim=1) / rows.shape[1] ** 0.5
            return Points(widths, mean, label, role, mean - half, mean + half)

        train, test, wrong = (torch.stack(rows) for rows in zip(*outcomes, strict=True))
        words: dict[str, Any] = {"x": "hidden units h", "log_x": True}
        losses = (
            points(test, "test, mean ± standard error", "measured"),
            points(train, "training", "other"),
        )
        errors = points(wrong, "test, mean ± standard error", "measured")
        return (
            Figure(
                "Networks trained to the end", y="squared error", marks=(*losses, line), **words
            ),
            Figure("The same networks", y="share of wrong answers", marks=(errors, line), **words),
        )


def threshold(n: int, d: int, k: int = CLASSES) -> int:
    """The width at which a network has as many parameters as there are equations.

    Example:
        >>> threshold(100, 10)  # 47 (10 + 1) + (47 + 1) 10 = 997 parameters, 1000 equations
        47
    """
    return round((n * k - k) / (d + 1 + k))


class Stack(nn.Module):
    """Two-layer ReLU networks beside each other, each with data of its own."""

    def __init__(self, runs: int, d: int, h: int, rng: Generator) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.randn(runs, d, h, generator=rng) * 0.5**0.5)
        self.b = nn.Parameter(torch.zeros(runs, 1, h))
        self.A = nn.Parameter(torch.randn(runs, h, CLASSES, generator=rng) * 0.5 / h**0.5)
        self.c = nn.Parameter(torch.zeros(runs, 1, CLASSES))

    def forward(self, x: Tensor) -> Tensor:
        """Outputs (n, runs, k) for inputs (n, runs, d)."""
        hidden = torch.relu(torch.baddbmm(self.b, x.transpose(0, 1), self.W))
        return torch.baddbmm(self.c, hidden, self.A).transpose(0, 1)


def trained(given: Given, h: int, rng: Generator) -> Outcome:
    """Networks of h hidden units, one for each training set; in float32, for speed."""
    x, y, x_test, y_test, penalty, steps = given
    net = Stack(x.shape[1], x.shape[2], h, rng)
    adam = torch.optim.Adam(net.parameters(), lr=0.02, fused=True)

    def loss(output: Tensor, target: Tensor) -> Tensor:
        weights = net.W.square().sum() + net.A.square().sum() if penalty else 0.0
        return (output - target).square().sum(dim=2).mean(dim=0).sum() + penalty * weights

    fit(net, (x, y), loss, adam, steps=steps, schedule=lambda i: 1 - i / steps)
    with torch.no_grad():
        train, guess = (net(x) - y).square().sum(dim=2).mean(dim=0), net(x_test)
    target = one_hot(y_test, CLASSES)[:, None] - 1 / CLASSES
    test = (guess - target).square().sum(dim=2).mean(dim=0)
    return Outcome(train, test, (guess.argmax(dim=2) != y_test[:, None]).double().mean(dim=0))
