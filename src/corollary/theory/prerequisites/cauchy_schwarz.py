r"""The Cauchy-Schwarz inequality with the quadratic that proves it.

.. math:: f(z)=\sum_i(x_i-zy_i)^2=Az^2-Bz+C\ge0,\qquad A=\|y\|^2,\;B=2\langle x,y\rangle,\;C=\|x\|^2

A quadratic that is never negative has discriminant :math:`B^2-4AC\le0`, which is
:math:`\langle x,y\rangle^2\le\|x\|^2\|y\|^2`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.2, Proposition 1, (1.4)-(1.7).
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_finite, rounding


class CauchySchwarz(NamedTuple):
    """Both sides, and the certificate."""

    lhs: float  # |<x, y>|
    rhs: float  # ||x|| ||y||
    slack: float  # rhs - lhs, computed without cancellation
    is_equality: bool  # x and y are linearly dependent, to working precision
    discriminant: float  # B^2 - 4AC, never positive


def cauchy_schwarz(x: Float[Tensor, " d"], y: Float[Tensor, " k"]) -> CauchySchwarz:
    r"""Both sides of the inequality, its slack and the discriminant certificate.

    With :math:`r` the part of the longer vector orthogonal to the other,
    :math:`\|x\|^2\|y\|^2-\langle x,y\rangle^2=\|r\|^2\|\cdot\|^2` (Lagrange's identity), so the
    slack keeps its digits for nearly parallel vectors. Equality is linear dependence; that
    includes :math:`y=0`, which ":math:`x=cy`" leaves out.

    Example:
        >>> import torch
        >>> found = cauchy_schwarz(torch.tensor([3.0, 4.0]), torch.tensor([6.0, 8.0]))
        >>> found.lhs, found.rhs, found.is_equality
        (50.0, 50.0, True)

    :covers: cauchy-schwarz
    :test: tests/theory/prerequisites/test_cauchy_schwarz.py
    :erratum: [typo] The closing line (1.7) carries a spurious factor 4: with B = 2 sum xy,
        B^2 <= 4AC gives (sum xy)^2 <= sum x^2 sum y^2, which is (1.5); (1.7) is true but weaker.
        The equality clause x = c y misses y = 0, x != 0; linear dependence is meant.
    """
    check_finite("x", x)
    check_finite("y", y)
    if len(x) != len(y):
        raise InputError(f"x and y must be of one length, got {len(x)} and {len(y)}")
    long, short = (x, y) if _length(x) >= _length(y) else (y, x)
    inner, a, b = float(x @ y), _length(long), _length(short)
    unit = long / a if a > 0 else long
    r = _length(short - (unit @ short) * unit)  # ||r||^2 a^2 = a^2 b^2 - <x,y>^2
    total = a * b + abs(inner)
    slack = r * a * (r * a / total) if total > 0 else 0.0
    return CauchySchwarz(abs(inner), a * b, slack, r <= rounding(x) * b, -4 * (r * a) ** 2)


def _length(v: Float[Tensor, " d"]) -> float:
    """The norm, for vectors whose squares leave the range of floating point too."""
    largest = float(v.abs().max()) if len(v) else 0.0
    return largest * float((v / largest).norm()) if largest > 0 else 0.0
