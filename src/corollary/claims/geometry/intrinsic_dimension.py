r"""The intrinsic dimension of data near a manifold is that of the manifold.

Points on a :math:`k`-dimensional manifold in :math:`\mathbb{R}^D`, with a little noise, look like
:math:`\mathbb{R}^k` in a small neighbourhood: the ratio of the distances to two neighbours
estimates :math:`k` within 0.3, and so does the number of large eigenvalues of a neighbourhood's
covariance. At scales below the noise they show the dimension of the noise instead.

:source: Mathematical Foundations of Deep Learning (slides), Manifold Hypothesis; Facco, d'Errico,
    Rodriguez and Laio (2017), "Estimating the intrinsic dimension of datasets by a minimal
    neighborhood information"; Fukunaga and Olsen (1971), "An algorithm for finding intrinsic
    dimensionality of data".
:kind: experiment
:cost: seconds
:covers: manifold-hypothesis
:loose: An error of 0.3 still separates two whole numbers; the estimates are closer.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, at_most, option
from corollary.data.manifolds import embedded_sphere, swiss_roll
from corollary.theory.geometry.intrinsic_dimension import intrinsic_dimension


class Given(NamedTuple):
    spheres: Float[Tensor, "r n D"]
    bigger: Float[Tensor, "r n D"]  # spheres of three dimensions
    rolls: Float[Tensor, "r n D"]


def noise(g: Given) -> float:
    """The standard deviation of most coordinates, into which no manifold extends."""
    size = [torch.linalg.svdvals(X - X.mean(1, keepdim=True)).median() for X in g]
    return float(torch.stack(size).max() / g.spheres.shape[1] ** 0.5)


class IntrinsicDimension(Claim[Given]):
    n: int = option(1000, low=300, high=20_000)  # points of each cloud
    D: int = option(50, low=5, high=500)  # dimension of the space
    noise: float = option(0.01, low=0.0, high=1.0)  # standard deviation of a coordinate
    within: float = option(0.3, low=0.0, high=1.0)  # error allowed
    runs: int = option(8, low=2, high=50)  # clouds of each kind

    relation = at_most(level=0.95)
    supposes = Suppose(
        "the noise is at most 0.02 in each coordinate",
        lambda g: 0.02 - noise(g),
        "The noise is as large as the manifold, so the dimension of the noise is measured.",
        lambda self, rng: self.drawn(0.3, rng),
    )
    symbols = "error allowed", "error of the dimension"
    rows = (
        *("2-sphere, distances", "2-sphere, covariance", "3-sphere, distances"),
        *("3-sphere, covariance", "roll, distances", "roll, covariance"),
    )
    shows = Along("Error of the estimated intrinsic dimension", x="cloud and method", log="y")

    def given(self, rng: Generator) -> Given:
        return self.drawn(self.noise, rng)

    def drawn(self, noise: float, rng: Generator) -> Given:
        size, runs = (self.D, noise), range(self.runs)
        return Given(
            torch.stack([embedded_sphere(self.n, 2, *size, rng=rng) for _ in runs]),
            torch.stack([embedded_sphere(self.n, 3, *size, rng=rng) for _ in runs]),
            torch.stack([swiss_roll(self.n, *size, rng=rng) for _ in runs]),
        )

    def predict(self, given: Given) -> list[float]:
        return [self.within] * 6

    def measure(self, given: Given) -> list[Sample]:
        out, few = [], self.n // 16
        for clouds, k, scale in zip(given, (2, 3, 2), (few, few, 4), strict=True):
            by_distance = [intrinsic_dimension(X, "TwoNN", scale=scale) for X in clouds]
            by_rank = [intrinsic_dimension(X, "local PCA", scale=max(scale, 12)) for X in clouds]
            out += [Sample([abs(d - k) for d in found]) for found in (by_distance, by_rank)]
        return out
