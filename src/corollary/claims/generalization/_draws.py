"""Repeated samples: whether they look like independent draws, and how often they stray."""

from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor

from corollary.core import Count, Points, Reading
from corollary.core.dots import with_intervals


def are_independent(values: Float[Tensor, "t n"]) -> tuple[bool, str]:
    """Whether the mean of a row varies as that of n independent values would: by 1/n of them."""
    t, n = values.shape
    ratio = float(n * values.mean(dim=1).var() / values.var())
    words = f"the mean of n = {n} varies by {ratio:.3g}/n of the variance"
    return abs(ratio - 1) < 10 * (2 / t) ** 0.5, words  # 10 standard errors of a normal variance


def tail(off: Float[Tensor, " t"], grid: Sequence[float], label: str) -> Points:
    """The share of draws at or beyond each value, where there are any, with 99 % intervals."""
    found = [Count(int((off >= value).sum()), len(off)).read(0.99) for value in grid]
    seen = [(value, r) for value, r in zip(grid, found, strict=True) if r.value > 0]
    shares = [Reading(r.value, max(r.low, 1e-6), r.high) for _, r in seen]  # for logarithms
    return with_intervals([value for value, _ in seen], shares, label)
