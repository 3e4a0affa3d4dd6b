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
:beyond: The attacks of the notes can fail to find a perturbation; this claim proves that none
    exists in a ball.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Count, Kept, Suppose, Trial, at_most, normal, option
from corollary.core.picture import Histogram, Level, Marks, picture
from corollary.theory.robustness.certificates.smoothing import Smoothed


class Given(NamedTuple):
    w: Float[Tensor, " d"]  # of a half-space, of length 1
    x: Float[Tensor, " d"]
    noise: float  # standard deviation of what is added
    sigma: float  # standard deviation in the formula for R

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
    supposes = (
        Suppose(
            "the noise has the deviation that the radius is computed with",
            lambda g: (g.noise == g.sigma, f"noise {g.noise:g}, σ = {g.sigma:g}"),
            "If the noise is half as large as stated, the class is too certain, and R doubles.",
            noise=lambda g: g.sigma / 2,
        ),
        Suppose("the point is not on the boundary", lambda g: g.distance),
    )
    symbols = "α", "share of radii beyond the boundary"

    def given(self, rng: Generator) -> Given:
        w = torch.nn.functional.normalize(normal(rng, self.d), dim=0)
        return Given(w, self.ratio * self.sigma * w, self.sigma, self.sigma)

    def predict(self, given: Given) -> float:
        return self.alpha

    def measure(self, given: Given, rng: Generator) -> Kept:
        score = nn.Linear(self.d, 1, bias=False, dtype=torch.float64)
        score.load_state_dict({"weight": given.w[None]})
        smoothed = Smoothed(given.noise, draws=self.draws, first=self.draws, alpha=self.alpha)
        found = smoothed.certify(score, given.x.expand(self.trials, -1), rng=rng)
        radii = found.radius * given.sigma / given.noise
        return Kept(Count(int((radii > given.distance).sum()), self.trials), radii=radii)

    @picture("Certified radii of one point", x="R", y="density over repeated certificates")
    def marks(self, trial: Trial[Given]) -> Marks:
        for t in trial.all:
            yield Histogram(t.kept.radii, label=t.words or "certified", role=t.role)
        yield Level(trial.given.distance, label="distance to the boundary", axis="x")
