"""Fewer points for a curve, with its spikes kept.

A figure is a few hundred pixels wide, so a run of a million steps is stored as the lowest and the
highest point of each of a few hundred columns. The drawing does not change.
"""

COLUMNS = 300


def thinned(x: list[float], y: list[float]) -> tuple[list[float], list[float]]:
    """At most ``2 * COLUMNS + 2`` points: the ends, and the lowest and highest of each column.

    Example:
        >>> x, y = thinned([float(i) for i in range(10_000)], [0.0] * 5_000 + [9.0] + [0.0] * 4_999)
        >>> len(x) <= 602, max(y)
        (True, 9.0)
    """
    n = len(x)
    if n <= 2 * COLUMNS + 2:
        return x, y
    keep = {0, n - 1}
    for column in range(COLUMNS):
        span = range(column * n // COLUMNS, (column + 1) * n // COLUMNS)
        keep |= {min(span, key=y.__getitem__), max(span, key=y.__getitem__)}
    order = sorted(keep)
    return [x[i] for i in order], [y[i] for i in order]
