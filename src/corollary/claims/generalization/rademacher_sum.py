r"""Rademacher complexity of a sum of classes.

.. math:: \hat{\mathcal R}_S(\mathcal F+\mathcal F')=
   \hat{\mathcal R}_S(\mathcal F)+\hat{\mathcal R}_S(\mathcal F'),\qquad
   \mathcal F+\mathcal F'=\{f+f':f\in\mathcal F,f'\in\mathcal F'\},

because the two suprema can be taken one after the other. The inequality of the notes is an equality
for the full sum; it is strict when only some pairs are allowed.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.5, Problem 1a; Bartlett and
    Mendelson (2002), "Rademacher and Gaussian complexities: risk bounds and structural results",
    Theorem 12.
:kind: identity
:covers: rademacher-sum-of-classes
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.theory.generalization.rademacher import rademacher_complexity, sum_of_classes


class Given(NamedTuple):
    """Two finite classes, and the sums that are allowed."""

    F: Float[Tensor, "a m"]
    G: Float[Tensor, "b m"]
    sums: Float[Tensor, "c m"]


def has_every_pair(given: Given) -> tuple[bool, str]:
    """Sums there are, of those there could be."""
    full = len(given.F) * len(given.G)
    return len(given.sums) == full, f"{len(given.sums)} of {full} sums"


class RademacherSum(Claim[Given]):
    m: int = option(8, low=1, high=12)  # points
    a: int = option(5, low=1, high=40)  # functions of the first class
    b: int = option(7, low=1, high=40)  # functions of the second

    relation = equals(ulps=64, scale=1.0)  # sums over all signs of values of size 1
    supposes = Suppose(
        "every function of one class is added to every function of the other",
        has_every_pair,
        "Only functions with the same index are added.",
        sums=lambda g: g.F[: len(g.G)] + g.G[: len(g.F)],
    )
    symbols = "R_S(F) + R_S(F′)", "R_S(F + F′)"

    def given(self, rng: Generator) -> Given:
        F, G = normal(rng, self.a, self.m), normal(rng, self.b, self.m)
        return Given(F, G, sum_of_classes(F, G))

    def predict(self, given: Given) -> float:
        return rademacher_complexity(given.F) + rademacher_complexity(given.G)

    def measure(self, given: Given) -> float:
        return rademacher_complexity(given.sums)

    @picture("Rademacher complexity of a sum of classes", x="functions in F′")
    def marks(self, trial: Trial[Given]) -> Marks:
        F, G, _ = trial.given
        sizes = list(range(1, len(G) + 1))
        alone = rademacher_complexity(F)
        line = [alone + rademacher_complexity(G[:k]) for k in sizes]
        sums = [sum_of_classes(F, G[:k]) for k in sizes]
        full, some = ([rademacher_complexity(s[::step]) for s in sums] for step in (1, 3))
        yield Curve(line, sizes, label=self.symbols[0], role="predicted")
        yield Points(sizes, full, label="all sums")
        yield Points(sizes, some, label="every third sum", role="other")
