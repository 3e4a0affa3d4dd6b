r"""
How the margin decides the number of mistakes
=============================================

The perceptron makes at most :math:`(R/\gamma)^2` mistakes on points in a ball of radius :math:`R`
that a hyperplane separates with margin :math:`\gamma`, however many points there are and whatever
their dimension. Here the margin shrinks while the points stay in the unit ball, and the mistakes
are counted over repeated draws. The bound holds for each of them, and on random clouds it is far
from being attained: it speaks of the worst order and the worst points.
"""

import matplotlib.pyplot as plt
import torch

from corollary.data.separable import separable_cloud
from corollary.theory.connectionism.perceptron import margin, perceptron_fit, radius

GAMMAS = (0.4, 0.2, 0.1, 0.05, 0.025)
DRAWS = 10


def mistakes(gamma: float, seed: int) -> tuple[float, int]:
    """The bound and the count for one cloud of 300 points in 10 dimensions."""
    rng = torch.Generator().manual_seed(seed)
    x, y, u = separable_cloud(300, 10, gamma, rng=rng)
    bound = float((radius(x) / margin(x, y, u)) ** 2)
    return bound, perceptron_fit(x, y, bias=False).updates


def main() -> dict[float, list[int]]:
    """Draw clouds for each margin, count, and plot the counts below the bound."""
    counts: dict[float, list[int]] = {}
    bounds = []
    for gamma in GAMMAS:
        drawn = [mistakes(gamma, seed) for seed in range(DRAWS)]
        bounds.append(min(bound for bound, _ in drawn))
        counts[gamma] = [count for _, count in drawn]
    fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    ax.loglog(GAMMAS, bounds, "--", label="bound $(R/\\gamma)^2$")
    for gamma in GAMMAS:
        ax.plot([gamma] * DRAWS, counts[gamma], "o", color="tab:orange", alpha=0.5)
    ax.plot([], [], "o", color="tab:orange", label=f"mistakes, {DRAWS} draws")
    ax.set(xlabel="margin $\\gamma$", ylabel="mistakes $M$")
    ax.legend()
    return counts


# %%
# The counts, margin by margin:

if __name__ == "__main__":
    for gamma, made in main().items():
        print(f"margin {gamma:5}: {min(made):4} to {max(made):4} mistakes")
