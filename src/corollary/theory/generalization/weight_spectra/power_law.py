r"""Power laws in the tail: exponent by maximum likelihood, start by Kolmogorov and Smirnov.

If the values above :math:`x_{\min}` have a density proportional to :math:`x^{-\alpha}`, the
likelihood of the m of them is largest at

.. math:: \hat\alpha=1+\frac m{\sum_i\log(x_i/x_{\min})},\qquad
    \text{standard error}\quad\frac{\hat\alpha-1}{\sqrt m},

and of all candidates for :math:`x_{\min}` the one is taken whose fit is closest to the data,
:math:`D=\max_i|F(x_i)-(i-1)/m|`. A fit exists for whatever data: whether it is any good is another
question, see :mod:`corollary.theory.generalization.weight_spectra.tail_tests`. The standard error
takes the start as known and the values as independent; eigenvalues of one matrix are not, so it is
a yardstick.

The exponents of all candidates are one cumulative sum. Their distances cost :math:`O(m^2)`; a
candidate is dropped at the first value that is farther off than the best one so far, which leaves
about :math:`O(m\log m)`. Without numba, all distances are computed in blocks.

:source: Clauset, Shalizi and Newman (2009), "Power-law distributions in empirical data",
    Equations 3.1, 3.2 and 3.9 (Section 3.3); Martin and Mahoney (2021), "Implicit
    self-regularization in deep neural networks", for spectra of weights.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from scipy.special import gammaincinv
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.compiled import Backend, compiled
from corollary.theory.prerequisites.wellformed import check_at_least, check_no_nan

BLOCK = 1 << 18  # distances at a time on the torch path


@dataclass(frozen=True)
class TailFit:
    """A tail and its exponent."""

    alpha: float
    error: float  # standard error of alpha for a known start
    start: float  # xmin
    tail: int  # values from the start on
    total: int  # all values
    distance: float  # Kolmogorov-Smirnov distance within the tail

    def __repr__(self) -> str:
        return (
            f"power law with exponent {self.alpha:.4g} ± {self.error:.2g} from {self.tail} of "
            f"{self.total} values, those above {self.start:.4g}"
        )

    def survival(self, x: Float[Tensor, "*m"]) -> Float[Tensor, "*m"]:
        """The share of all values above x by the fit, for x in the tail.

        Example:
            >>> law = TailFit(3.0, 0.1, 1.0, 50, 100, 0.05)
            >>> law.survival(torch.tensor([1.0, 2.0])).tolist()
            [0.5, 0.125]
        """
        return self.tail / self.total * (x / self.start).pow(1 - self.alpha)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        r"""Both ends for the exponent of independent values with a known start.

        Then :math:`(\alpha-1)\sum_i\log(x_i/x_{\min})` follows the gamma law of shape m, or of
        shape m - 1 if the start is one of the values; the lower end allows for this.

        Example:
            >>> low, high = TailFit(3.0, 0.3, 1.0, 50, 100, 0.05).interval()
            >>> round(low, 2), round(high, 2)  # 3 give or take about two times 2/√50
            (2.45, 3.59)
        """
        if not 0 < level < 1:
            raise InputError(f"expected a level between 0 and 1, like 0.95, got {level}")
        slope, m, tail = (self.alpha - 1) / self.tail, self.tail, (1 - level) / 2
        low, high = float(gammaincinv(m - 1, tail)), float(gammaincinv(m, 1 - tail))
        return 1 + slope * low, 1 + slope * high


def power_law(
    x: Float[Tensor, " n"],
    *,
    start: float | None = None,
    smallest_tail: int = 2,
    backend: Backend = "auto",
) -> TailFit:
    """Fit a power law to the tail of positive values.

    Args:
        x: Values; those that are not positive are left out.
        start: Where the tail begins, or None to look for it.
        smallest_tail: How many values a tail must have.
        backend: ``numba`` or ``torch`` for the distances of the candidates.

    Example:
        >>> q = (torch.arange(2000, dtype=torch.float64) + 0.5) / 2000
        >>> fit = power_law((1 - q) ** -0.5)  # survival x^-2, so alpha is 3
        >>> round(fit.alpha, 1), fit.tail > 1500
        (3.0, True)
    """
    check_no_nan("x", x)
    values = x.detach().cpu().double().flatten()
    values = values[values > 0].sort().values
    if start is not None:
        rest = values[values >= start]
        return _at(rest, float(start), len(values))
    _check(values, smallest_tail)
    found = best_start(values, smallest_tail, backend)
    return _at(values[found:], float(values[found]), len(values))


def exponents(values: Float[Tensor, "*batch n"]) -> Float[Tensor, "*batch n"]:
    """The exponent for every start among ascending values; infinite where the tail is one value.

    Example:
        >>> exponents(torch.tensor([0.0, 1.0, 2.0]).double().exp()).tolist()  # 1 + 3/(1 + 2), ...
        [2.0, 3.0, inf]
    """
    logs = values.log()
    m = torch.arange(values.shape[-1], 0, -1, dtype=values.dtype, device=values.device)
    sums = logs.flip(-1).cumsum(-1).flip(-1) - m * logs
    return torch.where(sums > 0, 1 + m / sums, math.inf)


def best_start(values: Float[Tensor, " n"], smallest_tail: int, backend: Backend = "auto") -> int:
    """The place of the start with the smallest distance, among ascending values.

    Of equal values only the first is a candidate: a tail has all values from its start on.
    """
    check_no_nan("values", values)
    check_at_least("smallest_tail", smallest_tail, 2)
    alphas = exponents(values)
    alphas[1:] = torch.where(values[1:] > values[:-1], alphas[1:], math.inf)
    last = len(values) - smallest_tail
    kernel = compiled(_nearest, backend, worth_it=len(values) >= 200)
    if kernel is not None:
        return int(kernel(values.log().numpy(), alphas.numpy(), last))
    return int(_distances(values.log(), alphas, last).argmin())


def _distances(logs: Tensor, alphas: Tensor, last: int) -> Tensor:
    """Distances for the starts 0 to ``last``, in blocks of candidates."""
    n, out, first = len(logs), [], 0
    while first <= last:
        rows = min(max(1, BLOCK // (n - first)), last + 1 - first)
        tail = logs[first:]
        j, i = torch.arange(n - first, dtype=logs.dtype), torch.arange(rows, dtype=logs.dtype)
        a = alphas[first : first + rows, None]
        model = -torch.expm1((1 - a) * (tail - tail[:rows, None]).clamp(min=0))
        step = (j - i[:, None]) / (n - first - i[:, None])
        off = (model - step).abs().masked_fill_(j < i[:, None], 0.0)
        out.append(torch.where(a[:, 0].isfinite(), off.amax(1), math.inf))
        first += rows
    return torch.cat(out)


def _nearest(logs: Any, alphas: Any, last: int) -> int:
    """The start with the smallest distance; a candidate is dropped once it is beaten.

    A few candidates give a limit, then all are tried. Every 32nd value of a tail is looked at
    first, then those between: deviations change slowly along it.
    """
    n, limit, best, place = len(logs), 2.0, 2.0, 0
    for sweep in range(2):
        for i in range(0, last + 1, max(1, last // 40) if sweep == 0 else 1):
            if not np.isfinite(alphas[i]):
                continue
            worst, m, a = 0.0, n - i, 1.0 - alphas[i]
            step = 32 if m > 64 else 1
            for offset in range(step):
                for j in range(offset * 13 % step, m, step):
                    off = abs(-np.expm1(a * (logs[i + j] - logs[i])) - j / m)
                    if off > worst:
                        worst = off
                        if worst > limit:
                            break
                if worst > limit:
                    break
            if worst <= limit:
                limit = worst
                if sweep == 1 and worst < best:
                    best, place = worst, i
    return place


def _at(tail: Tensor, start: float, total: int) -> TailFit:
    """The fit with a known start."""
    if len(tail) < 2 or not start > 0 or not bool(tail[-1] > start):
        raise InputError(
            f"a tail needs two different values that are at least {start:g}, its start"
        )
    logs = tail.log() - math.log(start)
    m = len(tail)
    alpha = 1 + m / float(logs.sum())
    steps = torch.arange(m, dtype=torch.float64) / m
    distance = float((-torch.expm1((1 - alpha) * logs) - steps).abs().max())
    return TailFit(alpha, (alpha - 1) / math.sqrt(m), start, m, total, distance)


def _check(values: Tensor, smallest_tail: int) -> None:
    if smallest_tail < 2:
        raise InputError(f"a tail has at least 2 values, but smallest_tail is {smallest_tail}")
    if len(values) < smallest_tail or not bool(values[-1] > values[0]):
        raise InputError(
            f"expected at least {smallest_tail} positive values that are not all equal, got "
            f"{len(values)}"
        )
    if not bool(values.isfinite().all()):
        raise InputError("expected finite values, got NaN or infinity")
