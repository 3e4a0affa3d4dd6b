r"""Three regimes of the landscape.

Where gradient descent ends depends on the network:

* *linear*: every local minimum is global, and random starts reach the least loss;
* *small*: a ReLU student with as many units as its orthonormal teacher, six or more, has spurious
  local minima, and a positive share of random starts ends in one (for twelve units about half,
  while the loss of the best student is 0);
* *over-parameterised*: with many more units than points, every start reaches zero loss.

Measured are the share of linear runs within :math:`10^{-3}` of the optimum, of wide runs with a
loss below :math:`10^{-4}`, and of students that end above 0.01, which is to be at least 5 %.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6, introduction, and Section 5,
    Challenges; Safran and Shamir (2018), "Spurious local minima are common in two-layer ReLU neural
    networks", Table 1.
:kind: experiment
:cost: seconds
:covers: landscape-regimes
"""

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Claim, Figure, Hypothesis, Level, Points, at_least, option
from corollary.models.deep_linear import DeepLinear
from corollary.theory.landscape.student_teacher import Students
from corollary.theory.landscape.two_layer_linear import reduced_rank_loss
from corollary.train import fit

BAD = 0.01  # spurious minima of twelve units have losses of 0.016 and more


class Given(NamedTuple):
    """Sizes of teacher and student, and the effort."""

    seed: int
    units: int  # of the teacher, which are orthonormal
    student: int  # units of the student
    starts: int
    steps: int


class Ends(NamedTuple):
    """Final losses above the least possible ones."""

    linear: list[float]
    wide: list[float]
    small: list[float]


class LandscapeRegimes(Claim[Given]):
    units: int = option(12, low=2, high=20)  # of teacher and student
    starts: int = option(10, low=4, high=100)  # students
    steps: int = option(400, low=100, high=10_000)  # of gradient descent with momentum
    relation = at_least()  # shares of a finite number of runs

    def given(self, rng: Generator) -> Given:
        """A student as large as its teacher."""
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(seed, self.units, self.units, self.starts, self.steps)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The sizes of the student."""
        yield Hypothesis("the teacher has at least six units", given.units >= 6)
        yield Hypothesis("the student has no more units", given.student <= given.units)

    def predict(self, given: Given) -> list[float]:
        """All, all, and some."""
        return [1.0, 1.0, 0.05]

    def measure(self, given: Given) -> list[float]:
        """Shares of the runs."""
        ends = _ends(given)
        return [
            _share([v < 1e-3 for v in ends.linear]),
            _share([v < 1e-4 for v in ends.wide]),
            _share([v > BAD for v in ends.small]),
        ]

    def counterexample(self, rng: Generator) -> Given:
        """A student with twice the units: the spurious minima are gone."""
        given = self.given(rng)
        return given._replace(student=2 * given.units)

    def figure(self, given: Given) -> Figure:
        """Final losses, sorted."""
        ends = _ends(given)
        marks = [
            Points(
                [(i + 0.5) / len(losses) for i in range(len(losses))],
                sorted(max(v, 1e-16) for v in losses),
                label=label,
                role=role,
            )
            for losses, label, role in (
                (ends.small, "small ReLU students", "measured"),
                (ends.linear, "deep linear networks", "other"),
                (ends.wide, "wide ReLU networks", "other"),
            )
        ]
        return Figure(
            "Where gradient descent ends",
            x="share of the starts",
            y="final loss above the least possible one",
            log_y=True,
            marks=(*marks, Level(BAD, label="spurious above")),
            caption="Losses below 1e-16 are drawn there; linear and wide networks lie together.",
        )


@lru_cache(maxsize=4)
def _ends(given: Given) -> Ends:
    rng = torch.Generator().manual_seed(given.seed)
    return Ends(_linear(given, rng), _wide(given, rng), _small(given, rng))


def _small(given: Given, rng: Generator) -> list[float]:
    teacher = torch.eye(given.units, dtype=torch.float64)
    students = Students(given.starts, given.student, teacher, rng=rng)
    nothing = torch.zeros(1, 1), torch.zeros(1, 1)  # the loss is an expectation: there are no data
    rate = 0.1 * given.units / given.student
    fit(students, nothing, lambda losses, _: losses.sum(), _descent(rate), steps=given.steps)
    with torch.no_grad():
        return students().tolist()


def _linear(given: Given, rng: Generator) -> list[float]:
    f64 = {"generator": rng, "dtype": torch.float64}
    x = torch.linalg.qr(torch.randn(20, 4, **f64)).Q
    y = x @ torch.diag(1 / torch.arange(1, 5, dtype=torch.float64)) + 0.05 * torch.randn(
        20, 4, **f64
    )
    least = reduced_rank_loss(x.T, y.T, 2)
    models = [DeepLinear((4, 2, 4), rng=rng) for _ in range(3)]
    runs = [fit(m, (x, y), _half_squares, _descent(0.1), steps=given.steps) for m in models]
    return [max(run.losses[-1] - least, 0.0) for run in runs]


def _wide(given: Given, rng: Generator) -> list[float]:
    x = torch.randn(8, 5, generator=rng, dtype=torch.float64)
    y = torch.randn(8, 1, generator=rng, dtype=torch.float64)
    losses = []
    for _ in range(3):
        shapes = ((5, 200), (200, 1))
        layers = [nn.utils.skip_init(nn.Linear, *s, dtype=torch.float64) for s in shapes]
        model = nn.Sequential(layers[0], nn.ReLU(), layers[1])
        with torch.no_grad():
            for layer in layers:
                layer.weight.copy_(
                    (2 / layer.in_features) ** 0.5
                    * torch.randn(layer.weight.shape, generator=rng, dtype=torch.float64)
                )
                layer.bias.zero_()
        run = fit(model, (x, y), _half_squares, _descent(1e-3), steps=given.steps)
        losses.append(run.losses[-1])
    return losses


def _descent(rate: float) -> partial[torch.optim.SGD]:
    return partial(torch.optim.SGD, lr=rate, momentum=0.9)


def _half_squares(output: Tensor, target: Tensor) -> Tensor:
    return 0.5 * (output - target).square().sum()


def _share(hits: list[bool]) -> float:
    return sum(hits) / len(hits)
