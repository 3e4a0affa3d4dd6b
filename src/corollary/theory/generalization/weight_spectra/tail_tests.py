r"""Is the tail a power law? Goodness of fit, and rivals.

**Goodness of fit.** Data sets are drawn as the fit has them (below the start from the data, above
it from the power law), and each is fitted anew, its start included. The p-value is the share of
them that is farther from its fit than the data are from theirs. Below 0.1 the power law
is ruled out.

**Rivals.** With log-likelihoods :math:`\ell_i` of the points of the tail, the sum of
:math:`\ell_i^{\text{power}}-\ell_i^{\text{rival}}` over its standard deviation
:math:`\sqrt m\,s` is standard normal if both are equally far from the truth (Vuong). The sign says
who is ahead, the p-value whether that means anything.

The exponential beyond the start has rate :math:`1/(\bar x-x_{\min})`. The log-normal beyond it is a
truncated normal of :math:`y=\log(x/x_{\min})`, whose likelihood is largest where its first two
moments are those of the data: one equation for :math:`\xi=-\mu/\sigma`,

.. math:: \frac{\overline{y^2}}{\bar y^2}=\frac{1-\xi(h-\xi)}{(h-\xi)^2},\qquad
    h=\frac{\varphi(\xi)}{1-\Phi(\xi)}.

The right side grows from 1 to 2; at 2 the log-normal has become the power law. So a power law is
never ahead of a log-normal: at best they are equal.

:source: Clauset, Shalizi and Newman (2009), "Power-law distributions in empirical data", Section 4
    and Appendix C; Vuong (1989), "Likelihood ratio tests for model selection and non-nested
    hypotheses"; Cohen (1950), "Estimating the mean and variance of normal populations from singly
    truncated samples".
"""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from scipy.optimize import brentq
from scipy.special import erfcx
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.compiled import Backend
from corollary.theory.generalization.weight_spectra.power_law import TailFit, power_law
from corollary.theory.prerequisites.wellformed import check_no_nan
from corollary.theory.seeding import as_generator

Rival = Literal["lognormal", "exponential"]
RULED_OUT = 0.1  # Clauset, Shalizi and Newman, Section 4.2
FLATTEST = 100.0  # of xi: there the log-normal is a power law to a ten-thousandth


@dataclass(frozen=True)
class RivalTest:
    """A power law against a rival on the same tail."""

    ratio: float  # normalised log-likelihood ratio; positive if the power law is ahead
    p_value: float  # probability of so large a ratio if neither is better

    def __repr__(self) -> str:
        ahead = "power law" if self.ratio > 0 else "rival"
        return (
            f"the {ahead} is ahead: likelihood ratio {self.ratio:.3g}, p-value {self.p_value:.2g}"
        )

    @property
    def beaten(self) -> bool:
        """Whether the rival is ahead, and not by chance."""
        return self.ratio < 0 and self.p_value < RULED_OUT


def goodness_of_fit(
    x: Float[Tensor, " n"],
    fit: TailFit,
    *,
    draws: int = 100,
    smallest_tail: int = 2,
    backend: Backend = "auto",
    rng: int | Generator = 0,
) -> float:
    """The p-value of a power law, by drawn data sets that are fitted anew.

    Costs ``draws`` fits. Its error is about half of one over the root of the draws.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> x = torch.rand(300, generator=rng, dtype=torch.float64) ** -0.5
        >>> goodness_of_fit(x, power_law(x), rng=rng) > 0.1  # it is one
        True
    """
    rng = as_generator(rng)
    check_no_nan("x", x)
    values = x.detach().cpu().double().flatten()
    values = values[values > 0]
    body = values[values < fit.start]
    farther = 0
    for _ in range(draws):
        u = torch.rand(2, len(values), generator=rng, dtype=torch.float64)
        drawn = fit.start * (1 - u[1]).pow(-1 / (fit.alpha - 1))
        if len(body):
            below = body[torch.randint(len(body), (len(values),), generator=rng)]
            drawn = torch.where(u[0] < fit.tail / fit.total, drawn, below)
        again = power_law(drawn, smallest_tail=smallest_tail, backend=backend)
        farther += again.distance >= fit.distance
    return farther / draws


def compared(x: Float[Tensor, " n"], fit: TailFit, rival: Rival) -> RivalTest:
    """The power law against a rival, on the values from its start on.

    Example:
        >>> q = (torch.arange(1000, dtype=torch.float64) + 0.5) / 1000
        >>> x = 1 - torch.log(1 - q)  # exponential from 1 on
        >>> compared(x, power_law(x, start=1.0), "exponential").beaten
        True
    """
    check_no_nan("x", x)
    tail = x.detach().cpu().double().flatten()
    tail = tail[tail >= fit.start]
    y = tail.log() - math.log(fit.start)
    power = math.log(fit.alpha - 1) - (fit.alpha - 1) * y  # densities of y, all of them
    if rival == "exponential":
        rate = 1 / float((tail - fit.start).mean())
        other = math.log(rate) - rate * (tail - fit.start) + tail.log()  # dx = x dy
    elif rival == "lognormal":
        other = _lognormal(y, power)
    else:
        raise InputError(f"the rival must be lognormal or exponential, got '{rival}'")
    difference = power - other
    spread = float(difference.std(unbiased=False)) * math.sqrt(len(y))
    if spread <= 1e-12 * len(y):
        return RivalTest(0.0, 1.0)
    ratio = float(difference.sum()) / spread
    return RivalTest(ratio, math.erfc(abs(ratio) / math.sqrt(2)))


def _lognormal(y: Tensor, power: Tensor) -> Tensor:
    """Log-densities of the best truncated normal; those of the power law in the limit."""
    first, second = float(y.mean()), float(y.square().mean())
    target = second / first**2
    if target >= _moment_ratio(FLATTEST):
        return power
    xi = float(brentq(lambda t: _moment_ratio(t) - target, -60.0, FLATTEST, xtol=1e-12))
    sigma = first / (_hazard(xi) - xi)
    z = y / sigma + xi
    # log of the normal density at z over the mass above xi, without underflow
    mass = math.log(0.5 * float(erfcx(xi / math.sqrt(2)))) - xi * xi / 2
    return -z.square() / 2 - math.log(sigma * math.sqrt(2 * math.pi)) - mass


def _hazard(xi: float) -> float:
    """The normal density over the mass above."""
    return math.sqrt(2 / math.pi) / float(erfcx(xi / math.sqrt(2)))


def _moment_ratio(xi: float) -> float:
    excess = _hazard(xi) - xi
    return (1 - xi * excess) / excess**2
