r"""PAC-Bayes bounds on the risk of a randomised classifier.

The prior P is fixed before the N samples are seen, the loss is 0 or 1, and :math:`\Delta` is
convex. With probability at least :math:`1-\epsilon`, for all posteriors Q at once,

.. math:: \Delta(E_QR,E_QR_S)\le\frac1N\Bigl(\mathrm{KL}(Q\|P)+\ln\frac{J_\Delta(N)}\epsilon\Bigr),
    \qquad J_\Delta(N)=\sup_{m\in[0,1]}\sum_{k=0}^N\mathrm{Bin}(k;N,m)\,e^{N\Delta(m,k/N)} .

=================================== ========================================= ==================
:math:`\Delta(m,q)`                 J                                         name
=================================== ========================================= ==================
:math:`\mathrm{kl}(q\|m)`           between :math:`\sqrt N` and               Langford, Seeger,
                                    :math:`2\sqrt N` (N :math:`\ge` 8)        Maurer
:math:`2(q-m)^2`                    less, by Pinsker                          McAllester
:math:`-\ln(1-m(1-e^{-C}))-Cq`      1                                         Catoni
=================================== ========================================= ==================

:source: Lucchi (2025), Foundations of Deep Learning, Theorems 69 and 70; Begin, Germain, Laviolette
    and Roy (2014), "PAC-Bayesian theory for transductive learning"; McAllester (2003), "Simplified
    PAC-Bayesian margin bounds"; Maurer (2004), "A note on the PAC-Bayesian theorem"; Catoni (2007),
    "PAC-Bayesian supervised classification".
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.generalization.divergence import kl_bernoulli, kl_inverse

Delta = Callable[[Tensor, Tensor], Tensor]  # of the true and the empirical risk
Number = float | int
ENTRIES = 2**18  # of a table that stays in cache


def delta_kl(m: Float[Tensor, "..."], q: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """The divergence of coins; the sharpest choice.

    Example:
        >>> delta_kl(torch.tensor(0.5), torch.tensor(0.5)).item()
        0.0
    """
    return kl_bernoulli(q, m)


def delta_square(m: Float[Tensor, "..."], q: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Twice the square, below the divergence by Pinsker.

    Example:
        >>> delta_square(torch.tensor(0.5), torch.tensor(0.0)).item()
        0.5
    """
    return 2 * (q - m).square()


def delta_catoni(C: Number) -> Delta:
    """Linear in the empirical risk; C is fixed before the data are seen.

    Example:
        >>> log_j(delta_catoni(2.0), 10)
        0.0
    """
    if not C > 0:
        raise InputError(f"Catoni's C must be positive, got {C:g}")
    return Catoni(C)


@dataclass(frozen=True)
class Catoni:
    """The distance of :func:`delta_catoni`."""

    C: Number

    def __call__(self, m: Float[Tensor, "..."], q: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """By whichever of two equal forms keeps the digits: near m = 1 the first has none."""
        fall = m * math.expm1(-self.C)
        log = torch.where(fall > -0.5, fall.log1p(), ((1 - m) + m * math.exp(-self.C)).log())
        return -log - self.C * q


def log_j(Delta: Delta, N: int, *, grid: int = 801) -> float:
    r"""The logarithm of :math:`J_\Delta(N)`.

    The kl and Catoni's distance have closed forms. Any other: the supremum over a grid of m that
    is then refined, at the cost of ``3 grid (N + 1)`` evaluations.

    Example:
        >>> round(math.exp(log_j(delta_kl, 2)), 9)  # 1 + 2 * (1/2)(1/2) + 1
        2.5
    """
    if N < 1:
        raise InputError(f"the number of samples must be at least 1, got {N}")
    if isinstance(Delta, Catoni):
        return 0.0  # the moment generating function of a coin: every term of the sum cancels
    if Delta is delta_kl:
        return log_j_kl(N)
    k = torch.arange(N + 1, dtype=torch.float64)
    low, high = 0.0, 1.0
    for _ in range(3):  # each round looks closer around the largest value
        m = torch.linspace(low, high, grid, dtype=torch.float64)
        values = torch.cat([_log_sum(Delta, part, k) for part in m.split(1 + ENTRIES // N)])
        best = int(values.argmax())
        low, high = float(m[max(best - 1, 0)]), float(m[min(best + 1, grid - 1)])
    return float(values[best])


def log_j_kl(N: int) -> float:
    r"""The same for :math:`\Delta=\mathrm{kl}` by its closed sum, which no longer depends on m.

    :math:`J=\sum_k\binom Nk(k/N)^k(1-k/N)^{N-k}`; cost :math:`O(N)`.

    Example:
        >>> round(math.exp(log_j_kl(2)), 9)
        2.5
    """
    k = torch.arange(N + 1, dtype=torch.float64)
    q = k / N
    return float(
        torch.logsumexp(_log_binomial(N, k) + torch.xlogy(k, q) + torch.xlogy(N - k, 1 - q), 0)
    )


def pac_bayes_general(Delta: Delta, N: int, eps: Number, kl: Number) -> float:
    r"""The right side: what :math:`\Delta(E_QR,E_QR_S)` is at most.

    Example:
        >>> right = pac_bayes_general(delta_kl, 2, 0.5, math.log(2))
        >>> round(right, 9) == round(math.log(10) / 2, 9)  # (ln 2 + ln(2.5 / 0.5)) / 2
        True

    :covers: begin-pac-bayes
    """
    check_bound_inputs(0.0, kl, N, eps)
    return (kl + log_j(Delta, N) - math.log(eps)) / N


def pac_bayes_risk(Delta: Delta, train: Number, kl: Number, N: int, eps: Number) -> float:
    r"""The largest :math:`E_QR` that the general theorem leaves, by bisection.

    Example:
        >>> risk = pac_bayes_risk(delta_kl, 0.1, 10.0, 1000, 0.05)
        >>> risk < mcallester_bound(0.1, 10.0, 1000, 0.05)
        True
    """
    right = pac_bayes_general(Delta, N, eps, kl)
    q = torch.tensor(train, dtype=torch.float64)

    def within(m: float) -> bool:
        return bool(Delta(torch.tensor(m, dtype=torch.float64), q) <= right)

    low, high = train, 1.0
    if within(high):
        return 1.0
    if not within(low):
        raise InputError("Delta must be at most the right side where both risks are equal")
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) else (low, middle)
    return high


def kl_bound(train: Number, kl: Number, N: int, eps: Number) -> float:
    r"""The bound by kl inversion, with :math:`J\le2\sqrt N`: the one to use.

    Example:
        >>> round(kl_bound(0.0, 0.0, 100, 0.05), 4)  # 1 - exp(-ln(400) / 100)
        0.0582

    :source: Maurer (2004), "A note on the PAC-Bayesian theorem", Theorem 5.
    """
    check_bound_inputs(train, kl, N, eps)
    return kl_inverse(train, (kl + math.log(2 * math.sqrt(N) / eps)) / N)


def mcallester_bound(
    train: Number, kl: Number, N: int, eps: Number, *, printed: bool = False
) -> float:
    r"""Train error plus :math:`\sqrt{(\mathrm{KL}+\ln(2\sqrt N/\epsilon))/(2N)}`.

    Args:
        train: Error of the randomised classifier on the sample.
        kl: Divergence of the posterior from the prior.
        N: Samples.
        eps: Probability of failure.
        printed: The factor 2/N of the notes in place of 1/(2N): valid, with twice the slack.

    Example:
        >>> one, two = (mcallester_bound(0, 5.0, 100, 0.1, printed=p) for p in (False, True))
        >>> round(two / one, 12)
        2.0

    :covers: mcallester-pac-bayes
    :erratum: [loose] Theorem 70 has the factor 2/N under the root where 1/(2N) is available: valid,
        but the slack is twice as large. Its indicated proof, Theorem 69 with the square, gives
        sqrt((KL + ln(J/eps))/N) with J at most sqrt(2) (computed: 1.386 at N = 10, 1.411 at
        N = 100); ln(2 sqrt(N)) belongs to kl and, by Pinsker, to 2(q - p)^2.
    """
    check_bound_inputs(train, kl, N, eps)
    factor = 2 / N if printed else 1 / (2 * N)
    return train + math.sqrt(factor * (kl + math.log(2 * math.sqrt(N) / eps)))


def _log_sum(Delta: Delta, m: Tensor, k: Tensor) -> Tensor:
    N = len(k) - 1
    log_bin = _log_binomial(N, k) + torch.xlogy(k, m[:, None]) + torch.xlogy(N - k, 1 - m[:, None])
    exponent = N * Delta(m[:, None].expand_as(log_bin), (k / N).expand_as(log_bin))
    # Impossible counts have weight 0, whatever Delta is there.
    terms = torch.where(log_bin.isneginf(), log_bin, log_bin + exponent)
    return torch.logsumexp(terms, dim=1)


def _log_binomial(N: int, k: Tensor) -> Tensor:
    return math.lgamma(N + 1) - torch.lgamma(k + 1) - torch.lgamma(N - k + 1)


def check_bound_inputs(train: Number, kl: Number, N: int, eps: Number) -> None:
    """Raise unless these are an error, a divergence, a sample size and a probability."""
    if not 0 <= train <= 1:
        raise InputError(f"the error on the sample must lie in [0, 1], got {train:g}")
    if not kl >= 0:
        raise InputError(f"the divergence kl must be at least 0, got {kl:g}")
    if N < 1:
        raise InputError(f"the number of samples must be at least 1, got {N}")
    if not 0 < eps < 1:
        raise InputError(f"eps must lie between 0 and 1, got {eps:g}")
