r"""Kernels from feature maps: :math:`K(x, y) = \langle\phi(x), \phi(y)\rangle`.

A kernel compares inputs, :math:`K : \mathbb R^d \times \mathbb R^d \to \mathbb R`. Its Gram
matrices are symmetric and positive semi-definite, because
:math:`a^\top K a = \|\sum_i a_i\phi(x_i)\|^2`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.1, Definition 25; Perez Jensen
    (2025), Deep Learning, Section 9.
:covers: kernel-definition
:erratum: [typo] The table of notation in Section 7.2 types K as a function on R^p x R^p; its
    arguments are inputs in R^d (Definition 25): features of the degree-2 kernel on R^2 have p = 3.
"""

import itertools
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.kernels.symmetric import mirrored


class Kernel(ABC):
    """A symmetric function of two inputs with positive semi-definite Gram matrices."""

    @abstractmethod
    def gram(self, x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
        """All values K(x_i, y_j)."""

    def features(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n p"]:
        """An explicit feature map, where there is one of finite size."""
        raise InputError(f"{type(self).__name__} has no feature map of finite size")

    def __call__(
        self, x: Float[Tensor, "n d"], y: Float[Tensor, "m d"] | None = None
    ) -> Float[Tensor, "n m"]:
        """The Gram matrix of x with y, or with itself."""
        if y is None:
            return mirrored(self.gram(x, x))
        if x.shape[1] != y.shape[1]:
            raise InputError(
                f"a kernel needs inputs of the same dimension, got {x.shape[1]} and {y.shape[1]}"
            )
        return self.gram(x, y)


def is_psd(k: Float[Tensor, "n n"], *, tolerance: float = 1e-10) -> bool:
    """Whether a symmetric matrix has no eigenvalue below ``-tolerance`` times its largest.

    Example:
        >>> is_psd(torch.eye(2)), is_psd(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
        (True, False)
    """
    if not torch.allclose(k, k.T, rtol=1e-8, atol=1e-8 * float(k.abs().max())):
        return False
    values = torch.linalg.eigvalsh(k)
    return bool(values[0] >= -tolerance * max(float(values[-1]), 1.0))


@dataclass(frozen=True)
class PolynomialKernel(Kernel):
    r""":math:`(\langle x, y\rangle + c)^p`; for c = 0 with :math:`\binom{d+p-1}{p}` features.

    The features are the monomials :math:`x^\alpha` of degree p, weighted by
    :math:`\sqrt{p!/\alpha!}` (the multinomial theorem); an offset c is one more coordinate
    :math:`\sqrt c`.

    Example:
        >>> phi = PolynomialKernel(2).features(torch.tensor([[3.0, 1.0]]))
        >>> phi.pow(2).round(decimals=4).tolist()
        [[81.0, 18.0, 1.0]]

    :source: Lucchi (2025), Foundations of Deep Learning, Section 7.1.
    :covers: polynomial-kernel-feature-map
    """

    degree: int = 2
    c: float = 0.0

    def __post_init__(self) -> None:
        if self.degree < 1 or not self.c >= 0:
            raise InputError(
                f"a polynomial kernel needs degree >= 1 and c >= 0, got degree={self.degree}, "
                f"c={self.c}"
            )

    def gram(self, x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
        """Powers of inner products."""
        return (x @ y.T + self.c) ** self.degree

    def features(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n p"]:
        """Weighted monomials."""
        if self.c > 0:
            x = torch.cat([x, x.new_full((len(x), 1), math.sqrt(self.c))], dim=1)
        return monomials(x, self.degree) * monomial_weights(x.shape[1], self.degree).to(x).sqrt()


def monomials(x: Float[Tensor, "n d"], degree: int) -> Float[Tensor, "n p"]:
    """All products of ``degree`` coordinates, each once.

    Example:
        >>> monomials(torch.tensor([[2.0, 3.0]]), 2).tolist()
        [[4.0, 6.0, 9.0]]
    """
    words = itertools.combinations_with_replacement(range(x.shape[1]), degree)
    return torch.stack([x[:, list(word)].prod(dim=1) for word in words], dim=1)


def monomial_weights(d: int, degree: int) -> Float[Tensor, " p"]:
    """How many words of coordinates give each monomial: the multinomial coefficients.

    Example:
        >>> monomial_weights(2, 2).tolist()
        [1.0, 2.0, 1.0]
    """
    ways = []
    for word in itertools.combinations_with_replacement(range(d), degree):
        repeats = math.prod(math.factorial(word.count(i)) for i in set(word))
        ways.append(math.factorial(degree) / repeats)
    return torch.tensor(ways, dtype=torch.float64)


@dataclass(frozen=True)
class RBFKernel(Kernel):
    r""":math:`\exp(-\|x-y\|^2/(2\ell^2))`: strictly positive definite on distinct points.

    Example:
        >>> RBFKernel()(torch.tensor([[0.0], [math.sqrt(2)]])).log().round(decimals=6).tolist()
        [[0.0, -1.0], [-1.0, 0.0]]

    :source: Lucchi (2025), Foundations of Deep Learning, Sections 7.1 and 7.2.2.
    :covers: rbf-kernel
    """

    lengthscale: float = 1.0

    def __post_init__(self) -> None:
        if not self.lengthscale > 0:
            raise InputError(f"the length scale must be positive, got {self.lengthscale}")

    def gram(self, x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
        """From squared distances, which are taken of differences: near points keep their digits."""
        distances = torch.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist")
        return torch.exp(-(distances**2) / (2 * self.lengthscale**2))

    def random_features(
        self, x: Float[Tensor, "n d"], count: int, *, rng: Generator
    ) -> Float[Tensor, "n p"]:
        r"""Random Fourier features :math:`\sqrt{2/D}\cos(\langle w_k, x\rangle/\ell + b_k)`.

        Their products estimate the kernel without bias, with error :math:`O(D^{-1/2})`.

        :source: Rahimi and Recht (2007), "Random features for large-scale kernel machines".
        """
        if count < 1:
            raise InputError(f"at least one feature is needed, got count={count}")
        w = torch.randn(x.shape[1], count, generator=rng, device=rng.device, dtype=x.dtype)
        b = 2 * math.pi * torch.rand(count, generator=rng, device=rng.device, dtype=x.dtype)
        return math.sqrt(2 / count) * torch.cos(x @ w / self.lengthscale + b)
