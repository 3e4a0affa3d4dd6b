r"""The Weierstrass theorem by Landau's kernel.

Let :math:`J_n = \int_{-1}^1 (1 - u^2)^n du`, and let :math:`f` be continuous with :math:`f = 0`
outside
:math:`(0, 1)`. The polynomial :math:`P_n(x) = \frac{1}{J_n} \int_0^1 f(t) (1 - (t - x)^2)^n dt`
tends to :math:`f` on :math:`[0, 1]`.

:source: Notes, Section 3.5, Problem 1.
:a: Show that :math:`f(x)` is the mean of a constant under the kernel.
:a-ungraded: one line, that a constant comes out of an integral; there is nothing to compute.
:b: ``landau(x, n)`` For :math:`f(t) = t(1 - t)` on :math:`[0, 1]` return :math:`P_n(x)`.
:b-hints: Compute :math:`J_n` by the same rule as the integral. | Gauss-Legendre with more than
    :math:`n + 2` nodes is exact for these polynomials. | Map the nodes to :math:`[0, 1]`.
:c: ``modulus_bound(f_x, f_y, u, eps, delta, M)`` Here :math:`|f| \le M`, ``f_x`` and ``f_y`` are
    :math:`f(x)` and :math:`f(x + u)`, and these differ by at most :math:`\epsilon/2` if :math:`|u|
    < \delta`. Yield a chain from :math:`|f(x+u) - f(x)|` to :math:`\epsilon/2 + 2M u^2/\delta^2`
    through :math:`\epsilon/2` if :math:`|u| < \delta`, and through :math:`2M` otherwise.
:c-hints: There are two cases. | In each case one of the two terms is enough. | What is :math:`1 \le
    u^2/\delta^2` good for?
:d: ``second_moment_ratio(n)`` Return :math:`\int_{-1}^1 u^2 (1 - u^2)^n du / J_n` in closed form.
:d-hints: Integrate by parts: :math:`u \cdot u(1-u^2)^n`. | The numerator is
    :math:`J_{n+1}/(2(n+1))`. | :math:`J_{n+1}/J_n = (2n+2)/(2n+3)`.
:e: ``sufficient_degree(eps, delta, M)`` Return a whole number :math:`n \ge 1` for which the bound
    of c, averaged under the kernel, is at most :math:`\epsilon`; not more than twice the smallest,
    plus 2.
:e-hints: Average both terms of c. | The second is :math:`2M/\delta^2` times the ratio of d. | Solve
    for :math:`n`, and round up.
"""

from collections.abc import Iterator
from math import ceil
from typing import Any

import numpy as np

from corollary.exercises.judging import Case, Chain, Judge, Rng, equals, real


def kernel_mean(power: int, n: int) -> float:
    """The mean of u^power under the kernel, by Gauss-Legendre, which is exact here."""
    u, w = np.polynomial.legendre.leggauss(n + 3)
    return float(w @ (u**power * (1 - u**2) ** n)) / float(w @ (1 - u**2) ** n)


def part_b(rng: Rng) -> Iterator[Case]:
    """With a fine trapezoidal rule in place of an exact one."""
    t, u = np.linspace(0, 1, 20_001), np.linspace(-1, 1, 40_001)
    for n, edge in ((4, ""), (15, ""), (0, "n = 0"), (80, "a large degree")):
        x = float(rng.uniform(0.1, 0.9))
        f = t * (1 - t)
        top, J = (f * (1 - (t - x) ** 2) ** n).sum() / 20_000, (1 - u**2) ** n
        bottom = (J.sum() - (J[0] + J[-1]) / 2) / 20_000
        said = {
            "the division by J_n is missing": top,
            "your answer is the function f itself": x * (1 - x),
            "J_n is an integral from −1 to 1": 2 * top / bottom,
        }
        yield Case({"x": x, "n": n}, equals(top / bottom, said), edge)


def part_c(rng: Rng) -> Iterator[Case]:
    """Both cases, and the border between them."""
    for near, edge in ((True, ""), (False, ""), (None, "|u| = δ exactly")):
        eps, delta, M = (float(v) for v in rng.uniform((0.1, 0.2, 1.0), (0.3, 0.5, 2.0)))
        u = delta if near is None else delta * float(rng.uniform(0.2, 0.9) if near else 1.7)
        f_x = float(rng.uniform(-0.5, 0.5))
        f_y = f_x + 0.4 * eps if near else 0.9 * M * (-1.0 if f_x > 0 else 1.0)
        through = {"ε/2": eps / 2} if near else {"2M": 2 * M}
        judge = Chain(abs(f_y - f_x), "≤", eps / 2 + 2 * M * u**2 / delta**2, through)
        given = {"f_x": f_x, "f_y": f_y, "u": u, "eps": eps, "delta": delta, "M": M}
        yield Case(given, judge, edge)


def part_d(rng: Rng) -> Iterator[Case]:
    """The reference is computed by quadrature."""
    for n, edge in ((3, ""), (int(rng.integers(5, 30)), ""), (0, "n = 0")):
        value = kernel_mean(2, n)
        said = {
            "J_{n+1} is not J_n": 1 / (2 * (n + 1)),
            "your answer is the integral without the division": value
            * float(np.polynomial.legendre.leggauss(n + 3)[1] @ _kernel(n)),
        }
        yield Case({"n": n}, equals(value, said), edge)


def _kernel(n: int) -> Any:
    return (1 - np.polynomial.legendre.leggauss(n + 3)[0] ** 2) ** n


def part_e(rng: Rng) -> Iterator[Case]:
    """The answer is judged by the inequality itself."""
    for eps, edge in ((0.3, ""), (0.2, ""), (9.0, "a tolerance that any degree meets")):
        delta, M = float(rng.uniform(0.3, 0.5)), float(rng.uniform(1, 2))
        yield Case({"eps": eps, "delta": delta, "M": M}, _enough(eps, delta, M), edge)


def _enough(eps: float, delta: float, M: float) -> Judge:
    smallest = max(1, ceil((4 * M / (eps * delta**2) - 3) / 2))

    def judge(answer: Any) -> str:
        n = real(answer)
        if n.shape or float(n) != int(n) or n < 1:
            return "expected a whole number of at least 1"
        if n > 2 * smallest + 2:
            return "the degree is more than twice as large as needed"
        bound = eps / 2 + 2 * M / delta**2 * kernel_mean(2, int(n))
        return "" if bound <= eps * (1 + 1e-9) else f"the bound is {bound:.4g}, more than {eps:.4g}"

    return judge
