r"""The squared Frobenius norm of an operator, with a confidence interval.

.. math:: \|A\|_F^2 = \sum_{ij} A_{ij}^2 = \sum_i \lambda_i^2 = \operatorname{tr} A^2

is the trace of the operator :math:`v \mapsto A(Av)`, so what
:func:`~corollary.theory.landscape.curvature.trace.trace` does for traces serves here; squaring
sets large eigenvalues further apart, which its Krylov basis then takes exactly.

:source: Meyer, Musco, Musco and Woodruff (2021), "Hutch++: optimal stochastic trace estimation".
"""

from dataclasses import dataclass

from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.eigen import as_operator
from corollary.theory.landscape.curvature.interval import Estimate
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.operator import Curvature
from corollary.theory.landscape.curvature.trace import FIRST, trace


@dataclass(frozen=True)
class SquaredFrobeniusNorm:
    """The squared norm and what it took."""

    estimate: Estimate
    products: int  # with A
    path: str

    def __float__(self) -> float:
        return self.estimate.value

    def __repr__(self) -> str:
        return f"squared Frobenius norm {self.estimate} from {self.products} products"


class Squared(Curvature):
    """The operator applied twice.

    Example:
        >>> import torch
        >>> from corollary.theory.landscape.curvature.operator import Explicit
        >>> A = Squared(Explicit(torch.diag(torch.tensor([1.0, 3.0]))))
        >>> (A @ torch.ones(2)).tolist()
        [1.0, 9.0]
    """

    def __init__(self, A: Curvature) -> None:
        self.A, self.size, self.dtype, self.device = A, A.size, A.dtype, A.device
        self.path = f"two products; {A.path}"

    def _product(self, v: Tensor) -> Tensor:
        return self.A.product(self.A.product(v))


@of_model
def squared_frobenius_norm(
    subject: Landscape | Curvature,
    *,
    rtol: float = 0.05,
    level: float = 0.95,
    max_products: int = 400,
    rng: int | Generator = 0,
) -> SquaredFrobeniusNorm:
    r""":math:`\|A\|_F^2` to a relative half width of ``rtol`` if ``max_products`` allow.

    Exact when p products are no more than ``max_products``; else two products with A a value.

    Args:
        subject: A landscape (its Hessian is meant), an operator, or model, loss and data.
        rtol: Half width of the interval at which to stop, relative to the value.
        level: Of the interval.
        max_products: Products with A, at least 40.
        rng: Of all random vectors.

    Example:
        >>> import torch
        >>> from corollary.theory.landscape.curvature.operator import Explicit
        >>> print(squared_frobenius_norm(Explicit(torch.tensor([[1.0, 2.0], [2.0, 3.0]]))))
        squared Frobenius norm 18 (95 % interval 18 to 18) from 2 products
    """
    A = as_operator(subject)
    if max_products < 4 * FIRST:
        raise InputError(f"max_products must be at least {4 * FIRST}, got {max_products}")
    start = A.products
    if A.size <= max_products:
        value = float(A.dense().cpu().double().square().sum())
        found = Estimate(value, value, value, level)
    else:
        square = Squared(A)
        found = trace(
            square, rtol=rtol, level=level, max_products=max_products // 2, rng=rng
        ).estimate
    return SquaredFrobeniusNorm(found, A.products - start, A.path)
