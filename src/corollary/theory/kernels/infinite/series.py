r"""Any activation: its Hermite series under the Gaussian, by quadrature.

With the normalised Hermite polynomials :math:`h_k` and
:math:`a_k(q) = E[\phi(\sqrt q\,z)\,h_k(z)]`, Mehler's formula gives for correlation
:math:`\rho = c/\sqrt{q_1q_2}`

.. math:: F = \sum_k a_k(q_1)\,a_k(q_2)\,\rho^k, \qquad \dot F = \sum_k a'_k(q_1)a'_k(q_2)\rho^k,

with :math:`a'_k` the coefficients of :math:`\phi'`. The coefficients cost one quadrature per
input, a pair costs two Horner schemes. What the first ``degree`` terms leave of
:math:`E\phi^2` is put on the next power, so variances are exact to quadrature and the error of F
is at most that remainder (:meth:`Series.remainder`).

The quadrature is Gauss-Legendre on panels of :math:`[-R, R]` with a panel boundary at 0, where
activations bend; Gauss-Hermite loses all but a few digits there.

:source: Daniely, Frostig and Singer (2016), "Toward deeper understanding of neural networks",
    Section 4 (dual activations); Mehler (1866).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError, NotFiniteError
from corollary.theory.kernels.infinite.activations import Activation

RADIUS, PANELS, NODES = 12.0, 48, 12  # beyond 12 standard deviations lies 1e-32 of the mass


@lru_cache(maxsize=8)
def _rule(degree: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes, Gaussian weights, and weights times the Hermite polynomials up to ``degree``."""
    x, w = np.polynomial.legendre.leggauss(NODES)
    edges = np.linspace(-RADIUS, RADIUS, PANELS + 1)
    half = (edges[1] - edges[0]) / 2
    nodes = (edges[:-1, None] + half * (1 + x)).ravel()
    weights = np.tile(half * w, PANELS) * np.exp(-(nodes**2) / 2) / np.sqrt(2 * np.pi)
    h = np.empty((degree + 1, len(nodes)))
    h[0] = 1
    for k in range(degree):
        before = h[k - 1] if k else 0.0
        h[k + 1] = (nodes * h[k] - np.sqrt(k) * before) / np.sqrt(k + 1)
    return nodes, weights, weights * h


@dataclass(frozen=True)
class Series(Activation):
    """An activation given as a function of tensors.

    Example:
        >>> q = torch.tensor([1.0], dtype=torch.float64)
        >>> f, slope = Series(torch.relu).dual(q, q, 0 * q)
        >>> round(f.item() * 2 * torch.pi, 12), round(slope.item(), 12)  # 1/(2π) and 1/4
        (1.0, 0.25)
    """

    phi: Callable[[Tensor], Tensor] = torch.tanh
    degree: int = 64  # even: an odd activation then keeps its parity in the remainder

    def __post_init__(self) -> None:
        if self.degree < 2:
            raise InputError(f"a Hermite series needs degree at least 2, got {self.degree}")

    def function(self, z: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """The activation as given."""
        return self.phi(z)

    def dual(self, q1: Tensor, q2: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """Two Horner schemes in the correlation."""
        product = q1 * q2
        safe = torch.where(product > 0, product, torch.ones_like(product))
        rho = torch.where(product > 0, c / safe.sqrt(), torch.zeros_like(c)).clamp(-1, 1)
        (a1, d1), (a2, d2) = self._coefficients(q1), self._coefficients(q2)
        f = slope = torch.zeros_like(rho)
        for k in range(self.degree + 1, -1, -1):
            f = f * rho + a1[..., k] * a2[..., k]
            slope = slope * rho + d1[..., k] * d2[..., k]
        return f, slope

    def variance(self, q: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """The second moment by quadrature."""
        z, weights, _ = self._at(q)
        return (self.phi(z) ** 2) @ weights

    def remainder(self, q: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """What the series leaves of the second moment at variance q: a bound on the error of F."""
        return self._coefficients(q)[0][..., -1] ** 2

    def _at(self, q: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        nodes, weights, table = (torch.as_tensor(t).to(q) for t in _rule(self.degree))
        return q.sqrt()[..., None] * nodes, weights, table

    def _coefficients(self, q: Tensor) -> tuple[Tensor, Tensor]:
        """Coefficients of the function and of its derivative, the remainder as the last one."""
        z, weights, table = self._at(q)
        values, slopes = _with_derivative(self.phi, z)
        if not bool(torch.isfinite(values).all()):
            raise NotFiniteError(
                f"the activation is not finite at {RADIUS:g} standard deviations of its input; "
                "lower sigma_w or use another activation"
            )
        a, d = (_closed(v @ table.mT, (v * v) @ weights) for v in (values, slopes))
        return a, d


def _closed(a: Tensor, second: Tensor) -> Tensor:
    """Append the root of what is left of the second moment."""
    left = (second - (a * a).sum(-1)).clamp(min=0)
    root = torch.where(left > 0, torch.where(left > 0, left, torch.ones_like(left)).sqrt(), 0.0)
    return torch.cat([a, root[..., None]], dim=-1)


def _with_derivative(phi: Callable[[Tensor], Tensor], z: Tensor) -> tuple[Tensor, Tensor]:
    """Values and derivatives at z; differentiable again if z is."""
    if z.requires_grad:
        values = phi(z)
        (slopes,) = torch.autograd.grad(values.sum(), z, create_graph=True)
        return values, slopes
    with torch.enable_grad():
        z = z.detach().requires_grad_()
        values = phi(z)
        (slopes,) = torch.autograd.grad(values.sum(), z)
    return values.detach(), slopes


def Tanh(degree: int = 64) -> Series:  # noqa: N802 - reads as a layer
    """The hyperbolic tangent."""
    return Series(torch.tanh, degree)


def Sigmoid(degree: int = 64) -> Series:  # noqa: N802
    """The logistic function."""
    return Series(torch.sigmoid, degree)


def Silu(degree: int = 64) -> Series:  # noqa: N802
    """``z / (1 + exp(-z))``."""
    return Series(torch.nn.functional.silu, degree)


def Softplus(degree: int = 64) -> Series:  # noqa: N802
    """``log(1 + exp(z))``."""
    return Series(torch.nn.functional.softplus, degree)
