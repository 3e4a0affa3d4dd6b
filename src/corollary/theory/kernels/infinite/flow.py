r"""What makes the recursion exact: Gaussian inputs to activations, independent summands.

The output of a layer with fresh weights is Gaussian with mean zero in the limit; pooling, sums of
such outputs and layer norm keep that, activations do not. Two summands are uncorrelated if the
sign of one of them can be flipped by flipping weights that the other does not see. Both facts are
followed through the graph here, and a network outside of them is refused with a reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from corollary.errors import InputError
from corollary.theory.kernels.infinite.steps import Step


@dataclass(frozen=True)
class Fact:
    """What is known of a value."""

    gaussian: bool  # mean zero and Gaussian in the limit
    flips: frozenset[int]  # steps whose joint change of sign changes its sign; empty: none known
    sees: frozenset[int]  # all steps with weights that it depends on


def check_flow(steps: Sequence[Step]) -> None:
    """Raise :class:`InputError` at the first step the recursion is not exact for."""
    facts = [Fact(gaussian=False, flips=frozenset(), sees=frozenset())]
    for k, step in enumerate(steps):
        read = [facts[i] for i in step.inputs]
        facts.append(_sum(step, read) if step.layer is None else _layer(step, read[0], k))
    if not steps:
        raise InputError("a network needs at least one layer")


def _layer(step: Step, fact: Fact, k: int) -> Fact:
    layer = step.layer
    if layer.random:
        return Fact(True, frozenset({k}), fact.sees | {k})
    if not layer.nonlinear:
        return fact
    if not fact.gaussian:
        raise InputError(
            f"'{step.path}' ({type(layer).__name__}) needs Gaussian inputs, but it follows the "
            "data, an activation, or a sum that contains one; put a Dense or Conv layer before "
            "it, or use sampled_kernels for a Monte-Carlo estimate"
        )
    keeps = not hasattr(layer, "function")  # a normalisation keeps sign and limit law
    return Fact(keeps, fact.flips if keeps else frozenset(), fact.sees)


def _sum(step: Step, read: list[Fact]) -> Fact:
    total = read[0]
    for other in read[1:]:
        free = (total.flips and not total.flips & other.sees) or (
            other.flips and not other.flips & total.sees
        )
        if not free:
            raise InputError(
                f"'{step.path}' adds values that are correlated; each branch of a sum but one "
                "needs a Dense or Conv layer of its own with no activation after it"
            )
        both = total.flips and other.flips
        apart = both and not total.flips & other.sees and not other.flips & total.sees
        flips = total.flips | other.flips if apart else frozenset()
        total = Fact(total.gaussian and other.gaussian, flips, total.sees | other.sees)
    return total
