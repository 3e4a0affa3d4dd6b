r"""The conditions of Karush, Kuhn and Tucker, measured.

For :math:`\min f(x)` subject to :math:`g_i(x)\le0` and :math:`h_j(x)=0`:

.. math:: \nabla f+\sum_i\lambda_i\nabla g_i+\sum_j\mu_j\nabla h_j=0,\quad g\le0,\quad h=0,\quad
   \lambda\ge0,\quad\lambda_ig_i=0 .

Necessary at a minimum under a constraint qualification; sufficient if the problem is convex, and
not in general.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, KKT conditions; Karush (1939);
    Kuhn and Tucker (1951), "Nonlinear programming".
:covers: svm-kkt-conditions
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.gradients import Function, gradient

Constraints = Callable[[Tensor], Tensor]  # a point (d,) to the values of all constraints


@dataclass(frozen=True)
class Problem:
    """Minimise ``f`` where every entry of ``g`` is at most 0 and every entry of ``h`` is 0."""

    f: Function
    g: Constraints | None = None
    h: Constraints | None = None


class Residuals(NamedTuple):
    """By how much each condition is missed; all are 0 at a KKT point."""

    stationarity: float  # length of the gradient of the Lagrangian
    primal: float  # largest violation of g <= 0 or h = 0
    dual: float  # largest violation of lambda >= 0
    slackness: float  # largest |lambda_i g_i|

    @property
    def largest(self) -> float:
        """The worst of the four."""
        return max(self)


def kkt_residuals(
    problem: Problem,
    x: Float[Tensor, " d"],
    lam: Float[Tensor, " m"] | None = None,
    mu: Float[Tensor, " p"] | None = None,
) -> Residuals:
    r"""The residuals of the conditions at ``x`` with multipliers ``lam`` of g and ``mu`` of h.

    Example:
        >>> problem = Problem(lambda x: x.square().sum(), g=lambda x: 1 - x)  # x >= 1
        >>> x = torch.ones(1, dtype=torch.float64)
        >>> kkt_residuals(problem, x, lam=2 * x).largest
        0.0
    """
    g, lam = _values("g", problem.g, x, lam)
    h, mu = _values("h", problem.h, x, mu)

    def lagrangian(z: Tensor) -> Tensor:
        total = problem.f(z)
        for constraint, multiplier in ((problem.g, lam), (problem.h, mu)):
            if constraint is not None:
                total = total + multiplier @ constraint(z)
        return total

    return Residuals(
        float(gradient(lagrangian, x).norm()),
        max(_most(g), _most(h.abs())),
        _most(-lam),
        _most((lam * g).abs()),
    )


def _values(
    name: str, constraint: Constraints | None, x: Tensor, multiplier: Tensor | None
) -> tuple[Tensor, Tensor]:
    """The constraints at x and their multipliers, both empty if there are none."""
    values = x.new_zeros(0) if constraint is None else constraint(x).detach()
    multiplier = torch.zeros_like(values) if multiplier is None else multiplier
    if values.shape != multiplier.shape:
        raise InputError(
            f"{name} has {tuple(values.shape)} constraints, got {tuple(multiplier.shape)} "
            "multipliers"
        )
    return values, multiplier


def _most(violations: Tensor) -> float:
    return max(float(violations.max()), 0.0) if len(violations) else 0.0
