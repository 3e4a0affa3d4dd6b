"""The change that makes a network transfer: initial scales, learning rates, multipliers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from corollary.theory.scaling.abc import ABC, Optimizer, Role
from corollary.train.scaling.roles import Growth, owned


@dataclass(frozen=True)
class Change:
    r"""What to change at one parameter, as exponents of its growth m (minus signs as in abc).

    The initial scale is multiplied by :math:`m^{-b}`, the learning rate by :math:`m^{-c}` and the
    weight decay by :math:`m^{c}`, so that their product stays; what a layer is given is multiplied
    by :math:`m^{-a}`.
    """

    name: str
    role: Role
    by: ABC
    scores: bool = False  # whether it is attention, whose scores are multiplied

    @property
    def nothing(self) -> bool:
        """Whether all stays as it is."""
        return self.by == ABC(0, 0, 0)


def ratio(growth: Growth) -> float:
    """How much wider a parameter is: its fan-in, or its fan-out where the fan-in does not grow.

    Example:
        >>> ratio(Growth(Role.INPUT, 1.0, 4.0)), ratio(Growth(Role.OUTPUT, 2.0, 1.0))
        (4.0, 2.0)
    """
    return growth.fan_in if growth.role.f else growth.fan_out


def scale_factors(changes: Iterable[Change], grown: Mapping[str, Growth]) -> dict[str, float]:
    """The factor of the initial weights of every parameter."""
    return {c.name: ratio(grown[c.name]) ** -c.by.b for c in changes}


def rescale(model: nn.Module, factors: Mapping[str, float]) -> None:
    """Multiply the initial weights."""
    parameters = {name: parameter for name, (_, parameter) in owned(model)}
    with torch.no_grad():
        for name, factor in factors.items():
            parameters[name].mul_(factor)


def split_groups(
    groups: Sequence[dict[str, Any]], factors: Mapping[nn.Parameter, float]
) -> list[dict[str, Any]]:
    """Groups of an optimizer with the learning rate of each parameter multiplied by its factor.

    Weight decay is divided by it: what a step takes off the weights stays the same.

    Example:
        >>> w, v = nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(3))
        >>> split = split_groups([{"params": [w, v], "lr": 0.1, "weight_decay": 0.5}], {w: 0.5})
        >>> [(len(g["params"]), g["lr"], g["weight_decay"]) for g in split]
        [(1, 0.05, 1.0), (1, 0.1, 0.5)]
    """
    out = []
    for group in groups:
        parts: dict[float, list[nn.Parameter]] = {}
        for parameter in group["params"]:
            parts.setdefault(factors.get(parameter, 1.0), []).append(parameter)
        for factor, parameters in parts.items():
            part = group | {"params": parameters, "lr": group["lr"] * factor}
            if group.get("weight_decay"):
                part["weight_decay"] = group["weight_decay"] / factor
            out.append(part)
    return out


def rate_factors(
    model: nn.Module,
    changes: Iterable[Change],
    grown: Mapping[str, Growth],
    optimizer: Optimizer,
) -> dict[nn.Parameter, float]:
    """The factor of the learning rate of every parameter that has one.

    A hidden matrix of another shape, whose fan-out grows more than its fan-in, has a smaller
    gradient in proportion, which SGD makes up for.
    """
    parameters = {name: parameter for name, (_, parameter) in owned(model)}
    factors = {}
    for change in changes:
        g = grown[change.name]
        hidden = change.role is Role.HIDDEN and optimizer is Optimizer.SGD
        shape = g.fan_out / g.fan_in if hidden else 1.0
        factors[parameters[change.name]] = shape * ratio(g) ** -change.by.c
    return factors


def multiply_inputs(layer: nn.Module, factor: float) -> None:
    """Multiply what a layer is given; its bias, its weights and the state dict stay as they are."""

    def multiplied(_: nn.Module, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        return (inputs[0] * factor, *inputs[1:])

    layer.register_forward_pre_hook(multiplied)
