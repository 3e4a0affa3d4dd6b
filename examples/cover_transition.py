r"""
Cover's transition at twice as many points as dimensions
========================================================

Of the :math:`2^s` ways to label :math:`s` points in general position in :math:`\mathbb{R}^n`, a
hyperplane through the origin realises

.. math:: C(s, n) = 2 \sum_{i=0}^{n-1} \binom{s-1}{i}.

The *number* of labellings never falls as points are added. The *fraction* :math:`C(s, n)/2^s` does
fall: it is 1 up to :math:`s = n` and exactly one half at :math:`s = 2n`. The fall around
:math:`s = 2n` gets steeper as the dimension grows. The dots are random points with random labels,
each tested for separability; the bars are exact binomial intervals at 95 %.
"""

import matplotlib.pyplot as plt
import torch

from corollary.core import Count
from corollary.theory.connectionism.cover import separable_labellings, separable_probability

TRIALS = 200
LOADS = (1.0, 1.5, 2.0, 2.5, 3.0)


def measured(s: int, n: int) -> Count:
    """The number of random labellings of random points that are separable."""
    rng = torch.Generator().manual_seed(1000 * n + s)
    z = torch.randn(TRIALS, s, n, generator=rng, dtype=torch.float64)
    return Count(int(separable_labellings(z).sum()), TRIALS)


def main(dimensions: tuple[int, ...] = (4, 16)) -> dict[tuple[int, int], Count]:
    """Plot the exact fraction for each dimension, with measured points on it."""
    counts: dict[tuple[int, int], Count] = {}
    fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    for n in dimensions:
        grid = range(1, 4 * n + 1)
        exact = [float(separable_probability(s, n)) for s in grid]
        (line,) = ax.plot([s / n for s in grid], exact, label=f"exact, n = {n}")
        for load in LOADS:
            s = round(load * n)
            count = counts[s, n] = measured(s, n)
            read = count.read(0.95)
            bars = [[read.value - read.low], [read.high - read.value]]
            ax.errorbar(s / n, read.value, yerr=bars, fmt="o", color=line.get_color(), capsize=3)
    ax.axvline(2, color="gray", linewidth=0.8)
    ax.set(xlabel="points per dimension, $s/n$", ylabel="separable fraction", xlim=(0, 4))
    ax.legend()
    return counts


# %%
# At twice as many points as dimensions about half of the labellings are separable, whatever the
# dimension:

if __name__ == "__main__":
    for (s, n), count in main().items():
        if s == 2 * n:
            print(f"n = {n:2}, s = {s:2}: {count.hits} of {count.trials} separable")
