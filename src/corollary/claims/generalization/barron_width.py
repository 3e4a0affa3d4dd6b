r"""Approximation plus estimation: the best width grows like the root of the samples.

The mean squared error of a least-squares network with n units on M noisy samples is of order

.. math:: \underbrace{\frac{C^2}n}_{\text{approximation}}+
   \underbrace{\frac{nd}M\log M}_{\text{estimation}},\qquad
   n^*\propto C\Bigl(\frac M{d\log M}\Bigr)^{1/2},

so the error has the shape of a U in the width and its minimum moves like :math:`M^{1/2}` (up to the
logarithm). Measured with units :math:`\cos(\pi kx)`, k up to n, on a function whose best
approximation by them is off by :math:`1/2n` in the square; the second figure has threshold units of
a Barron function in five dimensions.

:source: Mathematical Foundations of Deep Learning (slides), Barron's Theorem; Barron (1994),
    "Approximation and estimation bounds for artificial neural networks".
:kind: rate
:cost: seconds
:covers: barron-risk-bound
:erratum: [notation] The slide calls the sum O(1/n) + O((nd/M) ln M) the estimation error. The first
    term is the approximation error, the second the estimation error; the sum bounds the mean
    squared error of the fitted network.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

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
from corollary.models.approximators.barron import sample_units
from corollary.models.approximators.steps import step
from corollary.theory.approximation.spectra import GaussianBump

SAMPLES = (64, 128, 256, 512, 1024, 2048)
WIDTHS = tuple(sorted({round(2 ** (k / 3)) for k in range(3, 22)}))


class Given(NamedTuple):
    """Coefficients of the target in cosines, the noise, and a seed."""

    a: Float[Tensor, " k"]
    sigma: float
    seed: int

    def tail(self, n: int) -> float:
        """The squared error of the first n cosines."""
        return float(self.a[n:].square().sum()) / 2


class BarronWidth(Claim[Given]):
    sigma: float = option(0.7, low=0.2, high=2.0)  # standard deviation of the noise
    trials: int = option(40, low=10, high=200)  # data sets of each size
    relation = slope(gap=0.15)  # widths are found on a grid of a third of an octave

    def given(self, rng: Generator) -> Given:
        """Coefficients 1/k: an approximation error of 1/2n."""
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(1 / torch.arange(1, 301, dtype=torch.float64), self.sigma, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The approximation error times n, at 8 and at 64 units."""
        ratio = 64 * given.tail(64) / (8 * given.tail(8))
        yield Hypothesis(
            "the approximation error falls like 1/n", 0.5 < ratio < 2, f"n times it: {ratio:.3g}"
        )

    def predict(self, given: Given) -> float:
        """The exponent."""
        return 0.5

    def measure(self, given: Given) -> Series:
        """The widths of least mean error."""
        return Series(SAMPLES, [_lowest(_errors(given, M, self.trials)[0]) for M in SAMPLES])

    def counterexample(self, rng: Generator) -> Given:
        """Coefficients 1/k^3: few units do, and their number hardly grows."""
        given = self.given(rng)
        return given._replace(a=given.a**3)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Errors over the width for three sample sizes; and threshold units of a bump."""
        marks = []
        for M, role in zip(SAMPLES[::2], ("other", "measured", "other"), strict=False):
            mean, low, high = _errors(given, M, self.trials)
            n = [w for w, e in zip(WIDTHS, mean, strict=True) if math.isfinite(e)]
            marks.append(
                Points(n, mean[: len(n)], label=f"M = {M}, middle 80 %", role=role,
                       low=low[: len(n)], high=high[: len(n)])
            )  # fmt: skip
        tails = [given.tail(n) for n in WIDTHS]
        marks.append(Curve(tails, WIDTHS, label="approximation", role="predicted"))
        noise = [given.sigma**2 * n / SAMPLES[2] for n in WIDTHS]
        marks.append(
            Curve(noise, WIDTHS, label=f"σ²n/M at M = {SAMPLES[2]}", role="predicted", dashed=True)
        )
        first = Figure(
            "Too few units, too many units",
            x="n",
            y="mean squared test error",
            log_x=True,
            log_y=True,
            marks=tuple(marks),
        )
        return first, _thresholds(given.seed)


def _errors(given: Given, M: int, trials: int) -> tuple[list[float], list[float], list[float]]:
    """Mean, 0.1 and 0.9 quantile of the exact test error, for each width below M/3."""
    rng = generator(given.seed, M)
    x = torch.rand(trials, M, generator=rng, dtype=torch.float64)
    k = torch.arange(1, len(given.a) + 1, dtype=torch.float64)
    top = max(w for w in WIDTHS if w <= M // 3)
    y = torch.stack([torch.cos(math.pi * row[:, None] * k) @ given.a for row in x])
    y = y + given.sigma * torch.randn(trials, M, generator=rng, dtype=torch.float64)
    H = torch.cos(math.pi * x[:, :, None] * k[:top])
    gram, right = H.mT @ H, (H.mT @ y[..., None])
    found = []
    for n in (w for w in WIDTHS if w <= top):
        c = torch.linalg.solve(gram[:, :n, :n], right[:, :n])[..., 0]
        found.append((c - given.a[:n]).square().sum(dim=1) / 2 + given.tail(n))
    e = torch.stack(found)  # widths trials
    rest = [math.inf] * (len(WIDTHS) - len(found))
    ends = [e.quantile(q, dim=1).tolist() + rest for q in (0.1, 0.9)]
    return e.mean(dim=1).tolist() + rest, ends[0], ends[1]


def _lowest(errors: list[float]) -> float:
    """The width at the bottom of a parabola through five points about the least, in logarithms."""
    i = min(range(len(errors)), key=errors.__getitem__)
    part = [j for j in range(i - 2, i + 3) if 0 <= j < len(errors) and math.isfinite(errors[j])]
    t = torch.tensor([math.log(WIDTHS[j]) for j in part], dtype=torch.float64)
    e = torch.tensor([math.log(errors[j]) for j in part], dtype=torch.float64)
    centre = t.mean()
    A = torch.stack([(t - centre) ** 2, t - centre, torch.ones_like(t)], dim=1)
    bend, lean, _ = torch.linalg.solve(A.T @ A, A.T @ e).tolist()
    middle = float(centre) - lean / (2 * bend) if bend > 0 else math.log(WIDTHS[i])
    return math.exp(min(max(middle, float(t[0])), float(t[-1])))


def _thresholds(seed: int) -> Figure:
    """Least squares on threshold units drawn for a bump, in five dimensions."""
    rng, d, widths = generator(seed, "bump"), 5, [2, 4, 8, 16, 32, 64]
    f = GaussianBump(torch.full((d,), 0.5 / d**0.5, dtype=torch.float64), 1.0)
    marks = []
    for M, role in ((100, "other"), (400, "measured"), (1600, "other")):
        errors = torch.stack([_bump_errors(f, M, widths, rng) for _ in range(8)])
        marks.append(
            Points(widths, errors.mean(dim=0), label=f"M = {M}, eight networks", role=role,
                   low=errors.amin(dim=0), high=errors.amax(dim=0))
        )  # fmt: skip
    return Figure(
        "Threshold units of a bump in five dimensions",
        x="n",
        y="mean squared test error",
        log_x=True,
        log_y=True,
        marks=tuple(marks),
    )


def _bump_errors(f: GaussianBump, M: int, widths: list[int], rng: Generator) -> Tensor:
    d, m = 5, M + 400
    u = torch.randn(m, d, generator=rng, dtype=torch.float64)
    x = u / u.norm(dim=1, keepdim=True) * torch.rand(m, 1, generator=rng, dtype=torch.float64)
    target = 5 * f(x)
    y = target[:M] + torch.randn(M, generator=rng, dtype=torch.float64)
    units = sample_units(f, widths[-1], 1.0, rng=rng)
    H = torch.cat([torch.ones(m, 1, dtype=torch.float64), step(x @ units.w.T + units.b)], dim=1)
    out = []
    for n in widths:
        A = H[:M, : n + 1]
        ridge = 1e-6 * torch.eye(n + 1, dtype=torch.float64)  # units that never switch
        c = torch.linalg.solve(A.T @ A + ridge, A.T @ y)
        out.append((H[M:, : n + 1] @ c - target[M:]).square().mean())
    return torch.stack(out)
