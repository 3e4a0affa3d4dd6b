r"""Rademacher complexity: how well a class fits random signs.

.. math:: \hat{\mathcal R}_S(\mathcal F)=\mathbb E_\sigma\sup_{f\in\mathcal F}
   \frac1m\sum_{i=1}^m\sigma_if(z_i),\qquad
   \mathcal R_m(\mathcal F)=\mathbb E_S\hat{\mathcal R}_S(\mathcal F).

0 for one function, 1 for all sign patterns; it grows with the class, does not change when the class
is made convex, adds up over sums of classes and is at most L times as large after an L-Lipschitz
function. A finite class is a matrix of its values, one row a function.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.4, Definition 29, Theorem 62, Lemmas
    63 and 64, Problem 1; Bartlett and Mendelson (2002), "Rademacher and Gaussian complexities:
    risk bounds and structural results".
:covers: rademacher-complexity
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.generalization.conditions import (
    Number,
    check_delta,
    check_nonnegative,
    check_sample,
)
from corollary.theory.prerequisites.wellformed import check_finite

Support = Callable[[Float[Tensor, "s m"]], Float[Tensor, " s"]]  # sup_f <sigma, f(z)> for each row
LARGEST = 20  # signs are enumerated up to so many points


def sign_vectors(m: int, *, dtype: torch.dtype = torch.float64) -> Float[Tensor, "s m"]:
    """All vectors of m signs, 2^m rows.

    Example:
        >>> sign_vectors(2).tolist()
        [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]
    """
    if not 1 <= m <= LARGEST:
        raise InputError(
            f"expected m from 1 to {LARGEST}, because m points have 2^m sign vectors, got "
            f"{m}; draw signs with random_signs"
        )
    bits = (torch.arange(2**m)[:, None] >> torch.arange(m)) % 2
    return (2 * bits - 1).to(dtype)


def random_signs(
    draws: int, m: int, *, rng: Generator, dtype: torch.dtype = torch.float64
) -> Float[Tensor, "s m"]:
    """Independent signs, one vector per draw.

    Example:
        >>> random_signs(3, 2, rng=torch.Generator().manual_seed(0)).abs().unique().tolist()
        [1.0]
    """
    bits = torch.randint(2, (draws, m), generator=rng, device=rng.device)
    return (2 * bits - 1).to(dtype)


def sign_suprema(
    values: Float[Tensor, "k m"] | Support, signs: Float[Tensor, "s n"]
) -> Float[Tensor, " s"]:
    r"""The suprema :math:`\sup_f\frac1m\sum_i\sigma_if(z_i)`, one for each row of signs.

    Their mean is the complexity: exactly for :func:`sign_vectors`, as an estimate with independent
    terms for :func:`random_signs`.

    Args:
        values: A finite class by its values, or the function :math:`\sigma\mapsto
            \sup_f\sum_i\sigma_if(z_i)` of an infinite one.
        signs: Rows of signs.

    Example:
        >>> sign_suprema(torch.tensor([[1.0, 1.0], [1.0, -1.0]]), sign_vectors(2).float()).tolist()
        [0.0, 1.0, 0.0, 1.0]
    """
    m = signs.shape[1]
    if callable(values):
        return values(signs) / m
    if values.shape[1] != m or len(values) == 0:
        raise InputError(
            f"a class needs one value for each of the {m} signs, but has shape "
            f"{tuple(values.shape)}"
        )
    return (signs @ values.T).amax(dim=1) / m


def rademacher_complexity(values: Float[Tensor, "k m"] | Support, m: int | None = None) -> float:
    """The empirical complexity, exactly, over all 2^m signs.

    Args:
        values: As in :func:`sign_suprema`.
        m: The number of points; only for a support function.

    Example:
        >>> rademacher_complexity(torch.tensor([[1.0, 1.0], [1.0, -1.0]], dtype=torch.float64))
        0.5
        >>> rademacher_complexity(sign_vectors(3))  # all labelings: every sign is fitted
        1.0
    """
    if callable(values):
        if m is None:
            raise InputError("a support function needs m, the number of points")
        return float(sign_suprema(values, sign_vectors(m)).mean())
    check_finite("the values", values)
    signs = sign_vectors(values.shape[1], dtype=values.dtype).to(values.device)
    return float(sign_suprema(values, signs).mean())


def threshold_complexity(m: int) -> float:
    r"""The complexity of thresholds :math:`1[x\le t]` on any m different points of a line, exactly.

    The supremum is the maximum of a random walk of m steps from 0, whose mean is
    :math:`\sum_{k\le m}\mathbb E|S_k|/2k`; it behaves like :math:`\sqrt{2/\pi m}` after division
    by m.

    Example:
        >>> threshold_complexity(2)  # maxima 2, 1, 0, 0 of the four walks
        0.375

    :source: Spitzer (1956), "A combinatorial lemma and its application to probability theory".
    """
    check_sample("m", m)
    # E|S_k| is constant over pairs and grows by the factor (2j + 1) / 2j from k = 2j - 1 to 2j + 1.
    total, size = 0.0, 1.0
    for k in range(1, m + 1):
        if k > 1 and k % 2 == 1:
            size *= k / (k - 1)
        total += size / (2 * k)
    return total / m


def massart_bound(values: Float[Tensor, "k m"]) -> float:
    r"""The bound :math:`\max_f\|f\|_2\sqrt{2\log N}/m` for a finite class of N functions.

    Example:
        >>> round(massart_bound(torch.tensor([[1.0, 1.0], [1.0, -1.0]])), 3)
        0.833

    :source: Massart (2000), "Some applications of concentration inequalities to statistics".
    """
    check_finite("the values", values)
    N, m = values.shape
    return float(values.norm(dim=1).max()) * math.sqrt(2 * math.log(N)) / m


def rademacher_deviation(R: Number, m: int, delta: Number, *, empirical: bool = False) -> float:
    r"""The bound on :math:`\sup_f(\mathbb Ef-\hat{\mathbb E}_Sf)` for values in [0, 1].

    :math:`2\mathcal R_m+\sqrt{\log(1/\delta)/2m}`, or from the sample alone
    :math:`2\hat{\mathcal R}_S+3\sqrt{\log(2/\delta)/2m}`.

    Args:
        R: The expected complexity, or the empirical one.
        m: Samples.
        delta: Probability of failure.
        empirical: Whether ``R`` was computed on the sample.

    Example:
        >>> round(rademacher_deviation(0.0, 100, 0.05), 4)  # one function: Hoeffding's, one-sided
        0.1224
        >>> round(rademacher_deviation(0.1, 100, 0.05, empirical=True), 4)
        0.6074

    :covers: rademacher-uniform-convergence
    :erratum: [loose] Theorem 62 has sqrt(log(1/delta)/m); McDiarmid gives sqrt(log(1/delta)/(2m)),
        smaller by sqrt(2): 0.1224 for 0.1731 at m = 100, delta = 0.05. [typo] Steps 4 and 5 of the
        proof sketch lack the factor 1/m and the expectation over sigma.
    """
    check_nonnegative("R", R)
    check_sample("m", m)
    check_delta(delta)
    if empirical:
        return 2 * R + 3 * math.sqrt(math.log(2 / delta) / (2 * m))
    return 2 * R + math.sqrt(math.log(1 / delta) / (2 * m))


def sum_of_classes(F: Float[Tensor, "a m"], G: Float[Tensor, "b m"]) -> Float[Tensor, "c m"]:
    """All sums of a function of one class and a function of the other.

    Example:
        >>> sum_of_classes(torch.tensor([[0.0], [1.0]]), torch.tensor([[10.0], [20.0]])).tolist()
        [[10.0], [20.0], [11.0], [21.0]]

    :covers: rademacher-sum-of-classes
    """
    return (F[:, None] + G).flatten(0, 1)


def contraction(
    values: Float[Tensor, "k m"], phi: Callable[[Tensor], Tensor], L: float
) -> tuple[float, float]:
    r"""The complexity of :math:`\varphi\circ\mathcal F`, and L times that of :math:`\mathcal F`.

    For an L-Lipschitz :math:`\varphi` the first is at most the second, whatever
    :math:`\varphi(0)` is.

    Example:
        >>> F = torch.tensor([[2.0, -2.0], [-2.0, 2.0]], dtype=torch.float64)
        >>> contraction(F, torch.relu, 1.0), contraction(F, torch.relu, 0.25)
        ((0.5, 1.0), (0.5, 0.25))

    :covers: rademacher-contraction
    :test: tests/theory/generalization/test_rademacher.py
    """
    check_nonnegative("L", L)
    return rademacher_complexity(phi(values)), L * rademacher_complexity(values)
