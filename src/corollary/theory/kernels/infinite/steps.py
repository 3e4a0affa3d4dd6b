"""The steps of a network: which layouts they need, and how they are run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.compiled import Backend
from corollary.theory.kernels.infinite.branch_layers import Join
from corollary.theory.kernels.infinite.layers import Layer
from corollary.theory.kernels.infinite.state import State


@dataclass(frozen=True)
class Step:
    """A layer and the value it reads, or a join of values. Value 0 is the input of the network."""

    layer: Layer | Join
    inputs: tuple[int, ...]
    path: str  # its name in error messages


class Plan(NamedTuple):
    """Layouts that a network needs."""

    full: bool  # pairs of positions, because positions are averaged
    self_full: bool  # also for each input with itself, because variances follow the averaging
    graphs: bool = False  # inputs come with their graphs


def plan(steps: Sequence[Step]) -> Plan:
    """Read the needs off the layers; steps are in an order in which they can be run."""
    mixed = self_full = False
    for step in steps:
        mixed = mixed or step.layer.mixes
        self_full = self_full or (mixed and step.layer.nonlinear)
    return Plan(mixed, self_full, any(step.layer.own_graphs for step in steps))


def run(steps: Sequence[Step], state: State) -> State:
    """Carry a state through the steps, forgetting what is not read again."""
    last = {i: k for k, step in enumerate(steps) for i in step.inputs}
    values: dict[int, State] = {0: state}
    for k, step in enumerate(steps):
        read = [values[i] for i in step.inputs]
        try:
            values[k + 1] = _applied(step.layer, read)
        except InputError as error:
            raise InputError(f"at '{step.path}': {error}") from None
        for i in set(step.inputs):
            if last[i] == k:
                del values[i]
    return values[len(steps)]


def _applied(layer: Layer | Join, read: Sequence[State]) -> State:
    if isinstance(layer, Join):
        return layer(read)
    if layer.pointwise and not read[0].alike:
        raise InputError(
            f"{type(layer).__name__} follows Flatten, where variances differ from unit to unit; "
            "put it before Flatten, which gives the same network"
        )
    return layer(read[0])


def first_state(
    x: Tensor,
    y: Tensor,
    layouts: Plan,
    *,
    ntk: bool,
    paired: bool,
    channels: Literal["first", "last"],
    backend: Backend = "torch",
    same: int | None = None,
) -> State:
    """Inner products of the inputs over channels, in float64."""
    a, b = (rows(t, channels) for t in (x, y))  # (n, *positions, channels)
    graphs = None
    if layouts.graphs:
        (a, first), (b, second) = split(a, channels), split(b, channels)
        graphs = first, first if y is x else second
    axes = a.ndim - 2
    full, self_full = layouts.full and axes > 0, layouts.self_full and axes > 0
    nngp = products(a, b, full=full, paired=paired)
    q1 = products(a, a, full=self_full, paired=True)
    q2 = q1 if y is x else products(b, b, full=self_full, paired=True)
    if same is not None and not paired and full == self_full:
        own = torch.diagonal(nngp, same)  # inputs with themselves: their variances, to the last bit
        start = max(0, -same)
        own.copy_(q1[start : start + own.shape[-1]].movedim(0, -1))
    zero = torch.zeros_like(nngp) if ntk else None
    return State(
        nngp,
        zero,
        q1,
        q2,
        axes,
        full,
        self_full,
        paired,
        backend,
        alike=False,
        graphs=graphs,
        same=same,
    )


def split(t: Tensor, channels: Literal["first", "last"]) -> tuple[Tensor, Tensor]:
    """Features and graphs of ``(n, nodes, features + nodes)``."""
    if channels == "first" or t.ndim != 3 or t.shape[2] <= t.shape[1]:
        raise InputError(
            "Aggregate() reads graphs that come with the inputs: use graph_inputs(x, adjacency), "
            "and network(..., channels='last')"
        )
    nodes = t.shape[1]
    return t[..., :-nodes], t[..., -nodes:]


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
