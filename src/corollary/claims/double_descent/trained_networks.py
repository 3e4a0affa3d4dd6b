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
:beyond: The notes draw the curve of double descent and compute it for linear models; here the
    networks learn their features.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn
from torch.nn.functional import one_hot

from corollary.core import Claim, Figure, Hypothesis, Level, Points, Sample, at_least, option
from corollary.data.real import digits
from corollary.train import fit

CLASSES = 10


class Given(NamedTuple):
    """A seed, the sizes of the task, and the penalty."""

    seed: int
    n: int
    d: int
    noise: float
    runs: int
    steps: int
    penalty: float


class Outcome(NamedTuple):
    train: list[float]  # loss
    test: list[float]  # loss
    wrong: list[float]  # part of the test images


class TrainedNetworks(Claim[Given]):
    n: int = option(100, low=50, high=110)  # training images of a network
    d: int = option(10, low=4, high=30)  # principal components that it sees
    noise: float = option(0.2, low=0.1, high=0.5)  # part of the labels drawn anew
    runs: int = option(12, low=2, high=13)  # training sets, of images of their own
    steps: int = option(2000, low=100, high=20_000)  # of Adam, on all images of a set
    relation = at_least(level=0.95)  # means over the training sets, with a Student interval

    def given(self, rng: Generator) -> Given:
        """No penalty."""
        seed = int(torch.randint(2**31, (), generator=rng))
        noise = float(self.noise)
        return Given(seed, self.n, self.d, noise, self.runs, self.steps, penalty=0.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No penalty, and trained to the end."""
        yield Hypothesis("nothing is penalised", given.penalty == 0)
        left = max(trained(given, 8 * threshold(given.n, given.d)).train)
        yield Hypothesis("the widest networks fit all labels", left < 0.01, f"loss {left:.2g}")

    def predict(self, given: Given) -> list[float]:
        """The rise before the threshold, the fall after it, and the fall of the errors."""
        return [1.3, 1.3, 0.03]

    def measure(self, given: Given) -> list[Sample]:
        """The same, training set by training set."""
        h = threshold(given.n, given.d)
        low, peak, high = (trained(given, width) for width in (h // 8, h, 8 * h))
        return [
            Sample([a / b for a, b in zip(peak.test, low.test, strict=True)]),
            Sample([a / b for a, b in zip(peak.test, high.test, strict=True)]),
            Sample([a - b for a, b in zip(peak.wrong, high.wrong, strict=True)]),
        ]

    def counterexample(self, rng: Generator) -> Given:
        """A penalty on the squares of all weights."""
        return self.given(rng)._replace(penalty=0.01)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Losses and errors at widths that double."""
        h = threshold(given.n, given.d)
        widths = [h // 8, h // 4, h // 2, h, 2 * h, 4 * h, 8 * h]
        found = [trained(given, width) for width in widths]
        line = Level(h, label="p = nk", role="predicted", axis="x")

        def drawn(rows: list[list[float]], label: str, role: str) -> Points:
            return _points(widths, torch.tensor(rows, dtype=torch.float64), label, role)

        losses = Figure(
            "Losses of networks trained to the end",
            x="hidden units h",
            y="squared error",
            log_x=True,
            marks=(
                drawn([one.test for one in found], "test, mean ± standard error", "measured"),
                drawn([one.train for one in found], "training", "other"),
                line,
            ),
        )
        wrong = drawn([one.wrong for one in found], "test, mean ± standard error", "measured")
        errors = Figure("Errors of the same networks", x="hidden units h",
                        y="part of wrong answers", log_x=True, marks=(wrong, line))  # fmt: skip
        return losses, errors


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


@lru_cache(maxsize=64)
def trained(given: Given, h: int) -> Outcome:
    """Networks of h hidden units, one for each training set; in float32, for speed."""
    rng = torch.Generator().manual_seed(given.seed)
    x, y, x_test, y_test = _task(given, rng)
    net = Stack(given.runs, given.d, h, rng)
    adam = torch.optim.Adam(net.parameters(), lr=0.02, fused=True)

    def loss(output: Tensor, target: Tensor) -> Tensor:
        total = (output - target).square().sum(dim=2).mean(dim=0).sum()
        if given.penalty:
            total = total + given.penalty * (net.W.square().sum() + net.A.square().sum())
        return total

    fit(net, (x, y), loss, adam, steps=given.steps, schedule=lambda i: 1 - i / given.steps)
    with torch.no_grad():
        train, guess = (net(x) - y).square().sum(dim=2).mean(dim=0), net(x_test)
    target = one_hot(y_test, CLASSES)[:, None] - 1 / CLASSES
    test = (guess - target).square().sum(dim=2).mean(dim=0)
    wrong = (guess.argmax(dim=2) != y_test[:, None]).double().mean(dim=0)
    return Outcome(train.tolist(), test.tolist(), wrong.tolist())


def _task(given: Given, rng: Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Disjoint training sets (n, runs, ...), labels partly drawn anew, and clean test images."""
    images, labels = digits("train")
    others, y_test = digits("test")
    mean = images.flatten(1).mean(dim=0)
    centred, x_test = images.flatten(1) - mean, others.flatten(1) - mean
    axes = torch.linalg.svd(centred, full_matrices=False).Vh[: given.d].T
    scale = (centred @ axes).square().sum(dim=1).mean().sqrt()
    chosen = torch.randperm(len(images), generator=rng)[: given.n * given.runs]
    x, y = centred[chosen] @ axes / scale, labels[chosen]
    anew = torch.rand(len(y), generator=rng) < given.noise
    y = torch.where(anew, torch.randint(CLASSES, (len(y),), generator=rng), y)
    target = one_hot(y, CLASSES) - 1 / CLASSES
    sets = (given.n, given.runs, -1)
    tests = (x_test @ axes / scale)[:, None].expand(-1, given.runs, -1)
    return x.reshape(sets), target.reshape(sets), tests, y_test


def _points(widths: list[int], rows: Tensor, label: str, role: str) -> Points:
    mean, half = rows.mean(dim=1), rows.std(dim=1) / rows.shape[1] ** 0.5
    return Points(widths, mean, label=label, role=role, low=mean - half, high=mean + half)
