r"""Maurey's lemma: a mean is approximated by few of the things it is a mean of.

If :math:`X=\mathbb{E}V` in a Hilbert space and :math:`V_1,\dots,V_k` are independent copies,

.. math:: \mathbb{E}\Bigl\|X-\frac1k\sum_{i\le k}V_i\Bigr\|^2=\frac{\mathbb{E}\|V\|^2-\|X\|^2}k
   \le\frac{\sup\|V\|^2}k ,

so some choice of k of them does at least as well as the mean. For a signed measure
:math:`\mu=\mu_+-\mu_-` and :math:`g=\int g_w\,d\mu(w)`, draw w from :math:`|\mu|/\|\mu\|_1` and
take :math:`V=\pm\|\mu\|_1g_w` with the sign of the part it came from.

:source: Lucchi (2025), Foundations of Deep Learning, Lemmas 28 and 29 and Section 4.4, Problem 2;
    Pisier (1981), Remarques sur un résultat non publié de B. Maurey.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.errors import InputError


class Sampled(NamedTuple):
    """The best of several draws of k atoms."""

    atoms: Int[Tensor, " k"]  # indices of the best draw
    error: float  # its squared distance from the mean
    errors: Float[Tensor, " trials"]  # of all draws
    expected: float  # their exact mean
    bound: float  # the largest squared norm of an atom over k


def maurey_error(weights: Float[Tensor, " N"], atoms: Float[Tensor, "N D"], k: int) -> float:
    r"""The exact mean squared error of k draws: :math:`(\mathbb{E}\|V\|^2-\|X\|^2)/k`.

    Example:
        >>> half = torch.full((2,), 0.5, dtype=torch.float64)
        >>> maurey_error(half, torch.eye(2, dtype=torch.float64), 5)  # (1 - 1/2) / 5
        0.1
    """
    _check(weights, atoms, k)
    X = weights @ atoms
    return float(weights @ (atoms - X).square().sum(1)) / k


def maurey_sample(
    weights: Float[Tensor, " N"],
    atoms: Float[Tensor, "N D"],
    k: int,
    *,
    trials: int = 64,
    rng: Generator,
) -> Sampled:
    """Draw k atoms, ``trials`` times, and keep the draw whose mean is closest.

    Args:
        weights: Probabilities.
        atoms: Vectors, one per row; scale columns by the square root of a quadrature rule to have
            the distance of functions.
        k: Number of atoms in a draw.
        trials: Number of draws.
        rng: Source of randomness.

    Example:
        >>> half = torch.full((2,), 0.5, dtype=torch.float64)
        >>> rng = torch.Generator().manual_seed(0)
        >>> found = maurey_sample(half, torch.eye(2, dtype=torch.float64), 2, rng=rng)
        >>> round(found.error, 12), found.expected, found.bound  # one of each is exact
        (0.0, 0.25, 0.5)

    :covers: maurey-lemma
    :test: tests/theory/approximation/test_maurey.py
    """
    _check(weights, atoms, k)
    if trials < 1:
        raise InputError(f"at least one draw is needed, got trials={trials}")
    drawn = torch.multinomial(weights, trials * k, replacement=True, generator=rng)
    drawn = drawn.reshape(trials, k)
    gap = atoms[drawn].mean(1) - weights @ atoms  # (trials, D)
    errors = gap.square().sum(1)
    best = int(errors.argmin())
    bound = float(atoms.square().sum(1).max()) / k
    return Sampled(drawn[best], float(errors[best]), errors, maurey_error(weights, atoms, k), bound)


@dataclass(frozen=True)
class SignedMeasure:
    """A signed measure on finitely many points, or a density tabulated at them.

    Example:
        >>> mu = SignedMeasure(torch.tensor([[0.0], [1.0]]), torch.tensor([3.0, -1.0]))
        >>> mu.mass, mu.jordan()[1].tolist()
        (4.0, [0.0, 1.0])

    :covers: maurey-signed-measure
    :erratum: [typo] In the chain of equalities in the proof of Theorem 27 the second line reads
        + ||mu_-||_1 E_{mu_-}; the sign must be minus, as in the first and third lines. The finite
        estimate lacks the factor 1/m (its expectation is m times the target), and s_j must be the
        sign of the density p(w_j), not of g(w_j).
    """

    points: Float[Tensor, "N p"]
    weights: Float[Tensor, " N"]

    def __post_init__(self) -> None:
        if not bool(torch.isfinite(self.weights).all()) or not self.mass > 0:
            raise InputError(
                f"a signed measure to draw from needs finite weights that are not all zero, but "
                f"its mass is {self.mass:g}"
            )

    @classmethod
    def from_density(
        cls, p: Callable[[Tensor], Tensor], low: float, high: float, cells: int = 4096
    ) -> "SignedMeasure":
        """A density on an interval, as the middles of equal cells."""
        if not low < high or cells < 1:
            raise InputError(
                f"expected low < high and cells >= 1, got low={low:g}, high={high:g}, cells={cells}"
            )
        step = (high - low) / cells
        b = low + step * (torch.arange(cells, dtype=torch.float64) + 0.5)
        return cls(b[:, None], p(b) * step)

    @property
    def mass(self) -> float:
        """Total variation, the sum of the masses of both parts."""
        return float(self.weights.abs().sum())

    def jordan(self) -> tuple[Float[Tensor, " N"], Float[Tensor, " N"]]:
        """The weights of the positive and of the negative part, both nonnegative."""
        return self.weights.clamp(min=0), (-self.weights).clamp(min=0)

    def sample(
        self, k: int, *, rng: Generator
    ) -> tuple[Float[Tensor, "k p"], Float[Tensor, " k"], Int[Tensor, " k"]]:
        """Points drawn by their share of the mass, their signs, and their indices."""
        if k < 1:
            raise InputError(f"at least one draw is needed, got k={k}")
        drawn = torch.multinomial(self.weights.abs(), k, replacement=True, generator=rng)
        return self.points[drawn], self.weights[drawn].sign(), drawn


def _check(weights: Tensor, atoms: Tensor, k: int) -> None:
    if k < 1:
        raise InputError(f"at least one atom has to be drawn, got k={k}")
    if bool((weights < 0).any()) or not math.isclose(float(weights.sum()), 1.0, rel_tol=1e-6):
        raise InputError(
            f"weights must be probabilities, but they sum to {float(weights.sum()):g}; use "
            "SignedMeasure for signed weights"
        )
    if not bool(torch.isfinite(atoms).all()):
        raise InputError("an atom is NaN or infinite, but its second moment must be finite")
