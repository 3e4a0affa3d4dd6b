r"""BBP transition: a signal changes the largest eigenvalue only above a threshold.

Add to :math:`p\times n` noise X (independent entries, mean 0, variance 1, finite fourth moment) one
direction: :math:`W=\theta uv^\top+X` with unit vectors u and v. As p grows with p/n fixed and
:math:`\theta=t\,(pn)^{1/4}`, the largest eigenvalue of :math:`WW^\top` tends to

.. math:: \frac{\lambda_{\max}}n\to\begin{cases}(1+\sqrt c)^2,&t\le1,\\
    (1+t^2\sqrt c)(1+\sqrt c/t^2),&t>1,\end{cases}\qquad c=\frac pn .

Below the threshold the largest eigenvalue does not know of the signal; above it, it leaves the bulk
and tells :math:`\theta`.

:source: Baik, Ben Arous and Péché (2005), "Phase transition of the largest eigenvalue for nonnull
    complex sample covariance matrices"; Benaych-Georges and Nadakuditi (2012), "The singular values
    and vectors of low rank perturbations of large rectangular random matrices", Section 3.1.
:kind: limit
:uses: marchenko_pastur
:beyond: The claim says which learned directions are visible in the spectrum of a layer.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Sample, Suppose, Trial, normal, option, within_interval
from corollary.core.picture import Curve, Level, Marks, Points, picture
from corollary.core.witness import mean_is, mean_square_is
from corollary.theory.generalization.weight_spectra.spikes import spike_place, visible_from

HEAVIEST = 6.0  # kurtosis; that of normal entries is 3, and a sample scatters around it


class Given(NamedTuple):
    """Matrices of noise, and sizes of the signal; u and v are the first unit vectors."""

    noise: Float[Tensor, "r p n"]
    t: tuple[float, ...]


def has_light_tails(given: Given) -> tuple[bool, str]:
    """The kurtosis of the entries."""
    square = given.noise.square()
    kurtosis = float(square.square().mean() / square.mean() ** 2)
    return kurtosis <= HEAVIEST, f"kurtosis {kurtosis:.3g}"


class SpikeTransition(Claim[Given]):
    t: tuple[float, ...] = (1.5, 2.0, 3.0)  # sizes of the signal / threshold
    ratio: float = option(0.5, low=0.05, high=1.0)  # rows over columns
    p: int = option(150, low=64, high=2048)  # rows
    draws: int = option(80, low=10, high=500)  # matrices

    # An eigenvalue scatters by t/sqrt(p), 0.25 for t = 3; chance: one seed in a hundred thousand.
    relation = within_interval(level=0.99999, resolution=0.4)
    supposes = (
        Suppose(
            "the noise has mean 0",
            lambda g: mean_is(g.noise),
            "If the noise has mean 1/2, its mean acts as a larger signal.",
            noise=lambda g: g.noise + 0.5,
        ),
        Suppose(
            "the noise has variance 1",
            lambda g: mean_square_is(g.noise, 1.0),
            "If the noise has variance 4, the whole spectrum changes.",
            noise=lambda g: 2 * g.noise,
        ),
        Suppose(
            "the noise has a finite fourth moment",
            has_light_tails,
            "The noise is the fifth power of normal numbers, and single entries exceed the signal.",
            noise=lambda g: g.noise**5 / 945**0.5,
        ),
        Suppose(
            "the signal is above the threshold",
            lambda g: min(g.t) - 1,
            "At half of the threshold, the formula gives the same value as at twice the threshold.",
            t=lambda g: (0.5,) * len(g.t),
        ),
    )
    symbols = "(1 + t²√c)(1 + √c/t²)", "λ_max/n"
    rows = "t = {t}"

    def given(self, rng: Generator) -> Given:
        return Given(normal(rng, self.draws, self.p, round(self.p / self.ratio)), self.t)

    def predict(self, given: Given) -> list[float]:
        root = (given.noise.shape[1] / given.noise.shape[2]) ** 0.5
        return [(1 + t**2 * root) * (1 + root / t**2) for t in given.t]

    def measure(self, given: Given) -> list[Sample]:
        return [Sample(largest(given.noise, t)) for t in given.t]

    @picture("Largest eigenvalue against the strength of the signal", x="t")
    def marks(self, trial: Trial[Given]) -> Marks:
        noise, end = trial.given.noise[:6], max(2.0, *trial.given.t)
        p, n = noise.shape[1:]
        fine, coarse = (torch.linspace(0, end, k, dtype=torch.float64).tolist() for k in (100, 13))
        place = [spike_place(t * visible_from(p, n), p, n) / n for t in fine]
        found = torch.stack([largest(noise, t) for t in coarse])
        label = f"mean of {len(noise)} matrices of {p} rows (bars: all of them)"
        low, high = found.amin(dim=1), found.amax(dim=1)
        yield Curve(place, fine, label="limit", role="predicted")
        yield Level(1.0, label="threshold", axis="x", role="other")
        yield Points(coarse, found.mean(dim=1), label=label, low=low, high=high)


def largest(noise: Tensor, t: float) -> Tensor:
    """The largest eigenvalue of W Wᵀ over n, with the signal in the first entry of each matrix."""
    p, n = noise.shape[1:]
    w = noise.clone()
    w[:, 0, 0] += t * visible_from(p, n)
    values: Tensor = torch.linalg.eigvalsh(w @ w.mT)
    return values[:, -1] / n
