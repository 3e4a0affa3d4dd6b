r"""The perceptron stops if and only if the data are linearly separable.

Cycling through a finite labelled set, the perceptron reaches a pass without mistakes if and only if
some hyperplane separates the set: a clean pass *is* a separating hyperplane, and on separable
points Novikoff's bound ends the updates. Run for at least that many updates,

.. math:: \text{converged} = \mathbb 1\{\exists\, w:\; y_i\langle w, x_i\rangle > 0 \;\forall i\}.

The prediction is the answer of a linear program, the measurement the perceptron's own end.

:source: Perez Jensen (2025), Deep Learning, Section 1.2, Algorithm 1; Rosenblatt (1958), "The
    perceptron"; Minsky and Papert (1969), Perceptrons, Theorem 11.1.
:kind: algorithm
:uses: novikoff
:covers: perceptron-algorithm
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, option, uniform
from corollary.core.picture import Curve, Marks, picture
from corollary.data.separable import separable_cloud
from corollary.theory.connectionism.max_margin import novikoff_bound
from corollary.theory.connectionism.perceptron import perceptron_fit
from corollary.theory.connectionism.separability import linear_separability


class Given(NamedTuple):
    sets: list[tuple[Float[Tensor, "n d"], Float[Tensor, " n"]]]  # points and labels
    limit: int  # updates allowed


def updates_suffice(given: Given) -> tuple[bool, str]:
    """The limit against Novikoff's bound of every set that is separable."""
    separable = [s for s in given.sets if linear_separability(*s, bias=False)]
    needed = max((novikoff_bound(*s) for s in separable), default=0)
    return given.limit > needed, f"limit {given.limit}, bound {needed}"


class PerceptronTermination(Claim[Given]):
    n: int = option(30, low=4)  # points in each set
    d: int = 3  # dimension
    pairs: int = option(4, low=1, high=20)  # separable sets, and as many with random labels
    gamma: float = option(0.15, low=0.05, high=1.0)  # margin of the separable sets

    relation = equals()  # 0 or 1, nothing is rounded
    supposes = Suppose(
        "the limit is at least Novikoff's bound of every separable set",
        updates_suffice,
        "A limit of one update is below the bound, so the perceptron may not have finished.",
        limit=1,
    )
    symbols = "separable", "the perceptron stops"
    rows = tuple(f"{kind} {k}" for k in range(1, 5) for kind in ("planted margin", "coin flips"))

    def given(self, rng: Generator) -> Given:
        sets = []
        for _ in range(self.pairs):
            x, y, _ = separable_cloud(self.n, self.d, self.gamma, rng=rng)
            coins = torch.where(uniform(rng, self.n) < 0.5, -1.0, 1.0).to(x)
            sets += [(x, y), (x, coins)]
        return Given(sets, int(2 / self.gamma**2) + 1)

    def predict(self, given: Given) -> list[float]:
        return [float(linear_separability(x, y, bias=False).separable) for x, y in given.sets]

    def measure(self, given: Given) -> Kept:
        runs = [perceptron_fit(*s, bias=False, max_updates=given.limit) for s in given.sets]
        return Kept([float(run.converged) for run in runs], runs=runs)

    @picture("Mistakes on separable and on non-separable points", x="points shown", y="M")
    def marks(self, trial: Trial[Given]) -> Marks:
        ends, runs_on = trial.kept.runs[:2]
        yield Curve(range(1, ends.updates + 1), ends.shown, "separable")
        yield Curve(range(1, runs_on.updates + 1), runs_on.shown, "labels by coin flips", "other")
