r"""What makes the recursion exact: Gaussian inputs to activations, independent branches.

The output of a layer with fresh weights is Gaussian with mean zero in the limit; pooling, sums of
such outputs and layer norm keep that, activations do not. Two summands are uncorrelated if the
sign of one of them can be flipped by flipping weights that the other does not see; two factors are
independent if the last weights before them are not the same ones. These facts are followed through
the graph here, and a network outside of them is refused with a reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

from corollary.errors import InputError
from corollary.theory.kernels.infinite.branch_layers import Join, MultiplyUp, SideBySide
from corollary.theory.kernels.infinite.layers import Layer
from corollary.theory.kernels.infinite.steps import Step


@dataclass(frozen=True)
class Fact:
    """What is known of a value."""

    gaussian: bool  # mean zero and Gaussian in the limit
    flips: frozenset[int]  # steps whose joint change of sign changes its sign; empty: none known
    sees: frozenset[int]  # all steps with weights that it depends on
    last: frozenset[int]  # those of them that no other such step stands after


def check_flow(steps: Sequence[Step]) -> None:
    """Raise :class:`InputError` at the first step the recursion is not exact for."""
    none: frozenset[int] = frozenset()
    facts = [Fact(gaussian=False, flips=none, sees=none, last=none)]
    for k, step in enumerate(steps):
        read = [facts[i] for i in step.inputs]
        layer = step.layer
        facts.append(
            _joined(step, read) if isinstance(layer, Join) else _layer(layer, step, read[0], k)
        )
    if not steps:
        raise InputError("a network needs at least one layer")


def _layer(layer: Layer, step: Step, fact: Fact, k: int) -> Fact:
    own = frozenset({k})
    if layer.random:
        return Fact(True, own, fact.sees | own, own)
    if layer.drops:
        if not fact.sees:
            raise InputError(
                f"'{step.path}' applies dropout to the data, which has finitely many entries; "
                "put a Dense or Conv layer before it"
            )
        return replace(fact, gaussian=False)
    if not layer.nonlinear:
        return fact
    if not fact.gaussian:
        raise InputError(
            f"'{step.path}' ({type(layer).__name__}) needs Gaussian inputs, but it follows the "
            "data, an activation, dropout, a concatenation, a product, or a sum of these; put a "
            "Dense or Conv layer before it, or use sampled_kernels for a Monte-Carlo estimate"
        )
    keeps = not hasattr(layer, "function")  # a normalisation keeps sign and limit law
    return Fact(keeps, fact.flips if keeps else frozenset(), fact.sees, fact.last)


def _joined(step: Step, read: list[Fact]) -> Fact:
    if isinstance(step.layer, SideBySide):
        return replace(reduce(_both, read), gaussian=False)
    return _product(step, read) if isinstance(step.layer, MultiplyUp) else _sum(step, read)


def _both(a: Fact, b: Fact) -> Fact:
    """Two values at once: their signs can be flipped together if neither undoes the other."""
    both = a.flips and b.flips
    apart = both and not a.flips & b.sees and not b.flips & a.sees
    flips = a.flips | b.flips if apart else frozenset()
    return Fact(a.gaussian and b.gaussian, flips, a.sees | b.sees, a.last | b.last)


def _product(step: Step, read: list[Fact]) -> Fact:
    total = read[0]
    for other in read[1:]:
        if total.last & other.last:
            raise InputError(
                f"'{step.path}' multiplies values that depend on each other; in a product, "
                "all branches but one need a Dense or Conv layer of their own"
            )
        flips = total.flips if not total.flips & other.sees else frozenset()
        flips = flips or (other.flips if not other.flips & total.sees else frozenset())
        total = Fact(False, flips, total.sees | other.sees, total.last | other.last)
    return total


def _sum(step: Step, read: list[Fact]) -> Fact:
    total = read[0]
    for other in read[1:]:
        free = (total.flips and not total.flips & other.sees) or (
            other.flips and not other.flips & total.sees
        )
        if not free:
            raise InputError(
                f"'{step.path}' adds values that are correlated; in a sum, all branches but "
                "one need a Dense or Conv layer of their own, with no activation after it"
            )
        total = _both(total, other)
    return total
