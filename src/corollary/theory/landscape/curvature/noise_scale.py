r"""The gradient noise scale, and with it the largest batch that is worth its price.

For independent groups of s examples with gradients :math:`g_1, \dots, g_b`,

.. math:: \mathcal{B} = \frac{\operatorname{tr}\Sigma}{|G|^2}, \qquad
          |G|^2 \approx \frac{1}{b(b-1)} \sum_{i \ne j} \langle g_i, g_j\rangle, \qquad
          \operatorname{tr}\Sigma \approx \frac{s}{b} \sum_i |g_i|^2 - s\,|G|^2,

both unbiased, where :math:`\Sigma` is the covariance of one example's gradient. A batch of B
examples makes :math:`1/(1 + \mathcal{B}/B)` of the progress of the full gradient at the best step,
so beyond the critical size :math:`\mathcal{B}` more examples buy little. With a Hessian the
products become :math:`\langle g_i, H g_j\rangle`.

The interval of the ratio is made of those of its parts, at distances :math:`d` from the estimates
with correlation :math:`\rho`. Its upper end solves

.. math:: (\hat a-r\hat c)^2=d_a^2-2r\rho\,d_ad_c+r^2d_c^2,\qquad
    a=\operatorname{tr}\Sigma,\quad c=|G|^2,

with the distance upwards from a, the lower end with that downwards; for equal distances it is
Fieller's. Where the gradient is not distinguishable from 0, :math:`d_c\ge\hat c`, there is no
upper end. Distances are Student's with a jackknife covariance. For a that is too short where noise
has few directions, as with one weight, where :math:`\hat a` is a multiple of a chi-squared number
(8 groups: 87 % in place of 95 %); so it also covers the interval that the products of the centred
gradients with each other give (:mod:`~corollary.theory.landscape.curvature.forms`): means of
groups are nearly normal, and each is to :math:`\Sigma` what a probe is to an operator.

:source: McCandlish, Kaplan, Amodei et al. (2018), "An empirical model of large-batch training",
    Eqs. 2.7, 2.8 and Appendix A; Fieller (1954), "Some problems in interval estimation"; Donner and
    Zou (2012), "Closed-form confidence intervals for functions of the normal mean and standard
    deviation", Section 2, for limits from separate intervals.
"""

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.confidence.mean import student
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.forms import trace_estimate
from corollary.theory.landscape.curvature.interval import Estimate, check_level
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.operator import Curvature
from corollary.theory.seeding import as_generator

Number = TypeVar("Number", float, Tensor)


@dataclass(frozen=True)
class NoiseScale:
    """The noise scale and its two parts."""

    scale: Estimate  # examples; also the critical batch size
    noise: float  # tr Sigma, of one example
    signal: float  # |G|^2; it may come out negative when there is almost no gradient
    groups: int
    group_size: int

    @property
    def critical_batch(self) -> Estimate:
        """The batch size at which half of the possible progress is made."""
        return self.scale

    def efficiency(self, batch: int) -> float:
        r""":math:`1/(1 + \mathcal{B}/B)`, the progress of a batch against the full gradient's."""
        return 1 / (1 + max(self.scale.value, 0.0) / batch)

    def __repr__(self) -> str:
        return f"gradient noise scale {self.scale} examples"


@of_model
def noise_scale(
    landscape: Landscape,
    *,
    groups: int = 32,
    group_size: int | None = None,
    hessian: Curvature | None = None,
    level: float = 0.95,
    rng: int | Generator = 0,
) -> NoiseScale:
    r"""The gradient noise scale of a landscape, with an interval.

    Groups are drawn from the examples with replacement and independently of each other, so the
    interval speaks of the data that were given. Cost: one gradient of ``group_size`` examples a
    group; memory ``groups`` gradients.

    Args:
        landscape: Data in one batch (tensors), which groups are drawn from, or in several, each
            of which is then one group.
        groups: How many gradients, at least 4.
        group_size: Examples of each; by default the data divided among the groups, at least 1.
        hessian: Weigh by curvature, which gives the noise scale that governs training at the
            best step; by default all directions count alike.
        level: Of the interval.
        rng: Of the draws.

    Example:
        >>> model = torch.nn.Linear(1, 1, bias=False)
        >>> x, y = torch.ones(100, 1), torch.linspace(-1, 3, 100)[:, None]
        >>> _ = torch.nn.init.constant_(model.weight, 0.0)
        >>> found = noise_scale(Landscape(model, torch.nn.MSELoss(), (x, y)), groups=64)
        >>> float(y.var(correction=0) / y.mean() ** 2) in found.scale  # Var(y)/mean(y)^2
        True
    """
    check_level(level)
    if landscape.reduction != "mean":
        raise InputError("the noise scale needs a loss that is a mean over examples, not a sum")
    g, s = _group_gradients(landscape, groups, group_size, as_generator(rng))
    h = g if hessian is None else hessian.rows(g)
    gram = (g @ h.T).cpu().double()
    gram = (gram + gram.T) / 2
    scale, noise, signal = scale_of(gram, s, level)
    return NoiseScale(scale, noise, signal, len(g), s)


def _group_gradients(
    landscape: Landscape, groups: int, size: int | None, rng: Generator
) -> tuple[Float[Tensor, "b p"], int]:
    batches = list(landscape.batches())
    if len(batches) == 1:
        (whole,) = batches
        if groups < 4:
            raise InputError(f"groups must be at least 4, got {groups}")
        size = size or max(1, whole.size // groups)
        if not 1 <= size <= whole.size // 2:
            raise InputError(
                f"group_size must lie between 1 and half the {whole.size} examples, got {size}"
            )
        draws = [torch.randint(whole.size, (size,), generator=rng) for _ in range(groups)]
        batches = [whole.take(draw) for draw in draws]
    sizes = {batch.size for batch in batches}
    if len(sizes) > 1:  # the last batch of a loader is often smaller
        batches = [batch for batch in batches if batch.size == max(sizes)]
    if len(batches) < 4:
        raise InputError(
            f"the noise scale needs at least 4 batches of the same size, got {len(batches)}; "
            "pass the data as one pair of tensors, or smaller batches"
        )
    rows = []
    with landscape.guard():
        for batch in batches:
            slopes = landscape.slopes(landscape.objective(batch))
            rows.append(landscape.flat(slopes) / landscape.weight(batch))
    return torch.stack(rows), batches[0].size


def scale_of(gram: Float[Tensor, "b b"], s: int, level: float) -> tuple[Estimate, float, float]:
    r"""The ratio with its interval, :math:`\operatorname{tr}\Sigma` and :math:`|G|^2`.

    Args:
        gram: Inner products of the gradients of b groups.
        s: Examples of a group.
        level: Of the interval.

    Example:
        >>> g = torch.tensor([1.0, 2.0, 1.0, 2.0], dtype=torch.float64)  # variance 1/3, mean 3/2
        >>> scale, noise, signal = scale_of(torch.outer(g, g), 1, 0.95)
        >>> round(noise, 4), round(signal, 4)  # 9/4 less a fourth of the variance
        (0.3333, 2.1667)
    """
    own, total = gram.diagonal(), gram.sum()
    a, c = (float(part) for part in _parts(own.sum(), total, len(gram), s))
    left_out = _parts(own.sum() - own, total - 2 * gram.sum(1) + own, len(gram) - 1, s)
    among = _centred(s * gram).numpy()
    noise = trace_estimate(among, np.eye(len(among)), level)
    return ratio_interval(a, c, torch.stack(left_out, dim=1), level, noise), a, c


def ratio_interval(
    a: float,
    c: float,
    left_out: Float[Tensor, "b 2"],
    level: float,
    own: Estimate | None = None,
) -> Estimate:
    """The ratio a / c with its interval.

    Args:
        a: The estimate above.
        c: The estimate below.
        left_out: Both, with one of b draws left out.
        level: Of the interval.
        own: An interval of a that the distances are to cover too.
    """
    t, V = student(len(left_out) - 1, level), _jackknife(left_out)
    error_a, error_c = (t * math.sqrt(V[k, k]) for k in (0, 1))
    rho = float(V[0, 1]) * t**2 / (error_a * error_c) if error_a * error_c > 0 else 0.0
    own = Estimate(a, a, a, level) if own is None else own
    below, above = max(error_a, a - own.low), max(error_a, own.high - a)
    value = math.inf if c <= 0 else a / c
    if c <= error_c:  # the gradient is not distinguishable from 0
        low = (a - below) / (c + error_c) if c + error_c > 0 else 0.0
        return Estimate(value, max(low, 0.0), math.inf, level)  # in this order NaN stays
    low, high = (_end(a, c, side * d, error_c, rho) for side, d in ((-1, below), (1, above)))
    return Estimate(value, low, high, level)


def two_sizes(
    small: Number, large: Number, b: float | int, B: float | int
) -> tuple[Number, Number]:
    r"""Unbiased :math:`\operatorname{tr}\Sigma` and :math:`|G|^2` from squared lengths.

    Args:
        small: Mean squared length of gradients of b examples.
        large: Squared length of the gradient of B examples.
        b: The smaller size.
        B: The larger size.

    Example:
        >>> two_sizes(5.0, 2.0, b=1, B=4)  # |g|^2 = |G|^2 + tr/b: 1 + 4 and 1 + 4/4
        (4.0, 1.0)
    """
    noise = (small - large) / (1 / b - 1 / B)
    return noise, (B * large - b * small) / (B - b)


def _parts(own: Tensor, total: Tensor, b: int, s: int) -> tuple[Tensor, Tensor]:
    r"""Unbiased :math:`\operatorname{tr}\Sigma` and :math:`|G|^2` from sums of inner products."""
    signal = (total - own) / (b * (b - 1))
    return s * (own / b - signal), signal


def _jackknife(left_out: Float[Tensor, "b k"]) -> Float[Tensor, "k k"]:
    """The covariance of estimates, from their values with each draw left out."""
    b = len(left_out)
    gap = left_out - left_out.mean(0)
    return (b - 1) / b * gap.T @ gap


def _centred(gram: Float[Tensor, "b b"]) -> Float[Tensor, "c c"]:
    """Products of b - 1 independent combinations of the rows, by Helmert's matrix."""
    i = torch.arange(1, len(gram), dtype=gram.dtype)[:, None]
    H = torch.ones_like(gram)[1:].tril(0) - torch.diag_embed(i[:, 0], 1)[: len(gram) - 1]
    H = H / (i * (i + 1)).sqrt()
    return H @ gram @ H.T


def _end(a: float, c: float, d: float, error: float, rho: float) -> float:
    """The end of the interval of a / c on the side of d's sign."""
    A, B, C = c**2 - error**2, a * c - rho * abs(d) * error, a**2 - d**2
    return (B + math.copysign(math.sqrt(max(B**2 - A * C, 0.0)), d)) / A
