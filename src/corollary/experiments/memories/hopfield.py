r"""The load at which a Hopfield network forgets.

A network of n neurons stores :math:`\alpha n` random patterns, starts at one of them, and its
neurons are updated one after the other until none changes. For each n, bisection finds the load at
which the mean overlap with the pattern falls below 0.8. That load is larger in small networks. Near
a saddle-node bifurcation with fluctuations of order :math:`n^{-1/2}` the shift is of order
:math:`n^{-2/3}`, so the value on the table is the intercept of the line through the loads against
:math:`n^{-2/3}`. The intercept for :math:`n^{-1/2}` is given too: the difference shows how far the
extrapolation can be trusted. The published value supposes replica symmetry, which is broken near
the transition, and equilibrium states instead of the end of a descent.

:source: Amit, Gutfreund and Sompolinsky (1985), "Storing infinite numbers of patterns in a
    spin-glass model of neural networks" (critical load 0.138 at temperature zero).
:cost: minutes
"""

import torch
from torch import Generator

from corollary.core import Curve, Experiment, Figure, Level, Outcome, Points, Published, Row
from corollary.data.patterns import random_patterns
from corollary.models.hopfield import Hopfield
from corollary.theory.connectionism.hopfield.storage import overlap
from corollary.theory.connectionism.hopfield.transition import critical_load

AMIT = "Amit, Gutfreund and Sompolinsky (1985)"
LOST = 0.8  # any level inside the jump of the overlap from 0.97


class HopfieldLoad(Experiment):
    largest: int = 2000  # neurons of the largest network; the others have 1/2, 1/4 and 1/8
    neurons: int = 16_000  # in all networks of one size together
    probes: int = 16  # patterns that each network starts from
    halvings: int = 6  # of the interval of loads

    metric = "critical load (patterns per neuron)"
    better = "equal"
    rows = (Row("Hopfield network, extrapolated to infinite size", Published(0.138, AMIT)),)
    seeds = 3
    quick = {"largest": 400, "neurons": 400, "probes": 4, "halvings": 3}

    def run(self, seed: int) -> Outcome:
        rng = torch.Generator().manual_seed(seed)
        sizes = [self.largest // k for k in (8, 4, 2, 1)]
        loads = [self.lost(n, rng) for n in sizes]
        limit, slope = intercept([n ** (-2 / 3) for n in sizes], loads)
        other, _ = intercept([n**-0.5 for n in sizes], loads)
        places = [n ** (-2 / 3) for n in sizes]
        figure = Figure(
            "Load at which the pattern is lost",
            x="n to the power -2/3",
            y="patterns per neuron",
            marks=(
                Points(places, loads, label=f"n = {sizes[0]} to {sizes[-1]}"),
                Curve([limit, limit + slope * places[0]], x=[0.0, places[0]], label="line"),
                Level(critical_load(), label="mean-field theory"),
            ),
        )
        numbers = {f"at n = {n}": load for n, load in zip(sizes, loads, strict=True)}
        return Outcome(limit, (figure,), numbers=numbers | {"with the power -1/2": other})

    def lost(self, n: int, rng: Generator) -> float:
        """The load at which the mean overlap falls below ``LOST``, by bisection."""
        low, high = 0.10, 0.26
        for _ in range(self.halvings):
            middle = (low + high) / 2
            kept = self.end_overlap(round(middle * n), n, rng) > LOST
            low, high = (middle, high) if kept else (low, middle)
        return (low + high) / 2

    def end_overlap(self, s: int, n: int, rng: Generator) -> float:
        """The mean over networks and start patterns."""
        found = []
        for _ in range(max(1, self.neurons // n)):
            P = random_patterns(s, n, rng=rng, dtype=torch.float32)
            probes = P[: self.probes]
            found.append(overlap(Hopfield.store(P).async_run(probes).states, probes).mean())
        return float(torch.stack(found).mean())


def intercept(x: list[float], y: list[float]) -> tuple[float, float]:
    """Least-squares line: its value at 0, and its slope.

    Example:
        >>> intercept([1.0, 2.0], [3.0, 5.0])
        (1.0, 2.0)
    """
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    spread = sum((a - mean_x) ** 2 for a in x)
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread
    return mean_y - slope * mean_x, slope
