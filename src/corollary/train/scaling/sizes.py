"""Sizes of activations and of their changes in one network, after small steps and full ones."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from corollary.core.batch import Batch
from corollary.core.nested import mapped, tensors_in
from corollary.core.subject import Subject
from corollary.errors import InputError
from corollary.theory.modules.differentiable import differentiable
from corollary.train.scaling.roles import matrices, owned

TINY = 1e-30  # Adam's epsilon in small steps: gradients fall with the width, and it does not
SMALL = 1e-4  # of the learning rate: the change is a derivative, and float64 keeps its digits


@dataclass(frozen=True)
class Sizes:
    """Root mean squares at one layer of one network."""

    given: float  # what the layer is given, at the start; 1 for indices
    activation: float  # of its output at the start
    update: float  # change of its output by small steps on itself
    logits: float  # change of the network's output by small steps on this layer alone
    full: float  # change of its output by as many full steps on itself


@dataclass(frozen=True)
class Measured:
    """Sizes at every layer in the order of calls, and those of the network's output."""

    layers: dict[str, Sizes]
    output: Sizes
    scales: dict[str, float]  # root mean square of every parameter at the start
    rates: dict[str, float]  # learning rate of every parameter


@dataclass(frozen=True)
class _Call:
    """What a layer was called with, and what it gave."""

    inputs: tuple[Any, ...]
    named: dict[str, Any]
    output: Tensor


def measured(
    subject: Subject, steps: int, together: Callable[[str], str] = lambda name: name
) -> Measured:
    """Train a few steps twice from the same weights: with small steps, and with the user's own.

    The work is done in float64, without dropout and weight decay; the module is changed.

    Args:
        subject: The network, its data and its optimizer.
        steps: Of the optimizer.
        together: From the name of a layer to that of its group; the layers of a group move
            together, and their sizes are one.
    """
    model, optimizer = subject.model.double(), subject.recipe.optimizer
    if optimizer is None:
        raise InputError(f"expected a network with real parameters to train, got {subject.name}")
    batch, watched = _in_double(subject.labelled()), matrix_layers(model)
    _use_batch_statistics(model)
    rates = [float(group["lr"]) for group in optimizer.param_groups]
    with differentiable():
        start = [p.detach().clone() for p in model.parameters()]
        calls, output = _recorded(subject, batch, watched)
        groups: dict[str, list[str]] = {}
        for name in calls:
            groups.setdefault(together(name), []).append(name)

        def answers(names: list[str]) -> list[Tensor]:
            return [found for name in names for found in _answers(watched[name], calls[name])]

        first = {group: answers(names) for group, names in groups.items()}
        _train(subject, batch, [SMALL * rate for rate in rates], steps)
        small_output = size([_output(subject, batch) - output])
        moved = [p.detach().clone() for p in model.parameters()]
        small, through = {}, {}
        for group, names in groups.items():
            with _only(model, [watched[name] for name in names], moved, start):
                small[group] = _distance(answers(names), first[group])
                through[group] = size([_output(subject, batch) - output])
        _assign(model, start)
        _train(subject, batch, rates, steps)
        full_output = size([_output(subject, batch) - output])
        moved, full = [p.detach().clone() for p in model.parameters()], {}
        for group, names in groups.items():
            with _only(model, [watched[name] for name in names], moved, start):
                full[group] = _distance(answers(names), first[group])
        _assign(model, start)
    sizes = {}
    for group, names in groups.items():
        called = [call for name in names for call in calls[name]]
        begun = _given(called), size([call.output for call in called])
        sizes[group] = Sizes(*begun, small[group], through[group], full[group])
    return Measured(
        sizes,
        Sizes(1.0, size([output]), small_output, small_output, full_output),
        {name: size([p.detach()]) for name, (_, p) in owned(model)},
        learning_rates(model, optimizer),
    )


def matrix_layers(model: nn.Module) -> dict[str, nn.Module]:
    """The modules that hold a matrix themselves and no other module, by name; attention is one."""
    return {
        name: module
        for name, module in model.named_modules()
        if matrices(module)
        and (next(module.children(), None) is None or isinstance(module, nn.MultiheadAttention))
    }


def size(parts: list[Tensor]) -> float:
    """Root mean square over all entries.

    Example:
        >>> size([torch.tensor([3.0]), torch.tensor([4.0, 0.0, 0.0])])
        2.5
    """
    count = sum(part.numel() for part in parts)
    return float((sum(float(part.square().sum()) for part in parts) / count) ** 0.5)


def learning_rates(model: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, float]:
    """The learning rate of every parameter by name."""
    rates = {id(p): float(g["lr"]) for g in optimizer.param_groups for p in g["params"]}
    return {name: rates[id(p)] for name, (_, p) in owned(model) if id(p) in rates}


def _train(subject: Subject, batch: Batch, rates: list[float], steps: int) -> None:
    optimizer = subject.recipe.optimizer
    assert optimizer is not None
    given = [dict(group) for group in optimizer.param_groups]
    optimizer.state.clear()
    for group, before, rate in zip(optimizer.param_groups, given, rates, strict=True):
        group["lr"] = rate
        if "eps" in group and rate < before["lr"]:
            group["eps"] = TINY
        if "weight_decay" in group:
            group["weight_decay"] = 0.0  # it shrinks all layers alike and would hide a frozen one
    with torch.enable_grad():
        for _ in range(steps):
            optimizer.zero_grad()
            subject.loss(batch).backward()
            optimizer.step()
    for group, before in zip(optimizer.param_groups, given, strict=True):
        group.update(before)


def _output(subject: Subject, batch: Batch) -> Tensor:
    with torch.no_grad():
        return subject.output(batch).detach()


def _recorded(
    subject: Subject, batch: Batch, watched: dict[str, nn.Module]
) -> tuple[dict[str, list[_Call]], Tensor]:
    """Every call of a layer in one pass, and the output of the network."""
    calls: dict[str, list[_Call]] = {}
    names = {id(module): name for name, module in watched.items()}

    def listen(module: nn.Module, inputs: Any, named: Any, output: Any) -> None:
        found = _first_floats(output)
        if found is not None:
            calls.setdefault(names[id(module)], []).append(_Call(inputs, named, found.clone()))

    hooks = [m.register_forward_hook(listen, with_kwargs=True) for m in watched.values()]
    try:
        output = _output(subject, batch)
    finally:
        for hook in hooks:
            hook.remove()
    return calls, output


def _answers(layer: nn.Module, calls: list[_Call]) -> list[Tensor]:
    """What a layer gives for the inputs it had at the start; hooks have made them what they are."""
    with torch.no_grad():
        given = [layer.forward(*call.inputs, **call.named) for call in calls]
    return [found for found in map(_first_floats, given) if found is not None]


def _distance(after: list[Tensor], before: list[Tensor]) -> float:
    return size([b - a for a, b in zip(before, after, strict=True)])


def _given(calls: list[_Call]) -> float:
    inputs = [_first_floats((call.inputs, call.named)) for call in calls]
    floats = [x for x in inputs if x is not None]
    return size(floats) if floats else 1.0


def _first_floats(output: Any) -> Tensor | None:
    return next((t for t in tensors_in(output) if t.is_floating_point()), None)


@contextmanager
def _only(
    model: nn.Module, layers: list[nn.Module], moved: list[Tensor], start: list[Tensor]
) -> Iterator[None]:
    """The matrices of these layers as they are after the steps, all else as at the start.

    Biases have exponents of their own, and at small widths they would hide that of the matrix.
    """
    mine = {id(p) for layer in layers for p in matrices(layer).values()}
    pairs = zip(model.parameters(), moved, start, strict=True)
    _assign(model, [after if id(p) in mine else before for p, after, before in pairs])
    yield


def _assign(model: nn.Module, values: list[Tensor]) -> None:
    with torch.no_grad():
        for parameter, value in zip(model.parameters(), values, strict=True):
            parameter.copy_(value)


def _use_batch_statistics(model: nn.Module) -> None:
    """Batch norms normalise by the batch, as in training; dropout is off."""
    model.eval()
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.train()


def _in_double(batch: Batch) -> Batch:
    def double(tensor: Tensor) -> Tensor:
        return tensor.double() if tensor.is_floating_point() else tensor

    inputs, named = mapped(double, (batch.inputs, batch.named))
    return replace(batch, inputs=inputs, named=named, target=mapped(double, batch.target))
