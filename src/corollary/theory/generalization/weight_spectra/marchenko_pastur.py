r"""Spectra of random matrices: the law of Marchenko and Pastur.

For a :math:`p\times n` matrix W with independent entries of mean 0 and variance :math:`\sigma^2`,
:math:`p\le n`, the eigenvalues of :math:`WW^\top` fill, as p and n grow with :math:`c=p/n`,

.. math:: \Bigl[\sigma^2(\sqrt n-\sqrt p)^2,\ \sigma^2(\sqrt n+\sqrt p)^2\Bigr],\qquad
    \rho(\lambda)=\frac{\sqrt{(\lambda_+-\lambda)(\lambda-\lambda_-)}}{2\pi\sigma^2p\,\lambda}.

They repel each other, so their distribution function is within order :math:`\log(p)/p` of the law,
much closer than p independent draws would be: the Kolmogorov-Smirnov tables do not apply, and the
null distribution is drawn. A draw costs :math:`O(p^2)`, for the eigenvalues of a Gaussian matrix
are those of a bidiagonal one with independent chi variables.

:source: Marchenko and Pastur (1967), "Distribution of eigenvalues for some sets of random
    matrices"; Dumitriu and Edelman (2002), "Matrix models for beta ensembles", Section 3.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from jaxtyping import Float
from scipy.linalg import eigvalsh_tridiagonal
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_no_nan
from corollary.theory.seeding import as_generator

LARGEST_DRAWN = 256  # rows of the matrices drawn for a null distribution
CENTRE = (0.25, 0.75)  # the part of the spectrum that gives its scale


@dataclass(frozen=True)
class MarchenkoPastur:
    """The law for matrices of ``rows`` by ``columns`` entries with this variance.

    Rows and columns may be swapped: the eigenvalues are the nonzero ones of the smaller side.

    Example:
        >>> MarchenkoPastur(4, 9).edges, MarchenkoPastur(9, 4, 0.25).edges
        ((1.0, 25.0), (0.25, 6.25))
    """

    rows: int
    columns: int
    variance: float = 1.0

    def __post_init__(self) -> None:
        """Check the sizes."""
        if min(self.rows, self.columns) < 1 or not 0 < self.variance < math.inf:
            raise InputError(
                "sizes of at least 1 and a positive variance are needed, got "
                f"rows={self.rows}, columns={self.columns}, variance={self.variance:g}"
            )

    @property
    def p(self) -> int:
        """The smaller side, which is the number of eigenvalues."""
        return min(self.rows, self.columns)

    @property
    def n(self) -> int:
        """The larger side."""
        return max(self.rows, self.columns)

    @property
    def edges(self) -> tuple[float, float]:
        """Where the bulk begins and ends."""
        a, b = math.sqrt(self.n), math.sqrt(self.p)
        return self.variance * (a - b) ** 2, self.variance * (a + b) ** 2

    def density(self, x: Float[Tensor, "*m"]) -> Float[Tensor, "*m"]:
        """The density of eigenvalues, 0 outside of the edges.

        Example:
            >>> law = MarchenkoPastur(100, 100, 0.01)  # on [0, 4]
            >>> round(float(law.density(torch.tensor(2.0))), 6) == round(1 / (2 * math.pi), 6)
            True
        """
        low, high = self.edges
        root = ((high - x) * (x - low)).clamp(min=0).sqrt()
        return torch.where(root <= 0, 0.0, root / (2 * math.pi * self.variance * self.p * x))

    def cdf(self, x: Float[Tensor, "*m"]) -> Float[Tensor, "*m"]:
        """The share of eigenvalues up to x, in closed form.

        Example:
            >>> law = MarchenkoPastur(30, 90)
            >>> [round(float(law.cdf(torch.tensor(e))), 9) for e in law.edges]
            [0.0, 1.0]
        """
        scale = self.variance * self.n
        c, (low, high) = self.p / self.n, (edge / scale for edge in self.edges)
        x = (x / scale).clamp(low, high)
        root = ((high - x) * (x - low)).clamp(min=0).sqrt()
        first = torch.atan2(low + high - 2 * x, 2 * root)
        second = torch.atan2(2 * low * high - (low + high) * x, 2 * (1 - c) * root)
        return (0.5 + (root - (1 + c) * first + (1 - c) * second) / (2 * math.pi * c)).clamp(0, 1)

    def quantile(self, q: Float[Tensor, "*m"]) -> Float[Tensor, "*m"]:
        """Where the distribution function has the value q, by bisection.

        Example:
            >>> law = MarchenkoPastur(20, 50)
            >>> q = torch.tensor([0.1, 0.5, 0.9], dtype=torch.float64)
            >>> bool((law.cdf(law.quantile(q)) - q).abs().max() < 1e-12)
            True
        """
        low, high = (torch.full_like(q, edge) for edge in self.edges)
        for _ in range(60):
            middle = (low + high) / 2
            below = self.cdf(middle) < q
            low, high = torch.where(below, middle, low), torch.where(below, high, middle)
        return torch.where(q.isnan(), q, (low + high) / 2)

    def distance(self, eigenvalues: Float[Tensor, " p"]) -> float:
        """The largest difference between the two distribution functions.

        Example:
            >>> law = MarchenkoPastur(1, 1)
            >>> round(law.distance(law.quantile(torch.tensor([0.25]).double())), 9)
            0.75
        """
        values = eigenvalues.cpu().double().sort().values
        model, m = self.cdf(values), len(values)
        steps = torch.arange(m + 1, dtype=torch.float64, device=values.device) / m
        return float(torch.maximum(model - steps[:-1], steps[1:] - model).max())


def ordered(p: int, n: int) -> tuple[int, int]:
    """The two sizes of a matrix, the smaller first.

    Example:
        >>> ordered(5, 3)
        (3, 5)
    """
    if not (p >= 1 and n >= 1):
        raise InputError(f"a matrix has at least one row and one column, got p={p}, n={n}")
    return min(p, n), max(p, n)


def random_spectrum(p: int, n: int, *, rng: int | Generator = 0) -> Float[Tensor, " p"]:
    """Eigenvalues of W Wᵀ for a standard normal W of p by n, ascending, without drawing W.

    Costs O(p²) in place of O(p² n).

    Example:
        >>> drawn = random_spectrum(50, 80, rng=torch.Generator().manual_seed(0))
        >>> bool(abs(float(drawn.sum()) / (50 * 80) - 1) < 0.1)  # a mean of 4000 squares
        True
    """
    rng = as_generator(rng)
    p, n = ordered(p, n)
    draw = np.random.default_rng(int(torch.randint(2**62, (), generator=rng, device=rng.device)))
    d = draw.chisquare(np.arange(n, n - p, -1))  # squares of the diagonal of the bidiagonal matrix
    s = draw.chisquare(np.arange(p - 1, 0, -1)) if p > 1 else np.zeros(0)
    diagonal = d + np.concatenate([[0.0], s])
    values = eigvalsh_tridiagonal(diagonal, np.sqrt(d[:-1] * s)) if p > 1 else diagonal
    return torch.from_numpy(np.maximum(values, 0.0))


def central_variance(eigenvalues: Float[Tensor, " p"], n: int) -> float:
    r"""The variance :math:`\sigma^2` by the middle half of the spectrum, where no spikes are.

    The mean of the eigenvalues between the quartiles is divided by that of the law for variance 1.

    Args:
        eigenvalues: Of the smaller side, all p of them, zeros included.
        n: The larger side of the matrix.

    Example:
        >>> law = MarchenkoPastur(40, 60, 0.3)
        >>> q = (torch.arange(40, dtype=torch.float64) + 0.5) / 40
        >>> round(central_variance(law.quantile(q), 60), 9)
        0.3
    """
    check_no_nan("eigenvalues", eigenvalues)
    values = eigenvalues.cpu().double().sort().values
    p = len(values)
    if not 1 <= p <= n:
        raise InputError(f"expected between 1 and n = {n} eigenvalues, got {p}")
    first, last = _middle(p)
    return float(values[first:last].mean()) / _central_mean(p, n)


def null_distances(
    p: int, n: int, *, draws: int = 99, rng: int | Generator = 0
) -> Float[Tensor, " draws"]:
    r"""Distances of drawn p by n matrices to the law, the variance of each fitted.

    Matrices with more than 256 rows are represented by ones of the same shape with 256, and the
    distances by those times :math:`256\log p/(p\log256)`, as these fluctuations fall.

    Example:
        >>> found = null_distances(40, 60, rng=torch.Generator().manual_seed(0))
        >>> bool(0.02 < found.median() < 0.07)  # some two in forty; independent draws: four
        True
    """
    rng = as_generator(rng)
    p, n = ordered(p, n)
    small = min(p, LARGEST_DRAWN)
    wide = max(small, round(n * small / p))
    growth = small / math.log(small + 2) * math.log(p + 2) / p
    null = []
    for _ in range(draws):
        values = random_spectrum(small, wide, rng=rng)
        law = MarchenkoPastur(small, wide, central_variance(values, wide))
        null.append(law.distance(values) * growth)
    return torch.tensor(null, dtype=torch.float64)


def law_p_value(
    eigenvalues: Float[Tensor, " p"], n: int, null: Float[Tensor, " draws"]
) -> tuple[float, float]:
    """Distance to the law with fitted variance, and its p-value among those of drawn matrices.

    Args:
        eigenvalues: Of the smaller side, all p of them, zeros included.
        n: The larger side of the matrix.
        null: From :func:`null_distances` for the same sizes.

    Example:
        >>> null = null_distances(40, 60, rng=torch.Generator().manual_seed(0))
        >>> law_p_value(torch.arange(1.0, 41.0), 60, null)[1]  # evenly spread: no random matrix
        0.01
    """
    check_no_nan("null", null)
    variance = central_variance(eigenvalues, n)
    if variance <= 0:
        return 1.0, 1 / (1 + len(null))
    found = MarchenkoPastur(len(eigenvalues), n, variance).distance(eigenvalues)
    return found, (1 + int((null >= found).sum())) / (1 + len(null))


@cache
def _central_mean(p: int, n: int) -> float:
    """What :func:`central_variance` would have before its division, for variance 1."""
    q = (torch.arange(p, dtype=torch.float64) + 0.5) / p
    first, last = _middle(p)
    return float(MarchenkoPastur(p, n).quantile(q[first:last]).mean())


def _middle(p: int) -> tuple[int, int]:
    first, last = (round(q * p) for q in CENTRE)
    return (first, last) if last > first else (0, p)
