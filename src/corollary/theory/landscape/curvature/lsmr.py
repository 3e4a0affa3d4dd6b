r"""The inverse of an operator that need not be positive, by LSMR.

.. math:: x = \arg\min_x \|(A + \lambda I)\,x - b\|, \qquad \text{of least norm},

the solution where :math:`A + \lambda I` is regular and its pseudo-inverse's where it is not, for
symmetric A of any signs: a Hessian at a saddle, which conjugate gradients refuse. Golub and
Kahan's bidiagonalisation takes two products per step, and LSMR makes :math:`\|(A + \lambda I)\,r\|`
as small as its Krylov space allows, :math:`r = b - (A + \lambda I)x`. It sees the square of A: the
steps grow with the condition number :math:`\kappa`, where those of conjugate gradients grow with
:math:`\sqrt\kappa`, so those are the better choice where they apply.

:source: Fong and Saunders (2011), "LSMR: an iterative algorithm for sparse least-squares problems",
    Section 2 and 5 (the algorithm and its stopping rules).
"""

from math import hypot

import torch
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.eigen import as_operator
from corollary.theory.landscape.curvature.inverse import DampedInverse, check_budget
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.operator import Curvature


class LsmrInverse(DampedInverse):
    r"""The (pseudo-)inverse of :math:`A + \lambda I`; made by :func:`lsmr_inverse`.

    Beside ``residual`` and ``steps``, ``stationarity`` holds :math:`\|(A + \lambda I)\,r\| /
    (\|A + \lambda I\| \|r\|)` after a product: where the system has no solution the residual stays
    and this is small.
    """

    method = "LSMR"
    stationarity: float = 0.0

    def __init__(self, A: Curvature, damping: float | int, tol: float, max_products: int) -> None:
        super().__init__(A, damping)
        self.tol, self.max_products = tol, max_products

    def _solution(self, b: Tensor, length: float) -> Tensor:
        u = b / length
        v, alpha = _unit(self._damped(u))
        x, r, h, wide = torch.zeros_like(b), b.clone(), v, torch.zeros_like(b)
        Ah, Awide = torch.zeros_like(b), torch.zeros_like(b)  # A times h and wide
        theta, abar, zbar, norm = 0.0, alpha, alpha * length, alpha**2
        rho, rbar, cbar, sbar = 1.0, 1.0, 1.0, 0.0
        while not self._done(r, length, zbar, norm**0.5):
            Av = self._damped(v)
            u, beta = _unit(Av - alpha * u)
            Ah = Av - theta / rho * Ah
            v, alpha = _unit(self._damped(u) - beta * v)
            norm += alpha**2 + beta**2
            before = rho, rbar
            rho = hypot(abar, beta)
            c, s = abar / rho, beta / rho
            theta, abar, thbar = s * alpha, c * alpha, sbar * rho
            rbar = hypot(cbar * rho, theta)
            cbar, sbar = cbar * rho / rbar, theta / rbar
            zeta, zbar = cbar * zbar, -sbar * zbar
            back = thbar * rho / (before[0] * before[1])
            wide, Awide = h - back * wide, Ah - back * Awide
            x, r = x + zeta / (rho * rbar) * wide, r - zeta / (rho * rbar) * Awide
            h = v - theta / rho * h
        return x

    def _done(self, r: Tensor, length: float, zbar: float, norm: float) -> bool:
        left = float(r.norm())
        self.stationarity = abs(zbar) / (norm * left) if norm * left > 0 else 0.0
        if left <= self.tol * length / 2 or self.stationarity <= self.tol:
            return True
        if self.steps >= self.max_products:
            raise InputError(
                f"LSMR reached a relative residual of {left / length:.2g} (and a stationarity "
                f"of {self.stationarity:.2g}) after {self.steps} products, above "
                f"tol={self.tol:g}; raise max_products, damping or tol"
            )
        return False


@of_model
def lsmr_inverse(
    subject: Landscape | Curvature,
    *,
    damping: float | int = 0.0,
    tol: float = 1e-5,
    max_products: int = 2000,
) -> LsmrInverse:
    r"""The operator :math:`(A + \lambda I)^{-1}`, or its pseudo-inverse; A may be indefinite.

    A product with it costs two products with A a step and two more; nothing of size :math:`p^2`
    is stored.

    Args:
        subject: A landscape (its Hessian is meant), an operator, or model, loss and data.
        damping: :math:`\lambda`, added to the eigenvalues. (SciPy's ``damp`` d is another: it adds
            :math:`d^2` to their squares.)
        tol: Where to stop: relative residual, or its stationarity where there is no solution.
        max_products: Beyond it a product is refused rather than returned unfinished.

    Example:
        >>> from corollary.theory.landscape.curvature.operator import Explicit
        >>> A = lsmr_inverse(Explicit(torch.diag(torch.tensor([2.0, -4.0, 0.0]))))
        >>> x = A @ torch.tensor([1.0, 1.0, 3.0])  # 1/2, -1/4, and nothing where A is zero
        >>> [round(v, 4) for v in x.tolist()], A.stationarity < 1e-5
        ([0.5, -0.25, 0.0], True)
    """
    check_budget(tol, max_products)
    return LsmrInverse(as_operator(subject), damping, tol, max_products)


def _unit(v: Tensor) -> tuple[Tensor, float]:
    """A vector's direction and length; zero stays zero."""
    length = float(v.norm())
    return (v / length if length > 0 else v), length
