r"""Augmentation by a group of transformations gives an invariant least-squares fit.

Let a finite group G act linearly on inputs, and let a linear model be fitted by (ridge) least
squares to the augmented data :math:`\{(gx_i,y_i)\}_{g\in G}`. Then the unique minimiser satisfies

.. math:: \langle w,gx\rangle=\langle w,x\rangle\qquad\text{for all }g\in G\text{ and all }x,

since with w also :math:`g^\top w` is a minimiser. Transformations that are no group do not do it.

:source: Perez Jensen (2025), Deep Learning, Section 8.7; Chen, Dobriban and Lee (2020), "A
    group-theoretic framework for data augmentation".
:kind: theorem
:uses: normal_equations
:covers: data-augmentation
:scale-free: an invariant fit stays invariant when its weights are multiplied.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, normal, option
from corollary.data.augmentation import Transform, augmented, flips
from corollary.theory.regularization.ridge import ridge


class Given(NamedTuple):
    x: Float[Tensor, "n s s"]  # small images
    y: Float[Tensor, " n"]  # their numbers
    new: Float[Tensor, "m s s"]  # more images
    transforms: tuple[Transform, ...]


def is_group(given: Given) -> bool:
    """Products of transformations are transformations, seen on a picture without symmetry."""
    s = given.x.shape[1]
    picture = torch.arange(s**2, dtype=torch.float64).reshape(s, s)
    seen = {tuple(f(picture).flatten().tolist()) for f in given.transforms}
    products = (f(g(picture)) for f in given.transforms for g in given.transforms)
    return all(tuple(product.flatten().tolist()) in seen for product in products)


class AugmentationInvariance(Claim[Given]):
    n: int = option(12, low=1, high=200)  # training images
    s: int = option(4, low=2, high=8)  # side of an image
    lam: float = option(0.1, low=0.001, high=10.0)  # ridge

    relation = equals(ulps=2**14, scale=1.0)  # one linear solve
    supposes = Suppose(
        "the transformations form a group",
        is_group,
        "Without the flip along both axes, the flips are not a group, and predictions change.",
        transforms=lambda g: g.transforms[:3],
    )
    symbols = "f(x)", "f(gx) for all flips g"
    shows = Parity("Predictions at flipped images")

    def given(self, rng: Generator) -> Given:
        x, new = normal(rng, self.n, self.s, self.s), normal(rng, 8, self.s, self.s)
        return Given(x, normal(rng, self.n), new, tuple(flips()))

    def predict(self, given: Given) -> Tensor:
        return self._values(given, given.new).repeat(4)

    def measure(self, given: Given) -> Tensor:
        return torch.cat([self._values(given, f(given.new)) for f in flips()])

    def _values(self, given: Given, at: Tensor) -> Tensor:
        x, y = augmented(given.x, given.y, given.transforms)
        return at.flatten(1) @ ridge(x.flatten(1), y, self.lam)
