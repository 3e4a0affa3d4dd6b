r"""The Polyak-Łojasiewicz condition: the gradient is long wherever f is not minimal.

.. math:: \tfrac12\|\nabla f(x)\|^2\ge\mu\,(f(x)-f^*)\quad\text{for all }x,\ \mu>0 .

Then every stationary point is a global minimiser. It follows from :math:`\mu`-strong convexity,
but neither from convexity nor the other way round: :math:`x^4` is convex and not PL,
:math:`x^2+3\sin^2x` is PL and not convex.

:source: Lucchi (2025), Foundations of Deep Learning, Definition 21 and Figure 5.6; Perez Jensen
    (2025), Deep Learning, Section 3.2, Definition 3.3; Polyak (1963), "Gradient methods for the
    minimisation of functionals"; Karimi, Nutini and Schmidt (2016), "Linear convergence of gradient
    and proximal-gradient methods under the Polyak-Łojasiewicz condition".
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.gradients import Function
from corollary.theory.prerequisites.wellformed import check_finite, rounding


class PLConstant(NamedTuple):
    """The largest mu that some points allow."""

    mu: float
    point: Tensor  # where it is attained


def pl_constant(f: Function, points: Float[Tensor, "n d"], fstar: float) -> PLConstant:
    r"""The smallest :math:`\frac12\|\nabla f\|^2/(f-f^*)` over ``points``: an upper bound of mu.

    Points at the minimum are left out; a value below :math:`f^*` is refused. Gradients are taken
    on the whole batch by ``torch.vmap``.

    Example:
        >>> x = torch.linspace(-5, 5, 11, dtype=torch.float64)[:, None]
        >>> pl_constant(lambda x: (x**2).sum(), x, fstar=0.0).mu
        2.0

    :covers: pl-condition
    :erratum: [wrong] Section 5.6 calls PL a weaker assumption than convexity; it is weaker than
        strong convexity, and neither implies nor is implied by convexity: x^4 is convex with the
        quotient 8 x^2, which has no positive lower bound; x^2 + 3 sin^2 x is PL with mu > 1/32 and
        has second derivative -4 at pi/2. The claim strong_convexity_implies_pl shows the first.
    """
    check_finite("points", points)
    values, gradients = torch.vmap(f)(points), torch.vmap(torch.func.grad(f))(points)
    gap = values - fstar
    slack = 1e-12 * max(1.0, abs(fstar))
    if bool((gap < -slack).any()):
        raise InputError(f"f* = {fstar:g} must be a lower bound of f, got f = {values.min():.6g}")
    above = gap > slack
    if not bool(above.any()):
        raise InputError("f is minimal at all points; give points above the minimum")
    quotient = 0.5 * gradients.square().sum(dim=1)[above] / gap[above]
    i = int(quotient.argmin())
    return PLConstant(float(quotient[i]), points[above][i])


def least_squares_pl(X: Float[Tensor, "n d"]) -> float:
    r"""PL constant of half the squared error: the least nonzero eigenvalue of :math:`X^\top X`.

    Twice that without the 1/2. It is positive for every X but 0, of any rank.

    Example:
        >>> least_squares_pl(torch.tensor([[3.0, 0.0], [0.0, 0.0]]))
        9.0
    """
    check_finite("X", X)
    s = torch.linalg.svdvals(X)
    positive = s[s > rounding(X) * s[0]]
    if not len(positive):
        raise InputError("X must not be 0: without data every w is a minimiser")
    return float(positive[-1] ** 2)
