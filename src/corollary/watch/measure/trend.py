"""Whether the loss falls: a straight line through means of blocks, with Student's interval."""

import math
from collections.abc import Sequence

from corollary.core.measurement import Reading
from corollary.theory.confidence.mean import student

BLOCKS = 10


def trend(losses: Sequence[float], level: float = 0.95) -> Reading | None:
    """Change of the loss per step; None from fewer than 20 finite losses.

    Neighbouring losses depend on each other; means of blocks do so much less.

    Example:
        >>> found = trend([1 - 0.01 * i for i in range(40)])
        >>> round(found.value, 4), found.high < 0
        (-0.01, True)
    """
    size = len(losses) // BLOCKS
    if size < 2 or not all(map(math.isfinite, losses)):
        return None
    tail = list(losses)[-size * BLOCKS :]
    means = [sum(tail[i * size : (i + 1) * size]) / size for i in range(BLOCKS)]
    x = [i - (BLOCKS - 1) / 2 for i in range(BLOCKS)]
    square = sum(v * v for v in x)
    middle = sum(means) / BLOCKS
    slope = sum(v * m for v, m in zip(x, means, strict=True)) / square
    rest = sum((m - middle - slope * v) ** 2 for v, m in zip(x, means, strict=True))
    error = math.sqrt(rest / (BLOCKS - 2) / square)
    half = student(BLOCKS - 2, level) * error
    return Reading(slope / size, (slope - half) / size, (slope + half) / size)
