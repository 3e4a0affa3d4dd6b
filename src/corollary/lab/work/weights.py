"""The weights of the playground's network: one by one, and under an L1 penalty."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from corollary.errors import InputError


def all_weights(model: nn.Module) -> Iterator[nn.Parameter]:
    """All that are penalised: not the biases."""
    return (p for p in model.parameters() if p.ndim > 1)


def weight_at(
    model: nn.Sequential, layer: int, unit: int, source: int | None
) -> tuple[Tensor, tuple[int, ...]]:
    """The parameter and the place in it of one weight; the source ``None`` is the bias.

    Example:
        >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
        >>> parameter, at = weight_at(model, 1, 0, 2)
        >>> parameter is model[2].weight, at
        (True, (0, 2))
    """
    linear = [part for part in model if isinstance(part, nn.Linear)]
    if not 0 <= layer < len(linear):
        raise InputError(f"expected a layer from 0 to {len(linear) - 1}, got {layer}")
    into = linear[layer]
    if not 0 <= unit < into.out_features:
        raise InputError(
            f"expected a unit between 0 and {into.out_features - 1} in layer {layer}, got {unit}"
        )
    if source is None:
        return into.bias, (unit,)
    if not 0 <= source < into.in_features:
        raise InputError(
            f"expected an input between 0 and {into.in_features - 1} of layer {layer}, got {source}"
        )
    return into.weight, (unit, source)


@torch.no_grad()
def shrink_(
    optimizer: torch.optim.Optimizer, weights: list[nn.Parameter], before: list[Tensor], l1: float
) -> None:
    """The second half of a proximal step: weights move towards zero by the learning rate times l1.

    The gradient step has been taken. What does not reach across zero stays there: that is the
    minimiser of l1 times the size of the weight plus its squared distance over twice the learning
    rate. A velocity becomes that of the whole step from ``before``, as in the inertial proximal
    method, so that training rests where the penalised loss is stationary and nowhere else.

    Example:
        >>> w = nn.Parameter(torch.tensor([[1.0, -0.05]]))
        >>> shrink_(torch.optim.SGD([w], lr=0.5), [w], [w.detach().clone()], l1=0.5)
        >>> w.abs().tolist()
        [[0.75, 0.0]]

    :source: Ochs, Chen, Brox and Pock (2014), "iPiano: inertial proximal algorithm for nonconvex
        optimization", Algorithm 1.
    """
    lr = float(optimizer.param_groups[0]["lr"])
    for weight, old in zip(weights, before, strict=True):
        weight.copy_(torch.nn.functional.softshrink(weight, lr * l1))
        state: dict[str, Any] = optimizer.state[weight]
        if state.get("momentum_buffer") is not None:
            state["momentum_buffer"].copy_((old - weight) / lr)
