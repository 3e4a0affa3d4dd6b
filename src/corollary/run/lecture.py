"""Carries out a lecture: its instant claims are checked, and its proofs evaluated."""

from typing import TYPE_CHECKING, NamedTuple

from corollary.courses.catalogue import Lecture
from corollary.registry import COSTS

if TYPE_CHECKING:
    from corollary.core.derivation import Derivation
    from corollary.core.result import Result


class CarriedOut(NamedTuple):
    """The outcomes of a lecture, by the names of its claims."""

    results: "dict[str, Result]"
    proofs: "dict[str, Derivation]"


def carry_out(lecture: Lecture, *, seed: int = 0, jobs: int = 1) -> CarriedOut:
    """Check the instant claims at their defaults, and carry out every proof."""
    from corollary.run.check import run
    from corollary.run.prove import prove

    instant = [claim for claim in lecture.claims if claim.cost == COSTS[0]]
    results = run(instant, seed=seed, jobs=jobs).results if instant else ()
    return CarriedOut(
        {result.name: result for result in results},
        {claim.name: prove(claim.name, seed=seed) for claim in lecture.claims if claim.proof},
    )
