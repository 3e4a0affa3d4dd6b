r"""Double descent.

The test risk of models of growing size first falls, then rises to a peak at the interpolation
threshold, where the number of parameters p is the number n of training points, and falls again
beyond it, where the training risk is zero. A ridge takes the peak away.

Measured for models fitted by the shortest solution: the distance of the peak from :math:`p=n` in
steps of the grid, the last risk over the peak, the training risk beyond the threshold, and the
largest risk with a ridge over the peak.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.1, Figure 13.1; Belkin, Hsu, Ma and
    Mandal (2019), "Reconciling modern machine-learning practice and the classical bias-variance
    trade-off".
:kind: experiment
:cost: instant
:covers: double-descent-curve
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Generator

from corollary.core import Band, Claim, Curve, Figure, Hypothesis, Level, at_most, option
from corollary.train.capacity import CapacityCurve, capacity_curve


class Given(NamedTuple):
    """The penalty and the seed of the data."""

    ridge: float
    seed: int


@dataclass(frozen=True)
class DoubleDescent(Claim[Given]):
    """Where the peak is, how high, and what lies right of it."""

    model: Literal["rf", "linear"] = "rf"  # random features, or more and more coordinates
    n: int = option(40, low=20, high=200)  # training points
    d: int = option(10, low=2, high=400)  # input dimension, at least 8n for linear
    noise: float = option(0.3, low=0.05, high=2.0)  # standard deviation of the noise
    ridge: float = option(0.02, low=0.001, high=10.0)  # penalty of the comparison
    draws: int = option(20, low=5, high=500)  # training sets
    relation = at_most(ulps=0)  # margins are wide, see predict

    def given(self, rng: Generator) -> Given:
        """No penalty."""
        return Given(0.0, int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The kind of solution."""
        yield Hypothesis("nothing is penalised: of all best fits the shortest", given.ridge == 0)

    def predict(self, given: Given) -> list[float]:
        """One step of the grid, a fifth of the peak, nothing, a fifth of the peak."""
        return [1.0, 0.2, 1e-12, 0.2]

    def measure(self, given: Given) -> list[float]:
        """Medians over the draws."""
        curve = self._curve(given)
        sizes = curve.parameters
        test = curve.test.median(dim=1).values
        threshold = min(range(len(sizes)), key=lambda i: abs(sizes[i] - self.n))
        fitted = max(float(curve.train[i].median()) for i, p in enumerate(sizes) if p >= self.n)
        peak = float(test.max())
        out = [abs(curve.peak - threshold), float(test[-1]) / peak, fitted]
        return [*out, float(self._penalised(given).test.median(dim=1).values.max()) / peak]

    def counterexample(self, rng: Generator) -> Given:
        """A penalty from the start: there is no peak."""
        return self.given(rng)._replace(ridge=self.ridge)

    def figure(self, given: Given) -> Figure:
        """Training and test risk, and the test risk with a ridge."""
        curve = self._curve(given)
        p = curve.parameters
        low, middle, high = curve.test.quantile(torch.tensor([0.25, 0.5, 0.75]).double(), dim=1)
        marks = [
            Band(p, low, high, label="test risk, half of the draws"),
            Curve(middle, p, label="test risk, median"),
            Curve(
                curve.train.median(dim=1).values.clamp(min=1e-3), p,
                label="training risk (at least 0.001)", role="other", dashed=True,
            ),
            Level(self.n, label="p = n", axis="x"),
        ]  # fmt: skip
        ridged = self._penalised(given).test.median(dim=1).values
        marks.append(Curve(ridged, p, label=f"test risk, ridge {self.ridge:g}", role="other"))
        return Figure(
            "Double descent",
            x="parameters p",
            y="risk",
            log_x=True,
            log_y=True,
            marks=tuple(marks),
        )

    def _penalised(self, given: Given) -> CapacityCurve:
        return self._curve(given._replace(ridge=self.ridge))

    def _curve(self, given: Given) -> CapacityCurve:
        shares = (0.125, 0.25, 0.5, 0.75, 0.9, 1.0, 1.1, 1.35, 2, 4, 8)
        sizes = sorted({max(1, round(s * self.n)) for s in shares})
        d = max(self.d, sizes[-1]) if self.model == "linear" else self.d
        return capacity_curve(
            self.model, sizes, n=self.n, d=d, noise=self.noise, ridge=given.ridge,
            draws=self.draws, rng=torch.Generator().manual_seed(given.seed),
        )  # fmt: skip
