r"""Exponents of activations, gradients and updates, derived from a parametrisation.

Sizes are of single entries, as powers of the width n. A matrix with exponents (a, b, c), fan-in
:math:`n^f` and fan-out :math:`n^o` maps activations of size :math:`n^x` and gradients
:math:`n^g` of its output so:

* forward, a sum of :math:`n^f` independent terms: :math:`x\mapsto x+f/2-a-b`;
* backward, :math:`n^o` of them: :math:`g\mapsto g+o/2-a-b`;
* its own update moves its output by :math:`\Delta W\,x`. For SGD :math:`\Delta W=-\eta n^{-2a-c}
  g x^\top`, and :math:`x^\top x` is a sum of :math:`n^f` terms of one sign:
  :math:`-2a-c+g+2x+f`. For Adam the entries of :math:`\Delta w` are signs of :math:`g x^\top`, so
  :math:`-a-c+x+f`;
* a change d of its input moves its output by :math:`d+\max(f/2,\,f-o/2)-a-b`: the change points
  along :math:`W^\top g`, and where o < f the sum of :math:`n^f` products has one sign.

A norm sets x to 0 and divides changes and gradients by its input's size; at the sum of a residual
branch the larger exponent wins. These are the laws of one small step from the initial weights.

:source: Yang and Hu (2021), "Tensor programs IV", Sections 3 and 5 and Theorem 3.3; Yang, Simon and
    Bernstein (2023), "A spectral condition for feature learning", Section 3.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corollary.theory.scaling.abc import ABC, Optimizer, Parametrisation, Role


@dataclass(frozen=True)
class Weight:
    """A matrix of a network: its name, role and exponents."""

    name: str
    role: Role
    abc: ABC

    @property
    def forward(self) -> float:
        """What it adds to the exponent of its input."""
        return self.role.f / 2 - self.abc.a - self.abc.b

    @property
    def backward(self) -> float:
        """What it adds to the exponent of the gradient of its output."""
        return self.role.o / 2 - self.abc.a - self.abc.b

    @property
    def along(self) -> float:
        """What it adds to the exponent of a change that its own gradient made."""
        f, o = self.role.f, self.role.o
        return max(f / 2, f - o / 2) - self.abc.a - self.abc.b

    def own_update(self, x: float, g: float, optimizer: Optimizer) -> float:
        """The exponent of the change of its output by one step on itself."""
        a, _, c = self.abc
        if optimizer is Optimizer.ADAM:
            return -a - c + x + self.role.f
        return -2 * a - c + g + 2 * x + self.role.f


@dataclass(frozen=True)
class Norm:
    """A normalisation of activations."""


@dataclass(frozen=True)
class Residual:
    """A branch that is added to its input."""

    branch: "tuple[Stage, ...]"


Stage = Weight | Norm | Residual


class Sizes(NamedTuple):
    """Exponents at one weight, for a small step from the initial weights."""

    activation: float  # of its output
    gradient: float  # of the loss in its output
    update: float  # change of its output by the step on itself
    logits: float  # change of the network's output by the step on this weight alone


def exponents(stages: Sequence[Stage], optimizer: Optimizer) -> dict[str, Sizes]:
    """The exponents at every weight, for inputs and loss gradients of order one.

    Example:
        >>> from corollary.theory.scaling.abc import STANDARD
        >>> found = exponents(chain(2, STANDARD, Optimizer.SGD), Optimizer.SGD)
        >>> [(name, sizes.update, sizes.logits) for name, sizes in found.items()]
        [('input', -0.5, 0.0), ('hidden 1', 0.5, 1.0), ('output', 1.0, 1.0)]
    """
    passes = _Passes(optimizer)
    passes.forward(stages, 0.0)
    passes.backward(stages, 0.0)
    found = {}
    for weight in weights_of(stages):
        at = passes.at[id(weight)]
        own = weight.own_update(at.x, at.g, optimizer)
        logits = passes.change(stages, -math.inf, weight, own)
        found[weight.name] = Sizes(at.x + weight.forward, at.g, own, logits)
    return found


@dataclass
class _At:
    """What enters a stage, and the gradient of what leaves it."""

    x: float
    g: float = 0.0


class _Passes:
    """Activations forward, gradients backward, and the change by one weight forward."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.at: dict[int, _At] = {}  # by identity: two norms are equal

    def forward(self, stages: Sequence[Stage], x: float) -> float:
        for stage in stages:
            self.at[id(stage)] = _At(x)
            if isinstance(stage, Weight):
                x += stage.forward
            else:
                x = 0.0 if isinstance(stage, Norm) else max(x, self.forward(stage.branch, x))
        return x

    def backward(self, stages: Sequence[Stage], g: float) -> float:
        for stage in reversed(stages):
            at = self.at[id(stage)]
            at.g = g
            if isinstance(stage, Weight):
                g += stage.backward
            else:
                g = g - at.x if isinstance(stage, Norm) else max(g, self.backward(stage.branch, g))
        return g

    def change(self, stages: Sequence[Stage], d: float, moved: Weight, own: float) -> float:
        for stage in stages:
            if isinstance(stage, Weight):
                d = own if stage is moved else d + stage.along
            elif isinstance(stage, Norm):
                d -= self.at[id(stage)].x
            else:
                d = max(d, self.change(stage.branch, d, moved, own))
        return d


def chain(
    hidden: int, parametrisation: Parametrisation, optimizer: Optimizer
) -> tuple[Weight, ...]:
    """A network without branches: input, ``hidden - 1`` hidden matrices, output.

    Example:
        >>> from corollary.theory.scaling.abc import MUP
        >>> [w.name for w in chain(2, MUP, Optimizer.SGD)]
        ['input', 'hidden 1', 'output']
    """
    names = ["input", *(f"hidden {k}" for k in range(1, hidden)), "output"]
    roles = [Role.INPUT, *[Role.HIDDEN] * (hidden - 1), Role.OUTPUT]
    return tuple(
        Weight(name, role, parametrisation.of(role, optimizer))
        for name, role in zip(names, roles, strict=True)
    )


def weights_of(stages: Iterable[Stage]) -> Iterator[Weight]:
    """The weights within stages, in order."""
    for stage in stages:
        if isinstance(stage, Weight):
            yield stage
        elif isinstance(stage, Residual):
            yield from weights_of(stage.branch)
