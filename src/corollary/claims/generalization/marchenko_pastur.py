r"""Marchenko-Pastur law: the eigenvalues of a covariance matrix of noise.

Let W be a :math:`p\times n` matrix of independent entries with mean 0, variance 1 and a finite
fourth moment, of whatever law. As p grows with :math:`c=p/n\le1` fixed, the share of eigenvalues of
:math:`WW^\top/n` below :math:`\lambda` tends, for every :math:`\lambda`, to that of the density

.. math:: \rho(\lambda)=\frac{\sqrt{(\lambda_+-\lambda)(\lambda-\lambda_-)}}{2\pi c\lambda},\qquad
    \lambda_\pm=(1\pm\sqrt c)^2 .

So a layer that has learned nothing is recognised by its weights alone. Eigenvalues of noise repel
each other: they are closer to the law than as many independent draws of it would be.

:source: Marchenko and Pastur (1967), "Distribution of eigenvalues for some sets of random
    matrices"; Bai and Silverstein (2010), Spectral Analysis of Large Dimensional Random Matrices,
    Theorem 3.6.
:kind: limit
:beyond: An examination compares the weights of a layer with this law.
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, Trial, converges, normal, option, uniform
from corollary.core.picture import Curve, Histogram, Marks, picture
from corollary.core.witness import mean_is, mean_square_is
from corollary.theory.generalization.weight_spectra.marchenko_pastur import MarchenkoPastur

HEAVIEST = 6.0  # kurtosis; that of each law here is at most 3, and a sample scatters around it


class Given(NamedTuple):
    """Matrices of growing sizes, several of each."""

    noise: tuple[Float[Tensor, "r _ _"], ...]


def has_light_tails(given: Given) -> tuple[bool, str]:
    """The kurtosis of the entries."""
    square = given.noise[-1].square()
    kurtosis = float(square.square().mean() / square.mean() ** 2)
    return kurtosis <= HEAVIEST, f"kurtosis {kurtosis:.3g}"


class NoiseSpectrum(Claim[Given]):
    entries: Literal["normal", "signs", "uniform"] = "normal"  # distribution of the entries
    ratio: float = option(0.5, low=0.05, high=1.0)  # rows over columns
    p: int = option(256, low=64, high=2048)  # rows of the largest matrices
    draws: int = option(4, low=2, high=100)  # matrices of each size

    relation = converges(gap=0.02)  # the distance is about 1/p; of independent draws 1/sqrt(p)
    supposes = (
        Suppose("the entries have mean 0", lambda g: mean_is(g.noise[-1])),
        Suppose(
            "the entries have variance 1",
            lambda g: mean_square_is(g.noise[-1], 1.0),
            "The entries have variance 2, so the spectrum is twice as wide.",
            noise=lambda g: tuple(2**0.5 * w for w in g.noise),
        ),
        Suppose(
            "the entries have a finite fourth moment",
            has_light_tails,
            "The entries have a Cauchy distribution, which has no variance.",
            lambda g, rng: Given(
                tuple(normal(rng, *w.shape) / normal(rng, *w.shape) for w in g.noise)
            ),
        ),
    )
    symbols = "0", "distance from the law"
    predicts = 0.0
    shows = Over("Distance from the Marchenko-Pastur law", x="p", log="xy")

    def given(self, rng: Generator) -> Given:
        return Given(tuple(self._noise(max(4, self.p // k), rng) for k in (16, 8, 4, 2, 1)))

    def measure(self, given: Given) -> Series:
        laws = [(w, law(w)) for w in given.noise]
        far = [torch.tensor([mp.distance(v) for v in spectra(w)]).double() for w, mp in laws]
        return Series([w.shape[1] for w in given.noise], [float(v.mean()) for v in far])

    @picture("Eigenvalues of noise and the Marchenko-Pastur law", x="λ", y="density")
    def marks(self, trial: Trial[Given]) -> Marks:
        w = trial.given.noise[-1]
        low, high = law(w).edges
        grid = torch.linspace(low, high, 200, dtype=torch.float64)[1:-1]
        yield Histogram(spectra(w).flatten(), bins=40, label="eigenvalues of W Wᵀ/n")
        yield Curve(law(w).density(grid), grid, label="Marchenko and Pastur", role="predicted")

    def _noise(self, p: int, rng: Generator) -> Tensor:
        shape = self.draws, p, round(p / self.ratio)
        if self.entries == "normal":
            return normal(rng, *shape)
        u = uniform(rng, *shape) - 0.5
        return u.sign() if self.entries == "signs" else u * 12**0.5


def law(w: Tensor) -> MarchenkoPastur:
    """The law for matrices of this shape with entries of variance 1."""
    return MarchenkoPastur(w.shape[1], w.shape[2], 1 / w.shape[2])


def spectra(w: Tensor) -> Tensor:
    """Eigenvalues of W Wᵀ/n for a stack of matrices, ascending."""
    values: Tensor = torch.linalg.eigvalsh(w @ w.mT / w.shape[2])
    return values.clamp(min=0)
