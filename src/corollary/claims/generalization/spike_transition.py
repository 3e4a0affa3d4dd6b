r"""A signal shows in the spectrum from a threshold on.

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
:cost: instant
:beyond: It says which parts of what a layer has learned its spectrum can show.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Points,
    Sample,
    option,
    within_interval,
)
from corollary.theory.generalization.weight_spectra.spikes import spike_place, visible_from

HEAVIEST = 6.0  # kurtosis; that of normal entries is 3, and a sample scatters around it


class Given(NamedTuple):
    """Matrices of noise, and sizes of the signal; u and v are the first unit vectors."""

    noise: Float[Tensor, "r p n"]
    t: tuple[float, ...]


@dataclass(frozen=True)
class SpikeTransition(Claim[Given]):
    """The largest eigenvalue over n, for several signals above the threshold."""

    t: tuple[float, ...] = (1.5, 2.0, 3.0)  # sizes of the signal over the threshold
    ratio: float = option(0.5, low=0.05, high=1.0)  # rows over columns
    p: int = option(150, low=64, high=2048)  # rows
    draws: int = option(24, low=4, high=500)  # matrices
    # The mean of 24 eigenvalues that scatter by some t/sqrt(p), 0.25 for t = 3, at 99 % for all.
    relation = within_interval(resolution=0.25)

    def given(self, rng: Generator) -> Given:
        """Normal noise."""
        shape = self.draws, self.p, round(self.p / self.ratio)
        noise = torch.randn(shape, generator=rng, device=rng.device, dtype=torch.float64)
        return Given(noise, self.t)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Moments of the noise, and a signal that can be seen."""
        entries = given.noise.flatten()
        variance = float((entries**2).mean())
        kurtosis = float((entries**4).mean()) / variance**2
        spread = 6 * (2 / len(entries)) ** 0.5
        yield Hypothesis("the noise has variance 1", abs(variance - 1) < spread, f"{variance:.4g}")
        yield Hypothesis(
            "the noise has a finite fourth moment", kurtosis <= HEAVIEST, f"{kurtosis:.3g}"
        )
        smallest = min(given.t)
        yield Hypothesis("the signal is above the threshold", smallest > 1, f"t = {smallest:g}")

    def predict(self, given: Given) -> list[float]:
        """Where the signal puts an eigenvalue."""
        root = (given.noise.shape[1] / given.noise.shape[2]) ** 0.5
        return [(1 + t**2 * root) * (1 + root / t**2) for t in given.t]

    def measure(self, given: Given) -> list[Sample]:
        """The largest eigenvalue of each matrix."""
        return [Sample(largest(given.noise, t).tolist()) for t in given.t]

    def counterexample(self, rng: Generator) -> Given:
        """A signal of half the threshold: the formula promises what one of twice it gives."""
        return self.given(rng)._replace(t=(0.5,))

    def figure(self, given: Given) -> Figure:
        """The largest eigenvalue along the signal."""
        p, n = given.noise.shape[1:]
        end = max(2.0, *given.t)
        fine = torch.linspace(0, end, 100, dtype=torch.float64).tolist()
        coarse = torch.linspace(0, end, 13, dtype=torch.float64).tolist()
        found = [largest(given.noise[:6], t) for t in coarse]
        place = [spike_place(t * visible_from(p, n), p, n) / n for t in fine]
        return Figure(
            "Below its threshold a signal hides in the noise",
            x="t",
            y="λ_max/n",
            marks=(
                Curve(place, x=fine, label="limit", role="predicted"),
                Level(1.0, label="threshold", axis="x", role="other"),
                Points(
                    coarse,
                    [float(v.mean()) for v in found],
                    label=f"mean of {len(found[0])} matrices of {p} rows (bars: all of them)",
                    low=[float(v.min()) for v in found],
                    high=[float(v.max()) for v in found],
                ),
            ),
        )


def largest(noise: Tensor, t: float) -> Tensor:
    """The largest eigenvalue of W Wᵀ over n, with the signal in the first entry of each matrix."""
    p, n = noise.shape[1:]
    w = noise.clone()
    w[:, 0, 0] += t * visible_from(p, n)
    return torch.linalg.eigvalsh(w @ w.mT)[:, -1] / n
