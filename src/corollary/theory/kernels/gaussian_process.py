r"""Gaussian processes: every finite set of values is jointly normal.

:math:`f \sim GP(\mu, \Sigma)` means :math:`(f(t_1), \dots, f(t_n)) \sim N(\mu(t), \Sigma(t, t))`.
Given noisy values :math:`y = f(X) + \epsilon`, the posterior is again a process, with

.. math:: m(x) = \mu(x) + K_{xX}(K_{XX} + \sigma^2)^{-1}(y - \mu(X)), \quad
          C(x, x') = K_{xx'} - K_{xX}(K_{XX} + \sigma^2)^{-1}K_{Xx'} .

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.2.2, Definition 26; Rasmussen and
    Williams (2006), "Gaussian processes for machine learning", Chapter 2.
:covers: gaussian-process-definition
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError

Covariance = Callable[[Tensor, Tensor], Tensor]


def zero_mean(x: Float[Tensor, "n *d"]) -> Float[Tensor, " n"]:
    """The mean function 0."""
    return x.new_zeros(len(x))


@dataclass(frozen=True)
class GP:
    """A process with a mean and a covariance function.

    Example:
        >>> from corollary.theory.kernels.kernel import RBFKernel
        >>> x = torch.zeros(1, 1, dtype=torch.float64)
        >>> m, c = GP(RBFKernel()).posterior(x, torch.ones(1, dtype=torch.float64), x, noise=1.0)
        >>> round(m.item(), 12), round(c.item(), 12)
        (0.5, 0.5)
    """

    kernel: Covariance
    mean: Callable[[Tensor], Tensor] = zero_mean

    def covariance(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n n"]:
        """The covariance matrix of the values at x; refused unless it is one."""
        k = self.kernel(x, x)
        if not torch.allclose(k, k.T, rtol=1e-6, atol=1e-8):
            raise InputError(
                "expected a symmetric kernel, k(a, b) = k(b, a), got a kernel that is not symmetric"
            )
        lowest = float(torch.linalg.eigvalsh(k)[0])
        if lowest < -1e-7 * max(1.0, float(k.diagonal().abs().max())):
            raise InputError(
                f"the covariance is not positive semi-definite: its lowest eigenvalue is {lowest:g}"
            )
        return k

    def sample(
        self, x: Float[Tensor, "n d"], draws: int = 1, *, rng: Generator
    ) -> Float[Tensor, "draws n"]:
        """Values at x of ``draws`` functions; exact also for singular covariances."""
        values, vectors = torch.linalg.eigh(self.covariance(x))
        root: Tensor = vectors * values.clamp(min=0).sqrt()
        z = torch.randn(draws, len(x), generator=rng, device=rng.device, dtype=x.dtype)
        return self.mean(x) + z @ root.T

    def posterior(
        self,
        x: Float[Tensor, "n d"],
        y: Float[Tensor, " n"],
        at: Float[Tensor, "m d"],
        *,
        noise: float = 0.0,
    ) -> tuple[Float[Tensor, " m"], Float[Tensor, "m m"]]:
        """Mean and covariance of the values at new inputs, given y at x; time O(n³)."""
        factor = self._factor(x, noise)
        cross = self.kernel(x, at)  # (n, m)
        half = torch.linalg.solve_triangular(factor, cross, upper=False)
        rest = torch.linalg.solve_triangular(factor, (y - self.mean(x))[:, None], upper=False)
        return self.mean(at) + (half.T @ rest)[:, 0], self.kernel(at, at) - half.T @ half

    def log_evidence(
        self, x: Float[Tensor, "n d"], y: Float[Tensor, " n"], *, noise: float = 0.0
    ) -> Float[Tensor, ""]:
        """The log density of the observations; differentiable in the kernel's parameters."""
        factor = self._factor(x, noise)
        rest: Tensor = torch.linalg.solve_triangular(
            factor, (y - self.mean(x))[:, None], upper=False
        )
        return -(rest**2).sum() / 2 - factor.diagonal().log().sum() - len(y) * _HALF_LOG_2PI

    def _factor(self, x: Tensor, noise: float) -> Tensor:
        k = self.kernel(x, x)
        k = k + noise * torch.eye(len(x), dtype=k.dtype, device=k.device)
        found = torch.linalg.cholesky_ex(k)
        if bool(found.info):
            raise InputError(
                "the covariance of the observations is singular or not positive; add noise, or "
                "remove repeated inputs"
            )
        factor: Tensor = found.L
        return factor


_HALF_LOG_2PI = math.log(2 * math.pi) / 2
