"""A measured rate beside the predicted one, as several claims of this chapter show it."""

from collections.abc import Sequence

from corollary.core import Curve, Figure, Points


def rate_figure(
    title: str, sizes: Sequence[float], values: Sequence[float], exponent: float, x: str, y: str
) -> Figure:
    """Points with the predicted power law through the middle one, on logarithmic axes."""
    middle = len(sizes) // 2
    line = [values[middle] * (s / sizes[middle]) ** exponent for s in sizes]
    return Figure(
        title,
        x=x,
        y=y,
        log_x=True,
        log_y=True,
        marks=(
            Curve(line, x=sizes, label=f"slope {exponent:g}", role="predicted"),
            Points(sizes, values, label="measured"),
        ),
    )
