r"""Double descent.

The test risk of models of growing size first falls, then rises to a peak at the interpolation
threshold, where the number of parameters p is the number n of training points, and falls again
beyond it, where the training risk is zero. A ridge takes the peak away.

Measured for models fitted by the shortest solution: the distance of the peak from :math:`p=n` in
steps of the grid, the last risk over the peak, the training risk beyond the threshold, and the
largest risk with a ridge over the peak. The peak is heavy-tailed, so the two ratios are averaged as
logarithms; both are at most a half.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.1, Figure 13.1; Belkin, Hsu, Ma and
    Mandal (2019), "Reconciling modern machine-learning practice and the classical bias-variance
    trade-off".
:kind: experiment
:uses: min_norm_risk, ols_variance, square_conditioning
:covers: double-descent-curve
:loose: the four limits are chosen for an experiment, and the measured values are far inside them
"""

from math import log10
from typing import Any, Literal, NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Kept, Sample, Suppose, Trial, at_most, option
from corollary.core.picture import Band, Curve, Level, Marks, picture
from corollary.train.capacity import CapacityCurve, capacity_curve


class Given(NamedTuple):
    """The penalty."""

    ridge: float


class DoubleDescent(Claim[Given]):
    model: Literal["rf", "linear"] = "rf"  # random features, or more and more coordinates
    n: int = option(40, low=20, high=200)  # training points
    d: int = option(10, low=2, high=400)  # input dimension, at least 8n for linear
    noise: float = option(0.3, low=0.05, high=2.0)  # standard deviation of the noise
    ridge: float = option(0.02, low=0.001, high=10.0)  # ridge penalty of the comparison
    draws: int = option(7, low=5, high=500)  # training sets per curve
    curves: int = option(16, low=4, high=100)  # curves, each with its own training sets

    relation = at_most()  # the interval of the mean over curves has to be below
    supposes = Suppose(
        "there is no penalty: the fit of smallest norm is taken",
        lambda g: g.ridge == 0,
        "With a penalty from the start there is no peak.",
        ridge=0.02,
    )
    symbols = "at most", "mean over curves"
    predicts = [1.0, log10(0.5), 1e-12, log10(0.5)]
    rows = (
        "steps of the grid from the peak to p = n",
        "log₁₀ of last test risk / peak",
        "training risk beyond the threshold",
        "log₁₀ of largest test risk with a ridge / peak",
    )

    def given(self, rng: Generator) -> Given:
        return Given(0.0)

    def measure(self, given: Given, rng: Generator) -> Kept:
        pairs = [
            (self._curve(given.ridge, rng), self._curve(self.ridge, rng))
            for _ in range(self.curves)
        ]
        found = zip(*(self._facts(*pair) for pair in pairs), strict=True)
        return Kept([Sample(values) for values in found], first=pairs[0])

    @picture("Double descent", x="parameters p", y="risk", log="xy")
    def marks(self, trial: Trial[Given]) -> Marks:
        curve, ridged = trial.kept.first
        p, quartiles = curve.parameters, torch.tensor([0.25, 0.5, 0.75]).double()
        low, middle, high = curve.test.quantile(quartiles, dim=1)
        train = curve.train.median(dim=1).values.clamp(min=1e-3)
        damped = ridged.test.median(dim=1).values
        yield Band(p, low, high, label="test risk, half of the draws")
        yield Curve(middle, p, label="test risk, median")
        yield Curve(train, p, "training risk (at least 0.001)", role="other", dashed=True)
        yield Level(self.n, label="p = n", axis="x")
        yield Curve(damped, p, label=f"test risk, ridge {self.ridge:g}", role="other")

    def _facts(self, curve: CapacityCurve, ridged: CapacityCurve) -> list[float]:
        sizes, test = curve.parameters, curve.test.median(dim=1).values
        threshold = min(range(len(sizes)), key=lambda i: abs(sizes[i] - self.n))
        beyond = [i for i, p in enumerate(sizes) if p >= self.n]
        fitted = float(curve.train[beyond].median(dim=1).values.max())
        peak, damped = float(test.max()), float(ridged.test.median(dim=1).values.max())
        last = log10(float(test[-1]) / peak)
        return [abs(curve.peak - threshold), last, fitted, log10(damped / peak)]

    def _curve(self, ridge: float, rng: Generator) -> CapacityCurve:
        shares = (0.125, 0.25, 0.5, 0.75, 0.9, 1.0, 1.1, 1.35, 2, 4, 8)
        sizes = sorted({max(1, round(s * self.n)) for s in shares})
        d = max(self.d, sizes[-1]) if self.model == "linear" else self.d
        task: dict[str, Any] = {
            "n": self.n,
            "d": d,
            "noise": self.noise,
            "ridge": ridge,
            "draws": self.draws,
        }
        return capacity_curve(self.model, sizes, **task, rng=rng)
