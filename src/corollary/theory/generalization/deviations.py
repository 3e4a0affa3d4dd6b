r"""How far a mean, or any function of many independent variables, strays from its expectation.

For n i.i.d. values in :math:`[a,b]` (Hoeffding), and for g of independent variables that moves by
at most :math:`c_i` when only the i-th one changes (McDiarmid),

.. math:: P\Bigl(\Bigl|\tfrac1n\sum_if(Z_i)-\mathbb Ef\Bigr|>\epsilon\Bigr)
   \le2e^{-2n\epsilon^2/(b-a)^2},\qquad
   P\bigl(|g(X_1,\dots,X_n)-\mathbb Eg|\ge\epsilon\bigr)\le2e^{-2\epsilon^2/\sum_ic_i^2}.

The second gives the first for the mean, where :math:`c_i=(b-a)/n`. One side alone has the factor 1.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.1, Equation 8.1 and Section 8.4,
    footnote 2; Hoeffding (1963), "Probability inequalities for sums of bounded random variables";
    McDiarmid (1989), "On the method of bounded differences".
"""

import math
from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.generalization.conditions import (
    Number,
    check_delta,
    check_nonnegative,
    check_range,
    check_sample,
)
from corollary.theory.prerequisites.wellformed import check_no_nan


def hoeffding_probability(
    n: int, eps: Number, *, a: Number = 0.0, b: Number = 1.0, sides: int = 2
) -> float:
    """The bound on the probability that a mean of n values in [a, b] is off by more than eps.

    It may exceed 1, and then says nothing.

    Example:
        >>> round(hoeffding_probability(100, 0.1), 4)  # 2 exp(-2)
        0.2707

    :covers: hoeffding-single-function
    """
    check_range(a, b)
    check_sample("n", n)
    return mcdiarmid_probability(eps, [(b - a) / n] * n, sides=sides)


def hoeffding_deviation(
    n: int, delta: Number, *, a: Number = 0.0, b: Number = 1.0, sides: int = 2
) -> float:
    r"""The deviation :math:`(b-a)\sqrt{\log(2/\delta)/2n}` that has probability at most delta.

    Example:
        >>> round(hoeffding_deviation(1000, 0.05), 4)
        0.0429

    :covers: hoeffding-single-function
    """
    check_range(a, b)
    check_sample("n", n)
    check_delta(delta)
    return (b - a) * math.sqrt((_log_sides(sides) + math.log(1 / delta)) / (2 * n))


def hoeffding_samples(
    eps: Number, delta: Number, *, a: Number = 0.0, b: Number = 1.0, sides: int = 2
) -> int:
    """The number of samples after which a deviation above eps has probability at most delta.

    Example:
        >>> hoeffding_samples(0.1, 0.05), hoeffding_deviation(185, 0.05) <= 0.1
        (185, True)
    """
    check_range(a, b)
    check_delta(delta)
    if not eps > 0:
        raise InputError(f"expected eps > 0, which finitely many samples reach, got {eps:g}")
    need = (_log_sides(sides) + math.log(1 / delta)) * (b - a) ** 2 / (2 * eps**2)
    return max(1, math.ceil(need))


def mcdiarmid_probability(eps: Number, c: Sequence[Number], *, sides: int = 2) -> float:
    r"""The bound :math:`2\exp(-2\epsilon^2/\sum_ic_i^2)` on the probability of a deviation.

    Args:
        eps: The deviation from the expectation.
        c: How far each single variable can move the function.
        sides: 2 for the absolute deviation, 1 for one direction.

    Example:
        >>> mcdiarmid_probability(0.1, [0.01] * 100) == hoeffding_probability(100, 0.1)
        True

    :covers: mcdiarmid-inequality
    :erratum: [wrong] Footnote 2 takes f on n variables but bounds |mean of f(X_i) - E f(X)|, which
        has f on one variable. Right is |f(X_1, ..., X_n) - E f(X_1, ..., X_n)|. Read with f on one
        variable of range 1, so c_i = 1, the printed bound would be 2 exp(-2 eps^2 / n): 1.9996 at
        n = 100, eps = 0.1, where Hoeffding gives 0.2707.
    """
    check_nonnegative("eps", eps)
    spread = _squares(c)
    return sides_factor(sides) * math.exp(-2 * eps**2 / spread)


def mcdiarmid_deviation(delta: Number, c: Sequence[Number], *, sides: int = 2) -> float:
    """The deviation from the expectation that has probability at most delta.

    Example:
        >>> c = [0.01] * 100
        >>> abs(mcdiarmid_deviation(0.05, c) - hoeffding_deviation(100, 0.05)) < 1e-15
        True

    :covers: mcdiarmid-inequality
    """
    check_delta(delta)
    return math.sqrt(_squares(c) * (_log_sides(sides) + math.log(1 / delta)) / 2)


def bounded_differences(
    g: Callable[[Float[Tensor, "k n"]], Float[Tensor, " k"]],
    x: Float[Tensor, "k n"],
    *,
    rng: Generator,
) -> Float[Tensor, " n"]:
    """The largest change of g seen when one coordinate of a row is replaced by that of another.

    A value above ``c[i]`` refutes the condition of McDiarmid; values below do not prove it.
    Costs n evaluations of g on k rows.

    Example:
        >>> x = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
        >>> rng = torch.Generator().manual_seed(0)
        >>> bounded_differences(lambda x: x.mean(1), x, rng=rng).tolist()
        [0.5, 0.5]
    """
    base, moved = g(x), []
    other = x.roll(1, dims=0)
    mixed = x[torch.randperm(len(x), generator=rng, device=rng.device)]
    for i in range(x.shape[1]):
        swaps = []
        for source in (other, mixed):
            y = x.clone()
            y[:, i] = source[:, i]
            swaps.append((g(y) - base).abs().max())
        moved.append(torch.stack(swaps).max())
    return torch.stack(moved)


def upper_quantile(draws: Float[Tensor, " t"], delta: Number, *, level: Number = 0.99) -> float:
    r"""A value that is above the :math:`1-\delta` quantile of the draws' law with this confidence.

    It is the first order statistic for which the exact binomial probability says so: below a bound,
    it shows that the bound fails with probability at most delta.

    Example:
        >>> upper_quantile(torch.arange(1000.0), 0.05)  # 950 would be the plain quantile
        965.0
    """
    from scipy.special import bdtr

    check_delta(delta)
    check_no_nan("draws", draws)
    t = len(draws)
    first = next(
        (k for k in range(int(t * (1 - delta)), t) if bdtr(k, t, 1 - delta) >= level), None
    )
    if first is None:
        raise InputError(
            f"{t} draws are too few to place the {1 - delta:g} quantile with confidence {level:g}"
        )
    return float(draws.sort().values[first])


def sides_factor(sides: int) -> int:
    """1 or 2, refused otherwise.

    Example:
        >>> sides_factor(2)
        2
    """
    if sides not in (1, 2):
        raise InputError(f"expected sides=1 (one direction) or 2 (absolute value), got {sides}")
    return sides


def _log_sides(sides: int) -> float:
    return math.log(sides_factor(sides))


def _squares(c: Sequence[Number]) -> float:
    if len(c) == 0 or not all(0 <= v < math.inf for v in c) or not any(c):
        raise InputError("c must hold finite differences >= 0, and one of them positive")
    return math.fsum(v * v for v in c)
