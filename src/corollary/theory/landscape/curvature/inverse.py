r"""The inverse of a damped operator, by its products.

.. math:: x = (A + \lambda I)^{-1} b

by conjugate gradients. The error in the norm of :math:`A + \lambda I` shrinks at least by
:math:`(\sqrt\kappa - 1)/(\sqrt\kappa + 1)` a step, with :math:`\kappa` the ratio of the extreme
eigenvalues. A preconditioner M replaces :math:`\kappa` by that of :math:`M (A + \lambda I)`. The
inverse of :func:`~corollary.theory.landscape.curvature.kfac.kfac` can serve: it ends the work in
one step where KFAC is exact, but saves few or no steps where layers are coupled (a tanh network
20-15-10 with cross-entropy and damping 0.001: 58 to 66 steps with it, 60 to 67 without).
Operators that are not positive are for :func:`.lsmr_inverse`; :func:`.neumann_inverse` is a linear
map with a fixed number of products.

:source: Hestenes and Stiefel (1952), "Methods of conjugate gradients for solving linear systems";
    Martens (2010), "Deep learning via Hessian-free optimization".
"""

from abc import abstractmethod

import torch
from torch import Tensor

from corollary.errors import InputError, InputTypeError, NotFiniteError
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.eigen import as_operator
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.operator import Curvature
from corollary.theory.precision import wide


class DampedInverse(Curvature):
    r"""What every :math:`(A + \lambda I)^{-1}` by products shares.

    After a product ``residual`` holds :math:`\|b - (A + \lambda I)x\| / \|b\|`, computed anew
    from x, and ``steps`` the products with A that it took.
    """

    method: str  # in words, for the path
    residual: float = 0.0
    steps: int = 0

    def __init__(self, A: Curvature, damping: float | int) -> None:
        if not 0 <= damping < float("inf"):
            raise InputError(f"damping must be a number >= 0, got {damping}")
        self.A, self.damping = A, damping
        self.size, self.dtype, self.device = A.size, A.dtype, A.device
        self.path = f"{self.method}, damping {damping:g}; {A.path}"

    @abstractmethod
    def _solution(self, b: Tensor, length: float) -> Tensor:
        """The solution for a right-hand side of this length, which is not 0."""

    def _product(self, v: Tensor) -> Tensor:
        b = wide(v)
        length = float(b.norm())
        if not length < float("inf"):
            raise NotFiniteError("the right-hand side has entries that are not finite")
        self.steps, self.residual = 0, 0.0
        if length == 0:
            return torch.zeros_like(v)
        x = self._solution(b, length)
        self.residual = float((b - self._damped(x)).norm()) / length
        return x.to(v)

    def _damped(self, v: Tensor) -> Tensor:
        self.steps += 1
        moved = wide(self.A.product(v.to(self.device, self.dtype))) + self.damping * v
        if not bool(torch.isfinite(moved).all()):
            raise NotFiniteError("a product of the operator is not finite")
        return moved


class Inverse(DampedInverse):
    r""":math:`(A + \lambda I)^{-1}` by conjugate gradients; made by :func:`inverse`."""

    method = "conjugate gradients"

    def __init__(
        self,
        A: Curvature,
        damping: float | int,
        preconditioner: Curvature | None,
        tol: float,
        max_products: int,
    ) -> None:
        super().__init__(A, damping)
        self.preconditioner, self.tol, self.max_products = preconditioner, tol, max_products
        if preconditioner is not None:
            self.path = self.path.replace(self.method, f"{self.method}, preconditioned", 1)

    def _solution(self, b: Tensor, length: float) -> Tensor:
        x, r = torch.zeros_like(b), b.clone()
        z = self._conditioned(r)
        d, rho = z, float(r @ z)
        while float(r.norm()) > self.tol * length / 2:  # half, for rounding drifts from the truth
            if self.steps >= self.max_products:
                self._refuse_unfinished(float(r.norm()) / length)
            moved = self._damped(d)
            bend = self._positive(d, moved)
            x, r = x + rho / bend * d, r - rho / bend * moved
            z = self._conditioned(r)
            rho, before = float(r @ z), rho
            d = z + rho / before * d
        return x

    def _conditioned(self, r: Tensor) -> Tensor:
        M = self.preconditioner
        if M is None:
            return r
        z = wide(M.product(r.to(M.device, M.dtype)))
        if float(r.norm()) > 0 and not float(r @ z) > 0:
            raise InputError("the preconditioner is not positive definite; increase its damping")
        return z

    def _positive(self, d: Tensor, moved: Tensor) -> float:
        bend, square = float(d @ moved), float(d @ d)
        if bend <= 1e-14 * square * max(self.damping, float(moved.norm()) / square**0.5):
            lowest = bend / square - self.damping
            raise InputError(
                "the operator is not positive definite: it has a direction of curvature "
                f"{lowest:.3g}, and damping {self.damping:g} is too small to make this "
                f"positive; raise damping above {max(-lowest, 0):.3g}, or invert gauss_newton "
                "or fisher instead (lsmr_inverse also solves indefinite systems)"
            )
        return bend

    def _refuse_unfinished(self, residual: float) -> None:
        raise InputError(
            f"conjugate gradients reached a relative residual of {residual:.2g} after "
            f"{self.steps} products, above tol={self.tol:g}; raise max_products, damping or "
            "tol, or pass a preconditioner"
        )


@of_model
def inverse(
    subject: Landscape | Curvature,
    *,
    damping: float | int = 0.0,
    preconditioner: Curvature | None = None,
    tol: float = 1e-5,
    max_products: int = 1000,
) -> Inverse:
    r"""The operator :math:`(A + \lambda I)^{-1}`.

    A product with it costs as many products with A as conjugate gradients need, plus one for the
    residual; nothing of size :math:`p^2` is stored.

    Args:
        subject: A landscape (its Hessian is meant), an operator, or model, loss and data.
        damping: :math:`\lambda`; large enough that :math:`A + \lambda I` is positive definite,
            else the first product that notices says by how much it falls short.
        preconditioner: An approximate inverse, positive definite.
        tol: Residual at which to stop, relative to the right-hand side. In single precision
            about :math:`10^{-7}\kappa` can be had.
        max_products: Beyond it a product is refused rather than returned unfinished.

    Example:
        >>> from corollary.theory.landscape.curvature.operator import Explicit
        >>> A = inverse(Explicit(torch.diag(torch.tensor([1.0, 3.0]))), damping=1.0)
        >>> (A @ torch.tensor([2.0, 2.0])).tolist()  # (1/2, 1/4) times 2
        [1.0, 0.5]
        >>> A.steps, A.residual < 1e-6
        (3, True)
    """
    A = as_operator(subject)
    check_budget(tol, max_products)
    if preconditioner is not None and not isinstance(preconditioner, Curvature):
        raise InputTypeError(
            "preconditioner must be an operator, like kfac(landscape).inverse(damping), got "
            f"type {type(preconditioner).__name__}"
        )
    if preconditioner is not None and preconditioner.size != A.size:
        raise InputError(
            f"the preconditioner has size {preconditioner.size}, but the operator has size {A.size}"
        )
    return Inverse(A, damping, preconditioner, tol, max_products)


def check_budget(tol: float, max_products: int) -> None:
    """Refuse a tolerance or a budget that makes no sense."""
    if not 0 < tol < 1 or max_products < 1:
        raise InputError(
            f"expected tol between 0 and 1 and max_products of at least 1, got tol={tol}, "
            f"max_products={max_products}"
        )
