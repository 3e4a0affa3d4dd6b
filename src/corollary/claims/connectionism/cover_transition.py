r"""Linear separability is lost at two points per dimension.

Label s points in general position in :math:`\mathbb R^n` by fair coin flips. The probability that a
hyperplane through the origin separates them is

.. math:: p(s, n) = \frac{C(s, n)}{2^s} = 2^{1-s}\sum_{i=0}^{n-1}\binom{s-1}{i},

the probability that a fair coin shows fewer than n heads in :math:`s - 1` throws. It is 1 for
:math:`s \le n` and exactly 1/2 at :math:`s = 2n`; as n grows it becomes a step at
:math:`s/n = 2` of width about :math:`1/\sqrt n`. Hence the capacity of a threshold unit: two
points per weight.

:source: Perez Jensen (2025), Deep Learning, Section 1.2; Cover (1965), "Geometrical and statistical
    properties of systems of linear inequalities", Section V.
:kind: experiment
:uses: cover_counting
:covers: cover-capacity-transition
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Count, Suppose, Trial, normal, option, uniform, within_interval
from corollary.core.picture import Curve, Level, Marks, Points, picture
from corollary.core.witness import mean_is
from corollary.theory.connectionism.cover import separable_labellings, separable_probability

LOADS = (1.0, 1.5, 2.0, 2.5, 3.0)  # s / n


class Given(NamedTuple):
    x: list[Float[Tensor, "trials s n"]]  # clouds, for each dimension and load
    y: list[Float[Tensor, "trials s"]]  # their labels

    def z(self) -> list[Float[Tensor, "trials s n"]]:
        """Each point times its label."""
        return [y[:, :, None] * x for x, y in zip(self.x, self.y, strict=True)]


def independent(given: Given) -> tuple[bool, str]:
    """General position, as far as windows of n points show."""
    worst = min(_least_volume(x) for x in given.x)
    return worst > -60, f"least log volume {worst:.3g}"  # below exp(-60) it is rounding


def fair(given: Given) -> tuple[bool, str]:
    """The sum of the labels, in standard deviations."""
    labels = torch.cat([y.flatten() for y in given.y])
    off = float(labels.sum().abs()) / len(labels) ** 0.5
    return off < 6, f"difference {off:.1f} standard deviations"


def one_sided(given: Given) -> Given:
    """Points of a half-space that all have the label +1 are always separable."""
    x = [torch.cat([c[:, :, :1].abs(), c[:, :, 1:]], dim=2) for c in given.x]
    return Given(x, [torch.ones_like(y) for y in given.y])


class CoverTransition(Claim[Given]):
    n: tuple[int, ...] = option((4, 16), low=1, high=40)  # dimensions
    trials: int = option(250, low=200, high=5000)  # random labellings at each size

    relation = within_interval(level=0.9999, resolution=0.17)  # 250 coin flips, ten sizes at once
    supposes = (
        Suppose(
            "every n consecutive points are linearly independent",
            independent,
            "If all points lie on one line, they behave like points in one dimension.",
            x=lambda g: [torch.cat([c[:, :, :1], 0 * c[:, :, 1:]], dim=2) for c in g.x],
        ),
        Suppose("labels are balanced as coin flips are", fair, without=one_sided),
        Suppose(
            "labels do not depend on the points",
            lambda g: mean_is(torch.cat([z[:, :, 0].flatten() for z in g.z()])),
            "If the labels are the sides of a plane, the points are always separable.",
            y=lambda g: [torch.sign(x[:, :, 0]) for x in g.x],
        ),
    )
    symbols = "C(s, n) / 2^s", "separable fraction"

    def given(self, rng: Generator) -> Given:
        sizes = [(s, n) for n in self.n for s in _sizes(n)]
        x = [normal(rng, self.trials, s, n) for s, n in sizes]
        coins = [uniform(rng, self.trials, s) < 0.5 for s, _ in sizes]
        return Given(x, [torch.where(c, -1.0, 1.0).double() for c in coins])

    def predict(self, given: Given) -> list[float]:
        return [float(separable_probability(x.shape[1], x.shape[2])) for x in given.x]

    def measure(self, given: Given) -> list[Count]:
        answers = [separable_labellings(z) for z in given.z()]
        return [Count(int(found.sum()), len(found)) for found in answers]

    def row_labels(self, trial: Trial[Given]) -> tuple[str, ...]:
        """Points and dimension of each fraction."""
        return tuple(f"s = {x.shape[1]}, n = {x.shape[2]}" for x in trial.given.x)

    @picture(
        "Linear separability is lost at two points per dimension", x="s / n", y="separable fraction"
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        yield Level(2.0, "s = 2n", role="other", axis="x")
        for n in (*self.n, 4 * max(self.n)):
            s = range(max(n // 2, 1), 4 * n + 1)
            curve = [float(separable_probability(k, n)) for k in s]
            yield Curve(curve, [k / n for k in s], f"p(s, n), n = {n}", role="predicted")
        for n in self.n:
            pairs = zip(trial.given.x, trial.comparison.measured, strict=True)
            found = [(x.shape[1] / n, r.value, r.low, r.high) for x, r in pairs if x.shape[2] == n]
            load, value, low, high = zip(*found, strict=True)
            label = f"random labellings, n = {n}"
            yield Points(load, value, label=label, low=low, high=high)


def _sizes(n: int) -> list[int]:
    return sorted({max(round(load * n), 1) for load in LOADS})


def _least_volume(x: Float[Tensor, "trials s n"]) -> float:
    """Log volume of the flattest window of n consecutive points, scaled to unit length."""
    unit = x / x.norm(dim=2, keepdim=True)
    windows = unit.unfold(1, x.shape[2], 1)  # s >= n at every load
    return float(torch.linalg.slogdet(windows).logabsdet.min())
