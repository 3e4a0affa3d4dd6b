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
:uses: representer_theorem
:covers: kernel-ridge-regression
:erratum: [wrong] The notes give the inner product as the integral of f g. With it the minimiser is
    another function, as the counterexample finds; for one centre the squared norm is k(x0, x0) = 1
    and the integral of k(., x0)^2 is sqrt(pi) times the length scale.
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, near, normal, option, uniform
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.models.kernel_ridge import KernelRidge
from corollary.theory.kernels.kernel import RBFKernel


class Given(NamedTuple):
    x: Float[Tensor, "n 1"]  # points on a line
    y: Float[Tensor, " n"]  # labels
    at: Float[Tensor, "m 1"]  # where predictions are compared
    products: Float[Tensor, "n n"]  # inner products of k(., x_i) that the penalty uses


def integrals(self: "KernelRidgeRegression", given: Given) -> Given:
    """With the integral of f g, as in the notes, as inner product, the minimiser differs."""
    scale = math.sqrt(math.pi) * self.lengthscale
    return given._replace(products=scale * RBFKernel(math.sqrt(2) * self.lengthscale)(given.x))


class KernelRidgeRegression(Claim[Given]):
    n: int = option(12, low=3, high=40)  # points
    lam: float = option(0.01, low=1e-4, high=1.0)  # regulariser
    lengthscale: float = option(0.08, low=0.02, high=0.12)  # length scale of the Gaussian kernel

    relation = equals(ulps=2**24, scale=1.0)  # K has condition number up to 1e4
    supposes = Suppose(
        "⟨k(·, x), k(·, x′)⟩ = k(x, x′)",
        lambda self, g: near(g.products, self.kernel(g.x), 1e-12),
        without=integrals,
    )
    symbols = "(K + nλI)⁻¹y", "minimiser over coefficients"

    def given(self, rng: Generator) -> Given:
        x = ((torch.arange(self.n) + 0.5 * uniform(rng, self.n)) / self.n)[:, None]
        y = torch.sin(2 * math.pi * x[:, 0]) + 0.3 * normal(rng, self.n)
        at = torch.linspace(0, 1, 61, dtype=torch.float64)[:, None]
        return Given(x, y, at, self.kernel(x))

    @property
    def kernel(self) -> RBFKernel:
        """The Gaussian kernel."""
        return RBFKernel(self.lengthscale)

    def predict(self, given: Given) -> Tensor:
        return KernelRidge(self.kernel, self.lam).fit(given.x, given.y).predict(given.at)

    def measure(self, given: Given) -> Tensor:
        n = len(given.y)
        root = torch.linalg.cholesky(given.products).T
        rows = torch.cat([self.kernel(given.x) / n**0.5, self.lam**0.5 * root])
        right = torch.cat([given.y / n**0.5, given.y.new_zeros(n)])
        alpha = torch.linalg.lstsq(rows, right[:, None], driver="gelsd").solution[:, 0]
        values: Tensor = self.kernel(given.at, given.x) @ alpha
        return values

    @picture("Kernel ridge regression", x="x", y="f(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        x, y, at, _ = trial.given
        wrong = trial.without[0].measured if trial.without else trial.measured
        yield Points(x[:, 0], y, label="data", role="other")
        yield Curve(trial.predicted, at[:, 0], label="(K + nλI)⁻¹y", role="predicted")
        yield Curve(trial.measured, at[:, 0], label="minimiser, norm of the kernel", dashed=True)
        yield Curve(wrong, at[:, 0], label="minimiser, ∫ f²", role="other", dashed=True)
