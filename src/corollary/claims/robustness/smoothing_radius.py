r"""Randomised smoothing.

Let :math:`g(x)=\arg\max_c\mathbb P(f(x+\xi)=c)` with :math:`\xi\sim\mathcal N(0,\sigma^2I)`. If the
class c has probability at least :math:`p>1/2` at x, then g says c everywhere within

.. math:: R=\sigma\,\Phi^{-1}(p).

For :math:`f(x)=\operatorname{sign}\langle w,x\rangle` and the exact p this is the distance to the
boundary, so the theorem is tight. With the lower limit of Clopper and Pearson for p from n draws, R
is too large with probability at most :math:`\alpha`. Measured: how often it is larger than the
distance of a half-space.

:source: Cohen, Rosenfeld and Kolter (2019), "Certified adversarial robustness via randomized
    smoothing", Theorems 1 and 2 and Proposition 2; Lucchi (2025), Foundations of Deep Learning,
    Section 12.1, for the perturbations.
:kind: bound
:cost: seconds
:covers: adversarial-example-problem
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import (
    Claim,
    Count,
    Curve,
    Figure,
    Histogram,
    Hypothesis,
    Level,
    at_most,
    option,
)
from corollary.theory.robustness.certificates.smoothing import Smoothed


class Given(NamedTuple):
    """A half-space, a point at a known distance, the noise and what the radius takes it for."""

    w: Float[Tensor, " d"]  # of length 1
    x: Float[Tensor, " d"]
    noise: float  # standard deviation of what is added
    sigma: float  # standard deviation in the formula for R
    seed: int

    @property
    def distance(self) -> float:
        """From the point to the boundary, where the smoothed classifier flips too."""
        return float(self.w @ self.x)


class SmoothingRadius(Claim[Given]):
    d: int = option(6, low=1, high=100)  # dimension
    sigma: float = option(0.5, low=0.01, high=10.0)  # noise
    ratio: float = option(1.0, low=0.1, high=3.0)  # distance to the boundary over sigma
    draws: int = option(100, low=20, high=2000)  # noisy inputs of one certificate
    alpha: float = option(0.05, low=0.001, high=0.4)  # probability of a wrong certificate
    trials: int = option(4000, low=100, high=100_000)  # certificates
    relation = at_most(level=0.99)  # a share of independent trials

    def given(self, rng: Generator) -> Given:
        """A random half-space through the origin, and a point on its side."""
        w = torch.randn(self.d, generator=rng, dtype=torch.float64)
        w = w / w.norm()
        x = self.ratio * self.sigma * w
        return Given(w, x, self.sigma, self.sigma, int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The noise is what the formula supposes, and the class is the likelier one."""
        yield Hypothesis(
            "the noise has the deviation that the radius is computed with",
            given.noise == given.sigma,
            f"{given.noise:g} against {given.sigma:g}",
        )
        yield Hypothesis("the point is not on the boundary", given.distance > 0)

    def predict(self, given: Given) -> float:
        """The level of the limit."""
        return self.alpha

    def measure(self, given: Given) -> Count:
        """Certificates that promise too much."""
        return Count(int((self._radii(given) > given.distance).sum()), self.trials)

    def counterexample(self, rng: Generator) -> Given:
        """Noise of half the size: the class is surer than it should be, and R doubles."""
        given = self.given(rng)
        return given._replace(noise=given.sigma / 2)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The radii over many runs, and the radius over the probability."""
        radii = self._radii(given)
        runs = Figure(
            "Certified radii of one point",
            x="R",
            y="density over repeated certificates",
            marks=(
                Histogram(radii[radii > 0].tolist(), label="certified"),
                Level(given.distance, label="distance to the boundary", axis="x"),
            ),
        )
        p = torch.linspace(0.5, 0.999, 100, dtype=torch.float64)
        curve = given.sigma * torch.special.ndtri(p)
        radius = Figure(
            "The surer, the farther",
            x="p",
            y="R",
            marks=(
                Curve(curve.tolist(), p.tolist(), label="σ Φ⁻¹(p)", role="predicted"),
                Level(Smoothed(given.sigma, draws=self.draws, alpha=self.alpha).largest_radius,
                      label=f"most that {self.draws} draws can certify", role="other"),
            ),
        )  # fmt: skip
        return runs, radius

    def _radii(self, given: Given) -> Tensor:
        score = nn.utils.skip_init(nn.Linear, self.d, 1, bias=False, dtype=torch.float64)
        with torch.no_grad():
            score.weight.copy_(given.w[None])
        smoothed = Smoothed(given.noise, draws=self.draws, first=self.draws, alpha=self.alpha)
        rng = torch.Generator().manual_seed(given.seed)
        copies = given.x.expand(self.trials, -1)
        return smoothed.certify(score, copies, rng=rng).radius * given.sigma / given.noise
