r"""Kernel ridge regression.

Among all functions of the space :math:`\mathcal H` of a kernel k, the minimiser of

.. math:: \frac1n\sum_i(y_i-f(x_i))^2+\lambda\|f\|_{\mathcal H}^2

is :math:`f=\sum_i\alpha_ik(\cdot,x_i)` with :math:`\alpha=(K+n\lambda I)^{-1}y`, where the norm is
the one with :math:`\langle k(\cdot,x),k(\cdot,x')\rangle=k(x,x')`, so
:math:`\|f\|_{\mathcal H}^2=\alpha^\top K\alpha`. Measured: the values of the minimiser, found as
a least-squares problem in the coefficients with the Gram matrix of the inner product as penalty.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2; Saunders, Gammerman and Vovk
    (1998), "Ridge regression learning algorithm in dual variables".
:kind: algorithm
:cost: instant
:covers: kernel-ridge-regression
:erratum: [wrong] The notes give the inner product as the integral of f g. With it the minimiser is
    another function, as the counterexample finds; for one centre the squared norm is k(x0, x0) = 1
    and the integral of k(., x0)^2 is sqrt(pi) times the length scale.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.kernel_ridge import KernelRidge
from corollary.theory.kernels.kernel import RBFKernel


class Given(NamedTuple):
    """Points on a line, the length scale, and products of the functions k(., x_i)."""

    x: Float[Tensor, "n 1"]
    y: Float[Tensor, " n"]
    at: Float[Tensor, "m 1"]
    products: Float[Tensor, "n n"]  # the inner product that the penalty uses


@dataclass(frozen=True)
class KernelRidgeRegression(Claim[Given]):
    """The closed form against the minimiser of the objective."""

    n: int = option(12, low=3, high=40)  # points
    lam: float = option(0.01, low=1e-4, high=1.0)  # regulariser
    lengthscale: float = option(0.08, low=0.02, high=0.12)  # of the Gaussian kernel
    relation = equals(ulps=2**24, scale=1.0)  # K has condition number up to 1e4

    def given(self, rng: Generator) -> Given:
        """A noisy sine at jittered points; products of the space of the kernel."""
        jitter = torch.rand(self.n, generator=rng, dtype=torch.float64)
        x = ((torch.arange(self.n) + 0.5 * jitter) / self.n)[:, None]
        noise = torch.randn(self.n, generator=rng, dtype=torch.float64)
        y = torch.sin(2 * math.pi * x[:, 0]) + 0.3 * noise
        at = torch.linspace(0, 1, 25, dtype=torch.float64)[:, None]
        return Given(x, y, at, self._kernel()(x))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The inner product reproduces the kernel."""
        off = float((given.products - self._kernel()(given.x)).abs().max())
        yield Hypothesis("⟨k(·, x), k(·, x′)⟩ = k(x, x′)", off < 1e-12, f"off by {off:.2g}")

    def predict(self, given: Given) -> list[float]:
        """The closed form."""
        return (
            KernelRidge(self._kernel(), self.lam).fit(given.x, given.y).predict(given.at).tolist()
        )

    def measure(self, given: Given) -> list[float]:
        """The minimiser over coefficients."""
        return (self._kernel()(given.at, given.x) @ self._minimiser(given)).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Integrals of products in place of the inner product of the space."""
        given = self.given(rng)
        return given._replace(products=self._integrals(given.x))

    def figure(self, given: Given) -> Figure:
        """The two minimisers."""
        x = torch.linspace(0, 1, 121, dtype=torch.float64)[:, None]
        fine = given._replace(at=x)
        wrong = self._minimiser(given._replace(products=self._integrals(given.x)))
        return Figure(
            "Kernel ridge regression",
            x="x",
            y="f(x)",
            marks=(
                Points(given.x[:, 0], given.y, label="data", role="other"),
                Curve(self.predict(fine), x[:, 0], label="(K + nλI)⁻¹y", role="predicted"),
                Curve(
                    self.measure(fine), x[:, 0], label="minimiser, norm of the kernel", dashed=True
                ),
                Curve(
                    self._kernel()(x, given.x) @ wrong, x[:, 0], label="minimiser, ∫ f²",
                    role="other", dashed=True,
                ),
            ),
        )  # fmt: skip

    def _minimiser(self, given: Given) -> Tensor:
        """Least squares on the residuals and on a root of the penalty, stacked."""
        n = len(given.y)
        root = torch.linalg.cholesky(given.products).T
        rows = torch.cat([self._kernel()(given.x) / n**0.5, self.lam**0.5 * root])
        right = torch.cat([given.y / n**0.5, given.y.new_zeros(n)])
        return torch.linalg.lstsq(rows, right[:, None], driver="gelsd").solution[:, 0]

    def _integrals(self, x: Tensor) -> Tensor:
        """The integral over the line of k(., x) k(., x') for the Gaussian kernel."""
        scale = math.sqrt(math.pi) * self.lengthscale
        return scale * RBFKernel(math.sqrt(2) * self.lengthscale)(x)

    def _kernel(self) -> RBFKernel:
        return RBFKernel(self.lengthscale)
