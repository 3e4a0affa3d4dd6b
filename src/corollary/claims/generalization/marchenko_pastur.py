r"""The spectrum of noise.

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
:cost: instant
:beyond: It is what an examination compares the weights of a layer with.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Histogram, Hypothesis, Series, converges, option
from corollary.theory.generalization.weight_spectra.marchenko_pastur import MarchenkoPastur

HEAVIEST = 6.0  # kurtosis; that of each law here is at most 3, and a sample scatters around it


class Given(NamedTuple):
    """Matrices of growing sizes, several of each."""

    noise: tuple[Float[Tensor, "r _ _"], ...]


@dataclass(frozen=True)
class NoiseSpectrum(Claim[Given]):
    """How far the distribution of eigenvalues is from the law, along the size."""

    entries: Literal["normal", "signs", "uniform"] = "normal"  # their law
    ratio: float = option(0.5, low=0.05, high=1.0)  # rows over columns
    p: int = option(256, low=64, high=2048)  # rows of the largest matrices
    draws: int = option(4, low=2, high=100)  # matrices of each size
    relation = converges(gap=0.02)  # the distance is about 1/p; of independent draws 1/sqrt(p)

    def given(self, rng: Generator) -> Given:
        """Matrices with p/16, p/8, ... rows."""
        return Given(tuple(self._noise(p, rng) for p in self._sizes()))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Moments of the entries."""
        entries = given.noise[-1].flatten()
        variance = float((entries**2).mean())
        kurtosis = float((entries**4).mean()) / variance**2
        spread = 6 * len(entries) ** -0.5  # of means; that of squares has deviation sqrt(2) at most
        centred = abs(float(entries.mean())) < spread * variance**0.5
        yield Hypothesis("the entries have mean 0", centred)
        yield Hypothesis("their variance is 1", abs(variance - 1) < 2 * spread, f"{variance:.4g}")
        yield Hypothesis(
            "the entries have a finite fourth moment", kurtosis <= HEAVIEST, f"{kurtosis:.3g}"
        )

    def predict(self, given: Given) -> float:
        """Nothing is left of the distance."""
        return 0.0

    def measure(self, given: Given) -> Series:
        """The largest difference between the two distribution functions, in the mean."""
        far = [
            torch.tensor([self._law(w).distance(v) for v in spectra(w)]).double().mean()
            for w in given.noise
        ]
        return Series([w.shape[1] for w in given.noise], [float(v) for v in far])

    def counterexample(self, rng: Generator) -> Given:
        """Entries of Cauchy's law, with no variance at all."""
        normal = [self._noise(p, rng) for p in self._sizes()]
        return Given(tuple(w / self._noise(w.shape[1], rng, "normal") for w in normal))

    def figure(self, given: Given) -> Figure:
        """The eigenvalues of the largest matrices and the law."""
        w = given.noise[-1]
        law = self._law(w)
        low, high = law.edges
        grid = torch.linspace(low, high, 200, dtype=torch.float64)[1:-1]
        return Figure(
            "Noise has a spectrum of its own",
            x="λ",
            y="density",
            marks=(
                Histogram(spectra(w).flatten(), bins=40, label="eigenvalues of W Wᵀ/n"),
                Curve(law.density(grid), x=grid, label="Marchenko and Pastur", role="predicted"),
            ),
        )

    def _sizes(self) -> list[int]:
        return [max(4, self.p // k) for k in (16, 8, 4, 2, 1)]

    def _law(self, w: Tensor) -> MarchenkoPastur:
        return MarchenkoPastur(w.shape[1], w.shape[2], 1 / w.shape[2])

    def _noise(self, p: int, rng: Generator, entries: str | None = None) -> Tensor:
        shape, kind = (self.draws, p, round(p / self.ratio)), entries or self.entries
        if kind == "normal":
            return torch.randn(shape, generator=rng, device=rng.device, dtype=torch.float64)
        u = torch.rand(shape, generator=rng, device=rng.device, dtype=torch.float64)
        return (u - 0.5).sign() if kind == "signs" else (u - 0.5) * 12**0.5


def spectra(w: Tensor) -> Tensor:
    """Eigenvalues of W Wᵀ/n for a stack of matrices, ascending."""
    return torch.linalg.eigvalsh(w @ w.mT / w.shape[2]).clamp(min=0)
