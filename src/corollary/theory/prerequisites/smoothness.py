r"""Smoothness: how fast a gradient can change, and what that says about the Hessian.

f is L-smooth if :math:`\|\nabla f(x)-\nabla f(y)\|\le L\|x-y\|`; for twice differentiable f on a
convex set that is :math:`\|H(x)\|_2\le L` everywhere, and at a minimiser :math:`x^*` it gives
:math:`f(x)-f(x^*)\le\frac L2\|x-x^*\|^2`.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 1.3.6 and 1.7, Problem 3;
    Perez Jensen (2025), Deep Learning, Section 3.2, Definition 3.1.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.gradients import Function, gradient, same_length, scalar
from corollary.theory.prerequisites.hessians import hessian, hvp
from corollary.theory.prerequisites.wellformed import check_finite, check_positive

Regularity = Literal["discontinuous", "continuous", "differentiable", "smooth"]


class Smoothness(NamedTuple):
    """Lower bounds of the smoothness constant L; the larger is ``value``."""

    value: float
    curvature: float  # largest ||H|| at the points
    secant: float  # largest quotient of gradients between them


class SpectrumCheck(NamedTuple):
    """The largest modulus of a Hessian eigenvalue, and where it is."""

    largest: float
    point: Tensor
    violated: bool  # it exceeds L


def hessian_norm(
    f: Function, x: Float[Tensor, " d"], *, iterations: int = 200, dense: int = 64
) -> float:
    r"""The operator norm :math:`\|H(x)\|_2=\max_i|\lambda_i|`.

    Dense up to ``dense`` dimensions; beyond, power iteration on :math:`H^2` by Hessian-vector
    products, which is a lower bound at any number of iterations.

    Example:
        >>> hessian_norm(lambda x: (x**2).sum(), torch.zeros(3))
        2.0
    """
    if len(x) <= dense:
        return float(torch.linalg.eigvalsh(hessian(f, x)).abs().max())
    start = torch.Generator(device=x.device).manual_seed(0)
    v = torch.randn(len(x), generator=start, device=x.device, dtype=x.dtype)
    size = 0.0
    for _ in range(iterations):
        v = v / v.norm()
        v = hvp(f, x, v)
        size = float(v.norm())
        if size == 0:
            break
    return size


def smoothness_constant(f: Function, points: Float[Tensor, "n d"]) -> Smoothness:
    r"""The best lower bound of L that ``points`` give: curvature at them, quotients between them.

    On a quadratic it is L. Cost: n Hessians (d ≤ 64) and n gradients.

    Example:
        >>> x = torch.tensor([[0.0], [1.0], [5.0]], dtype=torch.float64)
        >>> smoothness_constant(lambda x: (x**2).sum(), x).value
        2.0

    :covers: smooth-function
    :test: tests/theory/prerequisites/test_smoothness.py
    """
    check_finite("points", points)
    if len(points) < 2:
        raise InputError(f"smoothness needs at least two points, got {len(points)}")
    g = torch.stack([gradient(f, x) for x in points])
    apart = torch.cdist(points, points, compute_mode="donot_use_mm_for_euclid_dist")
    rise = torch.cdist(g, g, compute_mode="donot_use_mm_for_euclid_dist")
    secant = float((rise / apart)[apart > 0].max()) if bool((apart > 0).any()) else 0.0
    curvature = max(hessian_norm(f, x) for x in points)
    return Smoothness(max(secant, curvature), curvature, secant)


def hessian_spectrum_bound_check(
    f: Function, points: Float[Tensor, "n d"], L: float
) -> SpectrumCheck:
    r"""Whether :math:`|\lambda_i(H(x))|\le L` at all the points, with the worst of them.

    Example:
        >>> x = torch.zeros(1, 2)
        >>> hessian_spectrum_bound_check(lambda x: (x**2).sum(), x, L=1.0).violated
        True

    :covers: smooth-hessian-bound
    """
    check_finite("points", points)
    check_positive("L", L)
    sizes = [hessian_norm(f, x) for x in points]
    worst = max(range(len(sizes)), key=sizes.__getitem__)
    return SpectrumCheck(sizes[worst], points[worst], sizes[worst] > L * (1 + 1e-9))


def quadratic_upper_bound_gap(
    f: Function,
    xstar: Float[Tensor, " d"],
    L: float,
    x: Float[Tensor, " k"],
    *,
    tol: float = 1e-6,
) -> float:
    r"""The gap :math:`f(x)-f(x^*)-\frac L2\|x-x^*\|^2`, never positive for L-smooth f.

    Args:
        f: L-smooth.
        xstar: A minimiser; refused when its gradient is longer than ``tol``.
        L: The smoothness constant.
        x: Where to look.
        tol: See ``xstar``.

    Example:
        >>> zero, x = torch.zeros(1), torch.tensor([2.0])
        >>> quadratic_upper_bound_gap(lambda x: (x**2).sum(), zero, 2.0, x)  # attained
        0.0

    :covers: local-minimum-quadratic-bound
    :test: tests/theory/prerequisites/test_smoothness.py
    """
    same_length("x*", xstar, x)
    check_positive("L", L)
    size = float(gradient(f, xstar).norm())
    if size > tol:
        raise InputError(f"x* must be stationary, but the gradient there has length {size:.3g}")
    rise = float(scalar(f, x).detach() - scalar(f, xstar).detach())
    return rise - L / 2 * float((x - xstar).square().sum())


def regularity(f: Callable[[Tensor], Tensor], at: float = 0.0) -> Regularity:
    r"""How regular a function of one variable is at a point a.

    Judged by quotients over :math:`[a-h,a+h]` as h shrinks.

    Discontinuous: the values keep a jump. Continuous: the slopes of both sides keep apart.
    Differentiable, not smooth: the quotient of the slopes grows without bound.

    Example:
        >>> [regularity(g.function) for g in GALLERY]
        ['discontinuous', 'continuous', 'differentiable', 'smooth']
    """
    h = 10.0 ** -torch.arange(3, 10, dtype=torch.float64)
    left, right = (f(at + side * h) for side in (-1.0, 1.0))
    if float((right - left).abs()[-1]) > 1e-3:
        return "discontinuous"
    slopes = [torch.stack([gradient(_line(f), s[None]) for s in at + side * h]) for side in (-1, 1)]
    jump = (slopes[1] - slopes[0]).abs()[:, 0]
    if float(jump[-1]) > 1e-3:
        return "continuous"
    quotient = jump / (2 * h)
    return "differentiable" if float(quotient[-1]) > 10 * float(quotient[0]) else "smooth"


class Specimen(NamedTuple):
    """A function of one variable and what it is an example of, at 0."""

    name: str
    function: Callable[[Tensor], Tensor]
    regularity: Regularity


GALLERY = (
    Specimen("step", lambda x: torch.where(x < 0, 0.0 * x, 0.0 * x + 1), "discontinuous"),
    Specimen("|x|", torch.abs, "continuous"),
    Specimen("|x|√|x|", lambda x: x.abs() ** 1.5, "differentiable"),
    Specimen("x²", torch.square, "smooth"),
)


def _line(f: Callable[[Tensor], Tensor]) -> Function:
    return lambda x: f(x).sum()
