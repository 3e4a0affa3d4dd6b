"""From the sizes of networks to their exponents."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from corollary.theory.scaling.abc import Role
from corollary.theory.scaling.depth import Place
from corollary.train.scaling.exponent import Exponent, fitted
from corollary.train.scaling.result import LayerScaling
from corollary.train.scaling.sizes import Measured, Sizes

Runs = Sequence[Sequence[Measured]]  # one row per seed, one entry per width or depth


@dataclass(frozen=True)
class Summary:
    """What was checked, at which sizes."""

    module: str
    optimizer: str
    sizes: tuple[int, ...]
    seeds: int
    steps: int

    def exponent(self, runs: Sequence[Sequence[float]]) -> Exponent:
        """The exponent of one size, one row per seed."""
        return fitted(self.sizes, runs)

    def row(
        self, name: str, role: Role | Place, sizes: list[list[Sizes]], passed: Exponent
    ) -> LayerScaling:
        """The exponents of one layer, or of a group of layers."""
        columns = {
            what: [[float(getattr(s, what)) for s in row] for row in sizes]
            for what in ("given", "activation", "update", "logits", "full")
        }
        slopes: dict[str, Any] = {what: self.exponent(runs) for what, runs in columns.items()}
        means = tuple(map(_mean, zip(*columns["update"], strict=True)))
        return LayerScaling(name, role, passed=passed, **slopes, sizes=means)


def _mean(sizes: Sequence[float]) -> float:
    """Geometric; zero if one of them is."""
    if not all(0 < size < math.inf for size in sizes):
        return 0.0
    return math.exp(sum(map(math.log, sizes)) / len(sizes))
