r"""The largest step gradient descent can take, and how sharp a minimum is.

Near a point with Hessian H, gradient descent with step :math:`\eta` multiplies the error along
each eigenvector by :math:`1 - \eta\lambda`; it stays bounded iff

.. math:: \eta \le 2 / \lambda_{\max}(H).

With momentum :math:`\beta` the limit is :math:`2(1+\beta)/\lambda_{\max}` (heavy ball).

:source: Lucchi (2025), Foundations of Deep Learning (gradient descent on quadratics); Cohen et
    al. (2021), "Gradient descent on neural networks typically occurs at the edge of stability",
    Section 2; Foret et al. (2021), "Sharpness-aware minimization", Eq. 1.
"""

import math
from dataclasses import dataclass

import torch
from torch import Generator

from corollary.errors import InputError
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.extremes import extreme_eigenvalues
from corollary.theory.landscape.curvature.interval import Estimate
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.operator import Curvature
from corollary.theory.modules.keeping import kept


@dataclass(frozen=True)
class StableStep:
    """The largest stable learning rate and the curvature behind it."""

    step: Estimate  # infinite where no curvature is positive
    lambda_max: Estimate
    momentum: float
    products: int
    path: str

    def __repr__(self) -> str:
        if self.lambda_max.high <= 0:
            return "no direction curves upwards here: every learning rate is stable to second order"
        return (
            f"largest stable learning rate {self.step}, from largest eigenvalue {self.lambda_max}"
        )


@of_model
def largest_stable_step(
    subject: Landscape | Curvature,
    *,
    momentum: float = 0.0,
    rtol: float = 0.05,
    level: float = 0.95,
    max_products: int = 200,
    rng: int | Generator = 0,
) -> StableStep:
    r"""The step beyond which gradient descent diverges, to second order, with an interval.

    Cost: about 25 products for 5 %, see :func:`extreme_eigenvalues`.

    Example:
        >>> model = torch.nn.Linear(1, 1, bias=False)
        >>> data = torch.tensor([[1.0], [3.0]]), torch.zeros(2, 1)
        >>> found = largest_stable_step(Landscape(model, torch.nn.MSELoss(), data))
        >>> round(found.step.value, 4)  # lambda_max = (2/n) sum x^2 = 10
        0.2
    """
    if not 0 <= momentum < 1:
        raise InputError(f"momentum must lie in [0, 1), got {momentum}")
    ends = extreme_eigenvalues(subject, rtol=rtol, level=level, max_products=max_products, rng=rng)
    top, reach = ends.largest, 2 * (1 + momentum)

    def limit(curvature: float) -> float:
        return reach / curvature if curvature > 0 else math.inf

    step = Estimate(limit(top.value), limit(top.high), limit(top.low), level)
    return StableStep(step, top, momentum, ends.products, ends.path)


@dataclass(frozen=True)
class Sharpness:
    """How fast the loss rises around a point."""

    lambda_max: Estimate
    ascent: float  # L(theta + rho g/|g|) - L(theta), the rise that SAM minimises
    rho: float
    path: str

    def __repr__(self) -> str:
        return (
            f"largest eigenvalue {self.lambda_max}; the loss rises by {self.ascent:.4g} after a "
            "step "
            f"of length {self.rho:g} along the gradient"
        )


@of_model
def sharpness(
    landscape: Landscape,
    *,
    rho: float = 0.05,
    rtol: float = 0.05,
    level: float = 0.95,
    rng: int | Generator = 0,
) -> Sharpness:
    r"""Largest curvature, and the rise of the loss after a step of length ``rho`` uphill.

    Example:
        >>> model = torch.nn.Linear(1, 1, bias=False)
        >>> _ = torch.nn.init.constant_(model.weight, 1.0)
        >>> data = torch.ones(2, 1), torch.zeros(2, 1)
        >>> found = sharpness(Landscape(model, torch.nn.MSELoss(), data), rho=0.5)
        >>> round(found.ascent, 4), round(found.lambda_max.value, 4)  # 1.5^2 - 1 and 2
        (1.25, 2.0)
    """
    if not rho > 0:
        raise InputError(f"rho must be positive, got {rho}")
    ends = extreme_eigenvalues(landscape, rtol=rtol, level=level, rng=rng)
    slope = landscape.gradient()
    length = float(slope.norm())
    if length == 0:
        return Sharpness(ends.largest, 0.0, rho, ends.path)
    before, there = landscape.loss(), landscape.point() + slope * (rho / length)
    with kept(landscape.module), torch.no_grad():
        for p, value in zip(landscape.parameters, landscape.split(there), strict=True):
            p.copy_(value)
        after = landscape.loss()
    return Sharpness(ends.largest, after - before, rho, ends.path)
