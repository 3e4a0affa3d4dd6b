r"""The gradient noise scale, and with it the largest batch that is worth its price.

For independent groups of s examples with gradients :math:`g_1, \dots, g_b`,

.. math:: \mathcal{B} = \frac{\operatorname{tr}\Sigma}{|G|^2}, \qquad
          |G|^2 \approx \frac{1}{b(b-1)} \sum_{i \ne j} \langle g_i, g_j\rangle, \qquad
          \operatorname{tr}\Sigma \approx \frac{s}{b} \sum_i |g_i|^2 - s\,|G|^2,

both unbiased, where :math:`\Sigma` is the covariance of one example's gradient. A batch of B
examples makes :math:`1/(1 + \mathcal{B}/B)` of the progress of the full gradient at the best step,
so beyond the critical size :math:`\mathcal{B}` more examples buy little. With a Hessian the
products become :math:`\langle g_i, H g_j\rangle`. The interval is Fieller's, with a jackknife
covariance; where the gradient itself is not distinguishable from 0 it is unbounded above.

:source: McCandlish, Kaplan, Amodei et al. (2018), "An empirical model of large-batch training",
    Eqs. 2.7, 2.8 and Appendix A; Fieller (1954), "Some problems in interval estimation".
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.confidence.mean import student
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.interval import Estimate, check_level
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.operator import Curvature
from corollary.theory.seeding import as_generator


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
    gram = (g @ h.T).double().cpu()
    gram = (gram + gram.T) / 2
    noise, signal = _parts(gram, s)
    left_out = torch.stack([torch.stack(_parts(_without(gram, i), s)) for i in range(len(g))])
    return NoiseScale(
        ratio_interval(float(noise), float(signal), left_out, level),
        float(noise),
        float(signal),
        len(g),
        s,
    )


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
            f"the noise scale needs at least 4 batches of one size, but there are {len(batches)}; "
            "pass the data as one pair of tensors, or smaller batches"
        )
    rows = []
    with landscape.guard():
        for batch in batches:
            slopes = landscape.slopes(landscape.objective(batch))
            rows.append(landscape.flat(slopes) / landscape.weight(batch))
    return torch.stack(rows), batches[0].size


def _parts(gram: Tensor, s: int) -> tuple[Tensor, Tensor]:
    r"""Unbiased :math:`\operatorname{tr}\Sigma` and :math:`|G|^2` from inner products."""
    b, own = len(gram), gram.trace()
    signal = (gram.sum() - own) / (b * (b - 1))
    return s * (own / b - signal), signal


def _without(gram: Tensor, i: int) -> Tensor:
    keep = torch.arange(len(gram)) != i
    return gram[keep][:, keep]


def ratio_interval(a: float, c: float, left_out: Float[Tensor, "b 2"], level: float) -> Estimate:
    r"""Fieller: all r with :math:`(a - rc)^2 \le t^2 \operatorname{Var}(\hat a - r\hat c)`."""
    b = len(left_out)
    gap = left_out - left_out.mean(0)
    V = (b - 1) / b * gap.T @ gap  # the jackknife's covariance
    t2 = student(b - 1, level) ** 2
    A, B, C = (
        c**2 - t2 * float(V[1, 1]),
        a * c - t2 * float(V[0, 1]),
        a**2 - t2 * float(V[0, 0]),
    )
    value = a / c if c > 0 else math.inf
    root = B**2 - A * C
    if A <= 0 or root < 0:  # the gradient is not distinguishable from 0
        low = (B - math.sqrt(root)) / A if A < 0 and root >= 0 else -math.inf
        other = (B + math.sqrt(root)) / A if A < 0 and root >= 0 else -math.inf
        below = max((x for x in (low, other) if math.isfinite(x)), default=0.0)
        return Estimate(value, max(0.0, min(below, value)), math.inf, level)
    return Estimate(value, (B - math.sqrt(root)) / A, (B + math.sqrt(root)) / A, level)
