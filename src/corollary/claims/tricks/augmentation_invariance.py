r"""A whole group of augmentations gives an invariant fit.

Let a finite group G act linearly on inputs, and let a linear model be fitted by (ridge) least
squares to the augmented data :math:`\{(gx_i,y_i)\}_{g\in G}`. Then the unique minimiser satisfies

.. math:: \langle w,gx\rangle=\langle w,x\rangle\qquad\text{for all }g\in G\text{ and all }x,

since with w also :math:`g^\top w` is a minimiser. Transformations that are no group do not do it.

:source: Perez Jensen (2025), Deep Learning, Section 8.7; Chen, Dobriban and Lee (2020), "A
    group-theoretic framework for data augmentation".
:kind: theorem
:cost: instant
:covers: data-augmentation
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, Histogram, Hypothesis, Level, equals, option
from corollary.data.augmentation import Transform, augmented, flips
from corollary.theory.regularization.ridge import ridge


class Given(NamedTuple):
    """Small images with numbers, and the transformations."""

    x: Float[Tensor, "n s s"]
    y: Float[Tensor, " n"]
    new: Float[Tensor, "m s s"]
    transforms: tuple[Transform, ...]


@dataclass(frozen=True)
class AugmentationInvariance(Claim[Given]):
    """Predictions at flipped images against those at the images."""

    n: int = option(12, low=1, high=200)  # training images
    s: int = option(4, low=2, high=8)  # side of an image
    lam: float = option(0.1, low=0.001, high=10.0)  # ridge
    relation = equals(ulps=2**14, scale=1.0)  # one linear solve

    def given(self, rng: Generator) -> Given:
        """Normal pixels, and all four flips."""
        x = torch.randn(self.n, self.s, self.s, generator=rng, dtype=torch.float64)
        y = torch.randn(self.n, generator=rng, dtype=torch.float64)
        new = torch.randn(8, self.s, self.s, generator=rng, dtype=torch.float64)
        return Given(x, y, new, tuple(flips()))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Products of transformations are transformations, seen on a picture without symmetry."""
        picture = torch.arange(self.s**2, dtype=torch.float64).reshape(self.s, self.s)
        seen = {tuple(f(picture).flatten().tolist()) for f in given.transforms}
        closed = all(
            tuple(f(g(picture)).flatten().tolist()) in seen
            for f in given.transforms
            for g in given.transforms
        )
        yield Hypothesis("the transformations form a group", closed)

    def predict(self, given: Given) -> list[float]:
        """Predictions at new images, once for each flip."""
        return self._values(given, given.new).repeat(4).tolist()

    def measure(self, given: Given) -> list[float]:
        """Predictions at their flips."""
        return torch.cat([self._values(given, f(given.new)) for f in flips()]).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Identity and two of the flips: their product is missing."""
        given = self.given(rng)
        return given._replace(transforms=given.transforms[:3])

    def figure(self, given: Given) -> Figure:
        """Differences under flips, with the whole group, a part of it, and nothing."""
        marks = [Level(0.0, label="invariant", axis="x")]
        edges = torch.linspace(-2, 2, 42).tolist()
        for count, label, role in (
            (4, "all four flips", "measured"), (3, "three of them", "other"), (1, "none", "other"),
        ):  # fmt: skip
            part = given._replace(transforms=given.transforms[:count])
            off = [
                self._values(part, f(given.new)) - self._values(part, given.new) for f in flips()
            ]
            values = torch.cat(off[1:]).clamp(-2, 2)
            marks.append(Histogram(values, edges, label=label, role=role))
        return Figure(
            "How predictions change under flips",
            x="f(gx) − f(x)",
            y="density",
            marks=tuple(marks),
        )

    def _values(self, given: Given, at: Tensor) -> Tensor:
        x, y = augmented(given.x, given.y, given.transforms)
        return at.flatten(1) @ ridge(x.flatten(1), y, self.lam)
