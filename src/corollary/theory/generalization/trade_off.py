r"""PAC-Bayes bounds with a parameter that trades errors on the sample against divergence.

The prior P is fixed before the N samples are seen, losses lie in [0, 1], and
:math:`\mathcal K=\mathrm{KL}(Q\|P)`. Each bound holds with probability at least
:math:`1-\epsilon`, for all posteriors Q at once.

*Catoni*, for one C that is fixed before the data are seen:

.. math:: E_QR\ \le\ \frac{1-\exp\bigl(-C\,E_QR_S-\frac1N(\mathcal K+\ln\frac1\epsilon)\bigr)}
    {1-e^{-C}} .

Minimised over all C, its right side is
:math:`\mathrm{kl}^{-1}(E_QR_S,\frac1N(\mathcal K+\ln\frac1\epsilon))`; but then C depends on the
data, and the bound is not valid. It is for the M values of a grid that is fixed beforehand, each
with probability of failure :math:`\epsilon/M`: the choice costs :math:`\ln M` nats, where kl
inversion pays :math:`\ln(2\sqrt N)`.

*PAC-Bayes-lambda* holds for all :math:`\lambda\in(0,2)` at once, so it may be minimised freely:

.. math:: E_QR\ \le\ \frac{E_QR_S}{1-\lambda/2}
    +\frac{\mathcal K+\ln(2\sqrt N/\epsilon)}{N\lambda(1-\lambda/2)},\qquad
    \lambda^*=\frac2{\sqrt{2N\,E_QR_S/(\mathcal K+\ln(2\sqrt N/\epsilon))+1}+1} .

It follows from kl inversion by :math:`\mathrm{kl}(q\|p)\ge(p-q)^2/(2p)`, so it is never below it;
it is convex in Q for fixed :math:`\lambda`, with the Gibbs posterior
:math:`Q\propto Pe^{-\lambda NR_S}` as its minimum.

:source: Catoni (2007), "PAC-Bayesian supervised classification: the thermodynamics of statistical
    learning", Theorem 1.2.6; Germain, Lacasse, Laviolette and Marchand (2009), "PAC-Bayesian
    learning of linear classifiers", Corollary 2.2; Thiemann, Igel, Wintenberger and Seldin (2017),
    "A strongly quasiconvex PAC-Bayesian bound", Theorem 3 and Section 4.
"""

import math
from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.generalization.change_of_measure import gibbs_tilt
from corollary.theory.generalization.divergence import kl_discrete
from corollary.theory.generalization.pac_bayes import Number, check_bound_inputs

LARGEST_C = 16.0  # where 1 - exp(-C) is 1 to a ten millionth
ROUNDS = 1000  # of alternating minimisation, which stops by itself after some ten


class Chosen(NamedTuple):
    """A bound, the parameter at which it was found, and the nats paid for choosing it."""

    bound: float
    parameter: float
    price: float

    def __repr__(self) -> str:
        return f"bound {self.bound:.4g} at {self.parameter:.4g}, chosen for {self.price:.3g} nats"


def catoni_bound(train: Number, kl: Number, N: int, eps: Number, C: Number) -> float:
    """Catoni's bound for a C that was fixed before the data were seen.

    Example:
        >>> round(catoni_bound(0.0, 0.0, 100, math.exp(-10), 30.0), 6)  # 1 - exp(-10 / 100)
        0.095163
    """
    check_bound_inputs(train, kl, N, eps)
    if not 0 < C < math.inf:
        raise InputError(f"expected a positive number C, got {C:g}")
    return math.expm1(-C * train - (kl - math.log(eps)) / N) / math.expm1(-C)


def minimised_catoni(
    train: Number, kl: Number, N: int, eps: Number, *, ratio: Number = 1.25
) -> Chosen:
    r"""The smallest of Catoni's bounds over the grid :math:`C_j=16r^{-j}\ge1/\sqrt N`.

    Larger C gain nothing, and smaller ones are best only where :math:`\mathcal K+\ln\frac1\epsilon`
    is below 1/8. The grid knows N but not the data.

    Args:
        train: Error of the randomised classifier on the sample.
        kl: Divergence of the posterior from the prior.
        N: Samples.
        eps: Probability of failure.
        ratio: Of neighbours of the grid, r > 1.

    Example:
        >>> best = minimised_catoni(0.02, 500.0, 55_000, 0.05)
        >>> round(best.bound, 4), round(best.price, 2)  # kl inversion pays ln(2 sqrt(N)) = 6.15
        (0.0452, 3.61)
        >>> best.bound == catoni_bound(0.02, 500.0 + best.price, 55_000, 0.05, best.parameter)
        True
    """
    check_bound_inputs(train, kl, N, eps)
    if not 1 < ratio < math.inf:
        raise InputError(f"expected a ratio above 1, got {ratio:g}")
    size = 1 + math.floor(math.log(LARGEST_C * math.sqrt(N)) / math.log(ratio))
    price = math.log(size)
    grid = (LARGEST_C * ratio**-j for j in range(size))
    return min(Chosen(catoni_bound(train, kl + price, N, eps, C), C, price) for C in grid)


def lambda_bound(train: Number, kl: Number, N: int, eps: Number, lam: Number) -> float:
    r"""The bound PAC-Bayes-lambda, for any :math:`\lambda` in (0, 2), chosen as one likes.

    Example:
        >>> round(lambda_bound(0.1, 0.0, 100, 0.2, 1.0), 6)  # 0.1 / (1/2) + ln(100) / (100 / 2)
        0.292103
    """
    check_bound_inputs(train, kl, N, eps)
    if not 0 < lam < 2:
        raise InputError(f"expected lambda between 0 and 2, got {lam:g}")
    kept = 1 - lam / 2
    return train / kept + _cost(kl, N, eps) / (N * lam * kept)


def best_lambda(train: Number, kl: Number, N: int, eps: Number) -> float:
    r"""The :math:`\lambda^*` with the smallest bound; choosing it costs nothing.

    Example:
        >>> best_lambda(0.0, 5.0, 100, 0.05)
        1.0
    """
    check_bound_inputs(train, kl, N, eps)
    return 2 / (math.sqrt(2 * N * train / _cost(kl, N, eps) + 1) + 1)


def lambda_posterior(
    losses: Float[Tensor, " k"], prior: Float[Tensor, " k"], N: int, eps: Number
) -> tuple[Float[Tensor, " k"], float]:
    r"""A posterior over k hypotheses and the bound it gives, by alternating minimisation.

    The Gibbs posterior for :math:`\lambda`, then :math:`\lambda^*` for that posterior, and so on:
    no step makes the bound larger. It ends in a minimum over both, which need not be the only one.

    Args:
        losses: Error of each hypothesis on the sample.
        prior: Probabilities that were fixed before.
        N: Samples.
        eps: Probability of failure.

    Example:
        >>> import torch
        >>> losses = torch.tensor([0.1, 0.4], dtype=torch.float64)
        >>> q, bound = lambda_posterior(losses, torch.full_like(losses, 0.5), 1000, 0.05)
        >>> round(float(q[0]), 6), round(bound, 4)
        (1.0, 0.1482)
    """
    if losses.shape != prior.shape or not bool(((losses >= 0) & (losses <= 1)).all()):
        raise InputError(
            "expected one loss in [0, 1] per probability of the prior, got losses of shape "
            f"{tuple(losses.shape)} for {tuple(prior.shape)}, or a loss outside [0, 1]"
        )
    lam, best = 1.0, math.inf
    for _ in range(ROUNDS):
        q = gibbs_tilt(prior, -lam * N * losses)
        train, kl = min(1.0, float(q @ losses)), max(0.0, float(kl_discrete(q, prior)))
        lam = best_lambda(train, kl, N, eps)
        bound = lambda_bound(train, kl, N, eps, lam)
        if bound >= best:
            break
        best = bound
    return q, bound


def _cost(kl: Number, N: int, eps: Number) -> float:
    return kl + math.log(2 * math.sqrt(N) / eps)
