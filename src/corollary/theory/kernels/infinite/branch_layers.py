r"""Branches that meet: added up, put side by side along channels, or multiplied.

With kernels :math:`K_i, \Theta_i` of the branches,

* a sum has :math:`K = \sum_i K_i` and :math:`\Theta = \sum_i \Theta_i`;
* channels side by side have :math:`K = \sum_i p_i K_i` and :math:`\Theta = \sum_i p_i \Theta_i`;
* a product has :math:`K = \prod_i K_i` and :math:`\Theta = \sum_i \Theta_i \prod_{j \ne i} K_j`,

:math:`p_i` the share of channels of a branch. The first needs uncorrelated branches, the last
independent ones; channels side by side need neither, because the layer that reads them has a
weight of its own for each. :mod:`corollary.theory.kernels.infinite.flow` checks that.

:source: Novak et al. (2020), "Neural Tangents: fast and easy infinite neural networks in Python"
    (the same three joins); Yang (2020), "Tensor programs II: neural tangent kernel for any
    architecture" (branches with weights of their own are independent in the limit).
"""

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import ClassVar

from torch import Tensor

from corollary.errors import InputError
from corollary.theory.kernels.infinite.state import State

Rule = Callable[[Sequence[Tensor]], Tensor]


@dataclass(frozen=True)
class Join(ABC):
    """A map from the states of several branches to one."""

    mixes: ClassVar[bool] = False
    nonlinear: ClassVar[bool] = False
    own_graphs: ClassVar[bool] = False
    verb: ClassVar[str]  # what it does, in messages

    def __call__(self, states: Sequence[State]) -> State:
        """Covariances after the branches met."""
        for a, b in pairwise(states):
            if a.nngp.shape != b.nngp.shape:
                raise InputError(
                    f"{self.verb} needs branches of the same shape, got {tuple(a.nngp.shape)} "
                    f"and {tuple(b.nngp.shape)}"
                )
        return self.join(states)

    @abstractmethod
    def join(self, states: Sequence[State]) -> State:
        """The rule, for states of one shape."""


def plus(parts: Sequence[Tensor]) -> Tensor:
    """All parts added."""
    return reduce(operator.add, parts)


def times(parts: Sequence[Tensor]) -> Tensor:
    """All parts multiplied."""
    return reduce(operator.mul, parts)


def combined(rule: Rule, parts: Sequence[Tensor | None]) -> Tensor | None:
    """A rule applied to what all branches still have."""
    kept = [part for part in parts if part is not None]
    return rule(kept) if len(kept) == len(parts) else None


def joined(states: Sequence[State], rule: Rule, ntk: Tensor | None, alike: bool) -> State:
    """The first state with covariances by a rule."""
    q1 = combined(rule, [s.q1 for s in states])
    shared = all(s.q2 is s.q1 for s in states)
    q2 = q1 if shared else combined(rule, [s.q2 for s in states])
    nngp = rule([s.nngp for s in states])
    return replace(states[0], nngp=nngp, ntk=ntk, q1=q1, q2=q2, alike=alike)


@dataclass(frozen=True)
class AddUp(Join):
    """The sum of uncorrelated values."""

    verb = "a sum"

    def join(self, states: Sequence[State]) -> State:
        """Every covariance is added."""
        ntk = combined(plus, [s.ntk for s in states])
        return joined(states, plus, ntk, all(s.alike for s in states))


@dataclass(frozen=True)
class SideBySide(Join):
    """Channels of several values one after the other, by their shares."""

    verb = "a concatenation"
    shares: tuple[float, ...]
    flat: bool = False  # whether it is right only where no positions are left

    def join(self, states: Sequence[State]) -> State:
        """Means over all channels."""
        if self.flat and states[0].axes:
            raise InputError(
                "torch.cat concatenates along an axis of positions; concatenate along "
                "channels, or describe the module with network(...)"
            )

        def mean(parts: Sequence[Tensor]) -> Tensor:
            return plus([p * part for p, part in zip(self.shares, parts, strict=True)])

        ntk = combined(mean, [s.ntk for s in states])
        return joined(states, mean, ntk, len(states) == 1 and states[0].alike)


@dataclass(frozen=True)
class MultiplyUp(Join):
    """The product of independent values."""

    verb = "a product"

    def join(self, states: Sequence[State]) -> State:
        """Covariances multiply; the tangent kernel follows the product rule."""
        if sum(not s.alike for s in states) > 1:
            raise InputError(
                "in a product, the channels of all branches but one must have the same "
                "distribution; two of these branches are data, flattened positions or "
                "concatenations; put a Dense layer after them"
            )

        k, ntk = states[0].nngp, states[0].ntk
        for other in states[1:]:
            if ntk is not None and other.ntk is not None:
                ntk, k = ntk * other.nngp + k * other.ntk, k * other.nngp
        return joined(states, times, ntk, all(s.alike for s in states))
