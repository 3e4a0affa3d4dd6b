r"""
How the margin decides the number of mistakes
=============================================

The perceptron makes at most :math:`(R/\gamma)^2` mistakes on points in a ball of radius :math:`R`
that a hyperplane separates with margin :math:`\gamma`, however many points there are and whatever
their dimension. Here the margin shrinks while the points stay in the unit ball, and the mistakes
are counted over repeated draws. The bound holds for every draw. On random clouds the number of
mistakes is far below the bound, because the bound covers the worst order and the worst points.

The picture is a :class:`~corollary.core.figure.Figure`, as returned by claims. Here matplotlib
draws it; in a report it becomes SVG.
"""

import torch

from corollary.core import Curve, Figure, Points
from corollary.data.separable import separable_cloud
from corollary.theory.connectionism.perceptron import margin, perceptron_fit, radius

GAMMAS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)
DRAWS = 10


def mistakes(gamma: float, seed: int) -> tuple[float, int]:
    """The bound and the count for one cloud of 300 points in 10 dimensions."""
    rng = torch.Generator().manual_seed(seed)
    x, y, u = separable_cloud(300, 10, gamma, rng=rng)
    bound = float((radius(x) / margin(x, y, u)) ** 2)
    return bound, perceptron_fit(x, y, bias=False).updates


def main() -> dict[float, list[int]]:
    """Draw clouds for each margin, count the mistakes, and plot the counts with the bound."""
    drawn = {gamma: [mistakes(gamma, seed) for seed in range(DRAWS)] for gamma in GAMMAS}
    bounds = [min(bound for bound, _ in drawn[gamma]) for gamma in GAMMAS]
    counts = {gamma: sorted(count for _, count in drawn[gamma]) for gamma in GAMMAS}
    middle = [counts[gamma][DRAWS // 2] for gamma in GAMMAS]
    low, high = ([counts[gamma][end] for gamma in GAMMAS] for end in (0, -1))
    label = f"mistakes, least to most of {DRAWS} draws"
    marks = (
        Curve(bounds, GAMMAS, label="(R/γ)²", role="predicted"),
        Points(GAMMAS, middle, low=low, high=high, label=label),
    )
    title = "Perceptron mistakes as the margin shrinks"
    Figure(title, x="margin γ", y="mistakes M", marks=marks, log_x=True, log_y=True).show()
    return counts


# %%
# The counts, margin by margin:

if __name__ == "__main__":
    for gamma, made in main().items():
        print(f"margin {gamma:5}: {min(made):4} to {max(made):4} mistakes")
