r"""Taylor polynomials and the rate of their remainder.

.. math:: f(x)=\sum_{j\le k}\frac{f^{(j)}(a)}{j!}(x-a)^j+h_k(x)(x-a)^k,\qquad h_k(x)\to0

If :math:`|f^{(k+1)}|\le M` between a and x, the remainder is at most
:math:`M|x-a|^{k+1}/(k+1)!` (Lagrange).

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.3, Theorem 2, (1.12).
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.gradients import Function


def derivatives(f: Function, a: float, k: int) -> Float[Tensor, " n"]:
    """``f(a), f'(a), ..., f^(k)(a)`` by repeated autograd; the cost may grow like 2^k.

    Example:
        >>> derivatives(torch.exp, 0.0, 3)
        tensor([1., 1., 1., 1.], dtype=torch.float64)
    """
    if k < 0:
        raise InputError(f"the order k must be at least 0, got {k}")
    if not math.isfinite(a):
        raise InputError(f"the point a must be finite, got {a}")
    with torch.enable_grad():
        x = torch.tensor(float(a), dtype=torch.float64, requires_grad=True)
        values = [f(x)]
        for _ in range(k):
            last = values[-1]
            if not last.requires_grad:
                values.append(torch.zeros_like(last))
                continue
            (slope,) = torch.autograd.grad(last, x, create_graph=True, materialize_grads=True)
            values.append(slope)
    return torch.stack([v.detach() for v in values])


def taylor_polynomial(f: Function, a: float, k: int) -> Function:
    r"""The polynomial :math:`x\mapsto\sum_{j\le k}f^{(j)}(a)(x-a)^j/j!`.

    Example:
        >>> p = taylor_polynomial(torch.exp, 0.0, 2)
        >>> p(torch.tensor([1.0, 2.0], dtype=torch.float64))  # 1 + x + x²/2
        tensor([2.5000, 5.0000], dtype=torch.float64)

    :covers: taylor-theorem
    :erratum: [typo] In the derivation for k = 3 the quadratic term is written f''(a)(x-a)^2; it
        must be f''(a)(x-a)^2/2, as in (1.12): f = x^2 at a = 0 has coefficient 1, not 2. The proof
        also deduces that f''' is bounded from the continuity of f'' and uses derivatives near a;
        both are more than the theorem assumes. The theorem is right.
    """
    d = derivatives(f, a, k)
    coefficients = [float(value) / math.factorial(j) for j, value in enumerate(d)]

    def polynomial(x: Tensor) -> Tensor:
        value = torch.zeros_like(x)
        for c in reversed(coefficients):
            value = value * (x - a) + c
        return value

    return polynomial


def taylor_remainders(
    f: Function, a: float, k: int, steps: Float[Tensor, " n"]
) -> Float[Tensor, " n"]:
    r"""The larger of :math:`|f(a\pm s)-p_k(a\pm s)|` for each step s."""
    if not bool((steps > 0).all()):
        raise InputError("the steps must be positive")
    p = taylor_polynomial(f, a, k)
    sides = torch.stack([a + steps, a - steps])
    return (f(sides) - p(sides)).abs().max(dim=0).values


def taylor_remainder_rate(
    f: Function, a: float, k: int, *, steps: Float[Tensor, " n"] | None = None
) -> float:
    r"""The fitted exponent of the remainder: :math:`k+1` for :math:`C^{k+1}` functions.

    Args:
        f: Works on each entry of a tensor.
        a: The centre.
        k: The order.
        steps: Distances from the centre; where the remainder is near rounding they are too small.

    Example:
        >>> round(taylor_remainder_rate(torch.exp, 0.0, 1), 1)
        2.0
    """
    if steps is None:
        steps = 0.02 * 2.0 ** torch.arange(5, dtype=torch.float64)
    r = taylor_remainders(f, a, k, steps)
    if not bool((r > 0).all()):
        raise InputError(
            "the remainder is zero at some step, because f equals its Taylor polynomial there"
        )
    s, r = steps.log() - steps.log().mean(), r.log()
    return float((s * r).sum() / (s * s).sum())


def lagrange_bound(bound: float, k: int, steps: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    r"""The remainder's bound :math:`M s^{k+1}/(k+1)!` with ``bound`` M on :math:`|f^{(k+1)}|`.

    Example:
        >>> lagrange_bound(6.0, 2, torch.tensor([2.0]))
        tensor([8.])
    """
    return bound * steps ** (k + 1) / math.factorial(k + 1)


def has_continuous_derivative(f: Function, a: float, k: int) -> bool:
    r"""Whether :math:`f^{(k)}` looks continuous at a: its values on both sides approach each other.

    Judged at distances from :math:`10^{-4}` to :math:`10^{-8}`; a jump below a hundredth of the
    derivative is not seen.

    Example:
        >>> cusp = lambda x: x.abs() ** 2.5
        >>> has_continuous_derivative(cusp, 0.0, 2), has_continuous_derivative(cusp, 0.0, 3)
        (True, False)
    """
    near = [derivatives(f, a + side * d, k)[-1] for d in (1e-4, 1e-8) for side in (-1, 1)]
    values = torch.stack(near)
    return bool((values.max() - values.min()) <= 1e-2 * max(float(values.abs().min()), 5.0))
