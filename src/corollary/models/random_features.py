r"""Random features: a linear model on a frozen random layer.

.. math:: f(x) = \frac1{\sqrt p}\sum_{i=1}^p \theta_i\,\varphi(\langle w_i, x\rangle), \qquad
          K_p(x, x') = \frac1p\sum_i\varphi(\langle w_i, x\rangle)\varphi(\langle w_i, x'\rangle)

Only :math:`\theta` is trained. As p grows :math:`K_p` tends to
:math:`E[\varphi(w\cdot x)\varphi(w\cdot x')]`: the arc-cosine kernel for ReLU, the Gaussian kernel
for :math:`\sqrt2\cos(w\cdot x + b)`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.2, Theorems 55 and 56; Rahimi and
    Recht (2007), "Random features for large-scale kernel machines".
:covers: random-feature-model
"""

import math
from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.theory.kernels.arc_cosine import relu_dual
from corollary.theory.kernels.kernel import RBFKernel
from corollary.theory.seeding import as_generator


class RandomFeatures(nn.Module):
    """``d -> p`` random features and ``p`` trained weights, standard normal at the start."""

    w: Float[Tensor, "p d"]
    b: Float[Tensor, " p"]

    def __init__(
        self,
        d: int,
        p: int,
        *,
        kind: Literal["relu", "fourier"] = "relu",
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if kind not in ("relu", "fourier"):
            raise InputError(f"expected kind='relu' or 'fourier', got '{kind}'")
        if d < 1 or p < 1:
            raise InputError(f"random features need d >= 1 and p >= 1, got d={d} and p={p}")
        options: dict[str, Any] = {"generator": rng, "device": rng.device, "dtype": dtype}
        self.kind = kind
        self.register_buffer("w", torch.randn(p, d, **options))
        self.register_buffer("b", 2 * math.pi * torch.rand(p, **options))
        self.theta = nn.Parameter(torch.randn(p, **options))

    def features(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n p"]:
        """The frozen layer."""
        z = x @ self.w.T
        return z.relu() if self.kind == "relu" else math.sqrt(2) * torch.cos(z + self.b)

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
        """The linear model."""
        return self.features(x) @ self.theta / math.sqrt(len(self.theta))

    def kernel(
        self, x: Float[Tensor, "n d"], y: Float[Tensor, "m d"] | None = None
    ) -> Float[Tensor, "n m"]:
        """K_p, the covariance of the output over the draws of theta."""
        a = self.features(x)
        return a @ (a if y is None else self.features(y)).T / len(self.theta)

    def limit_kernel(
        self, x: Float[Tensor, "n d"], y: Float[Tensor, "m d"] | None = None
    ) -> Float[Tensor, "n m"]:
        """The kernel of infinitely many features."""
        y = x if y is None else y
        if self.kind == "fourier":
            return RBFKernel()(x, y)
        lengths = torch.outer(x.norm(dim=1), y.norm(dim=1))
        safe = torch.where(lengths > 0, lengths, 1.0)
        return lengths * relu_dual(x @ y.T / safe)


def rf_initial_covariance(model: RandomFeatures, x: Float[Tensor, "n d"]) -> Float[Tensor, "n n"]:
    """The covariance of the outputs at x over standard normal theta: exactly K_p.

    :covers: random-feature-initial-gp
    :test: tests/models/test_random_features.py
    :erratum: [typo] Theorem 55 writes f = theta^T phi(x) without the factor 1/sqrt(p) of the model;
        its variance is p K(x, x). With the factor the statement is exact given the features.
    """
    return model.kernel(x)


def rf_final_distribution(
    k_at: Float[Tensor, "m m"],
    k_cross: Float[Tensor, "n m"],
    k_train: Float[Tensor, "n n"],
    y: Float[Tensor, " n"],
) -> tuple[Float[Tensor, " m"], Float[Tensor, "m m"]]:
    r"""Mean and covariance of the outputs after gradient flow from normal theta.

    :math:`K(x, X)K^{-1}y` and :math:`K(x, x') - K(x, X)K^{-1}K(X, x')`: the posterior of a process
    without noise. At training inputs the values are y with no spread.

    :covers: random-feature-final-distribution
    :erratum: [typo] The printed variance ends in K(x, X), a row after a matrix; it must be the
        column K(X, x). In the proof the second block of the shift must be y, not 0.
    """
    factor, failed = torch.linalg.cholesky_ex(k_train)
    if bool(failed):
        raise InputError(
            "the kernel of the training inputs is singular: use more features than inputs"
        )
    solved = torch.cholesky_solve(k_cross, factor)
    return solved.T @ y, k_at - k_cross.T @ solved
