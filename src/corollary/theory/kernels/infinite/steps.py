"""The steps of a network: which layouts they need, and how they are run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.compiled import Backend
from corollary.theory.kernels.infinite.layers import Layer
from corollary.theory.kernels.infinite.state import State


@dataclass(frozen=True)
class Step:
    """A layer and the value it reads, or a sum of values. Value 0 is the input of the network."""

    layer: Layer | None  # None: the values are added up
    inputs: tuple[int, ...]
    path: str  # its name in error messages


class Plan(NamedTuple):
    """Layouts that a network needs."""

    full: bool  # pairs of positions, because positions are averaged
    self_full: bool  # also for each input with itself, because variances follow the averaging


def plan(steps: Sequence[Step]) -> Plan:
    """Read the needs off the layers; steps are in an order in which they can be run."""
    mixed = self_full = False
    for step in steps:
        if step.layer is None:
            continue
        mixed = mixed or step.layer.mixes
        self_full = self_full or (mixed and step.layer.nonlinear)
    return Plan(mixed, self_full)


def run(steps: Sequence[Step], state: State) -> State:
    """Carry a state through the steps, forgetting what is not read again."""
    last = {i: k for k, step in enumerate(steps) for i in step.inputs}
    values: dict[int, State] = {0: state}
    for k, step in enumerate(steps):
        read = [values[i] for i in step.inputs]
        try:
            values[k + 1] = added(read) if step.layer is None else step.layer(read[0])
        except InputError as error:
            raise InputError(f"at '{step.path}': {error}") from None
        for i in set(step.inputs):
            if last[i] == k:
                del values[i]
    return values[len(steps)]


def added(states: Sequence[State]) -> State:
    """The sum of independent values."""
    total = states[0]
    for other in states[1:]:
        if total.nngp.shape != other.nngp.shape:
            raise InputError(
                f"a sum needs branches of one shape, but theirs are "
                f"{tuple(total.nngp.shape)} and {tuple(other.nngp.shape)}"
            )
        kept = total.q1 is not None and other.q1 is not None
        total = replace(
            total,
            nngp=total.nngp + other.nngp,
            ntk=None if total.ntk is None else total.ntk + other.ntk,
            q1=total.q1 + other.q1 if kept else None,
            q2=total.q2 + other.q2 if kept else None,
        )
    return total


def first_state(
    x: Tensor,
    y: Tensor,
    layouts: Plan,
    *,
    ntk: bool,
    paired: bool,
    channels: Literal["first", "last"],
    backend: Backend = "torch",
) -> State:
    """Inner products of the inputs over channels, in float64."""
    a, b = (rows(t, channels) for t in (x, y))  # (n, *positions, channels)
    axes = a.ndim - 2
    full, self_full = layouts.full and axes > 0, layouts.self_full and axes > 0
    nngp = products(a, b, full=full, paired=paired)
    q1 = products(a, a, full=self_full, paired=True)
    q2 = q1 if y is x else products(b, b, full=self_full, paired=True)
    zero = torch.zeros_like(nngp) if ntk else None
    return State(nngp, zero, q1, q2, axes, full, self_full, paired, backend)


def rows(t: Tensor, channels: Literal["first", "last"]) -> Tensor:
    """Inputs in float64 with channels last."""
    t = t.double()
    return t.movedim(1, -1) if t.ndim > 2 and channels == "first" else t


def products(a: Tensor, b: Tensor, *, full: bool, paired: bool) -> Tensor:
    """Mean products over channels, at equal positions or at all pairs of them."""
    letters = "hw"[: a.ndim - 2] if a.ndim < 5 else "hwt"
    second = letters.upper() if full else letters
    joined = letters + second if full else letters
    left, right = ("n", "n") if paired else ("n", "m")
    rule = f"{left}{letters}c,{right}{second}c->{'n' if paired else 'nm'}{joined}"
    return torch.einsum(rule, a, b) / a.shape[-1]
