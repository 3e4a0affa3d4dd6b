r"""Data near a manifold have its dimension.

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
"""

from collections.abc import Iterator
from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_most, option
from corollary.data.manifolds import embedded_sphere, swiss_roll
from corollary.theory.geometry.intrinsic_dimension import intrinsic_dimension


class Given(NamedTuple):
    """Clouds with their dimension, the scale to look at, and the noise per coordinate."""

    clouds: tuple[tuple[Float[Tensor, "n D"], int, int], ...]  # points, dimension, neighbours
    noise: float


class IntrinsicDimension(Claim[Given]):
    n: int = option(1000, low=300, high=20_000)  # points of each cloud
    D: int = option(50, low=5, high=500)  # dimension of the space
    noise: float = option(0.01, low=0.0, high=1.0)  # standard deviation of a coordinate
    within: float = option(0.3, low=0.0, high=1.0)  # error allowed
    relation = at_most()  # estimates are far more spread than rounded

    def given(self, rng: Generator) -> Given:
        """Spheres of two and three dimensions and a roll, each at a scale beyond the noise."""
        near, far = self.n // 250, self.n // 16
        clouds = (
            (embedded_sphere(self.n, 2, self.D, self.noise, rng=rng), 2, far),
            (embedded_sphere(self.n, 3, self.D, self.noise, rng=rng), 3, far),
            (swiss_roll(self.n, self.D, self.noise, rng=rng), 2, max(near, 4)),
        )
        return Given(clouds, self.noise)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Little noise."""
        yield Hypothesis("the noise is at most 0.02 in each coordinate", given.noise <= 0.02)

    def predict(self, given: Given) -> list[float]:
        """The error allowed."""
        return [self.within] * (2 * len(given.clouds))

    def measure(self, given: Given) -> list[float]:
        """Errors of both estimates."""
        out = []
        for X, k, scale in given.clouds:
            out.append(abs(intrinsic_dimension(X, "TwoNN", scale=scale) - k))
            out.append(abs(intrinsic_dimension(X, "local PCA", scale=max(scale, 12)) - k))
        return out

    def counterexample(self, rng: Generator) -> Given:
        """Noise as large as the sphere."""
        X = embedded_sphere(self.n, 2, self.D, 0.3, rng=rng)
        return Given(((X, 2, self.n // 16),), 0.3)

    def figure(self, given: Given) -> Figure:
        """The estimate by scale: noise first, then the manifold, then its curvature."""
        marks = []
        names = ("2-sphere", "3-sphere", "Swiss roll")
        roles = ("measured", "other", "other")
        for (X, _, _), name, role in zip(given.clouds, names, roles, strict=False):
            scales = [s for s in (1, 2, 4, 8, 16, 32, 64, 128) if 2 * s < len(X)]
            found = [intrinsic_dimension(X, "TwoNN", scale=s) for s in scales]
            marks.append(Curve(found, x=scales, label=name, role=role))
            marks.append(Points(scales, found, label=f"{name}, estimates", role=role))
        marks += [Level(2, label="2"), Level(3, label="3")]
        return Figure(
            "Dimension depends on the scale one looks at",
            x="s, neighbours",
            y="dimension, from the distances to neighbours s, 2s",
            log_x=True,
            marks=tuple(marks),
        )
