r"""Some k elements do as well as the average draw.

If X lies in the closed convex hull of a set S in a Hilbert space, then for every k there are
:math:`U_1,\dots,U_k\in S` with

.. math:: \Bigl\|X-\frac1k\sum_{i\le k}U_i\Bigr\|^2\le\frac{\sup_{U\in S}\|U\|^2}k .

They are found by drawing a few times and keeping the best. For X outside the hull there is no such
rate.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 28 and Section 4.4, Problem 2b; Pisier
    (1981), Remarques sur un résultat non publié de B. Maurey.
:kind: bound
:cost: instant
:covers: maurey-lemma
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, generator, option

SIZES = (1, 4, 16, 64, 256)


class Given(NamedTuple):
    """Atoms, probabilities, a target, and a seed for the draws."""

    atoms: Float[Tensor, "N D"]
    p: Float[Tensor, " N"]
    X: Float[Tensor, " D"]
    seed: int


@dataclass(frozen=True)
class MaureyChoice(Claim[Given]):
    """The best of several draws at growing k."""

    N: int = option(50, low=2, high=1000)  # atoms
    trials: int = option(20, low=1, high=1000)  # draws of which the best is kept
    relation = at_most()  # the best draw is below the bound by far more than rounding

    def given(self, rng: Generator) -> Given:
        """Vectors in 20 dimensions, and their mean."""
        atoms = torch.randn(self.N, 20, generator=rng, dtype=torch.float64)
        p = torch.rand(self.N, generator=rng, dtype=torch.float64)
        p = p / p.sum()
        return Given(atoms, p, p @ atoms, int(torch.randint(2**31, (1,), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The target is the mean."""
        off = float((given.X - given.p @ given.atoms).norm())
        yield Hypothesis("X is the mean of the atoms", off < 1e-9, f"off by {off:.2g}")

    def predict(self, given: Given) -> list[float]:
        """The bound at each k."""
        return [float(given.atoms.square().sum(1).max()) / k for k in SIZES]

    def measure(self, given: Given) -> list[float]:
        """The best draw at each k."""
        return [float(errors.min()) for errors in _errors(given, self.trials)]

    def counterexample(self, rng: Generator) -> Given:
        """Twice as far out as the longest atom."""
        given = self.given(rng)
        longest = given.atoms[int(given.atoms.norm(dim=1).argmax())]
        return given._replace(X=2 * longest)

    def figure(self, given: Given) -> Figure:
        """Best, mean and bound."""
        errors = _errors(given, self.trials)
        return Figure(
            "A few atoms stand for their mean",
            x="k",
            y="squared error",
            log_x=True,
            log_y=True,
            marks=(
                Curve(self.predict(given), SIZES, label="sup ‖U‖² / k", role="predicted"),
                Points(SIZES, [float(e.mean()) for e in errors], label="mean and range of draws",
                       role="other", low=[float(e.min()) for e in errors],
                       high=[float(e.max()) for e in errors]),
                Points(SIZES, self.measure(given), label="best draw"),
            ),
        )  # fmt: skip


@lru_cache(maxsize=4)
def _errors(given: Given, trials: int) -> list[Tensor]:
    rng = generator(given.seed)
    out = []
    for k in SIZES:
        drawn = torch.multinomial(given.p, trials * k, replacement=True, generator=rng)
        means = given.atoms[drawn.reshape(trials, k)].mean(1)
        out.append((means - given.X).square().sum(1))
    return out
