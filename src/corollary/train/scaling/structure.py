"""The layers of a network in the order of their calls, as theory takes them."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from corollary.core.nested import tensors_in
from corollary.core.subject import Subject
from corollary.theory.scaling.abc import Optimizer, Parametrisation, Role
from corollary.theory.scaling.exponents import Norm, Residual, Sizes, Stage, Weight, exponents
from corollary.train.scaling.roles import growth, matrices, owned
from corollary.train.scaling.sizes import matrix_layers


@dataclass(frozen=True)
class Layer:
    """A layer with a matrix, or a norm if its role is None."""

    name: str
    role: Role | None
    parameters: tuple[str, ...] = ()  # names of its matrices
    shared: bool = False  # whether another layer holds the matrix, too
    next: str | None = None  # the layer that is given what this one gives, if no norm is between


def structure(subject: Subject, wide: nn.Module) -> list[Layer]:
    """Layers and norms in the order of their first calls.

    Args:
        subject: The network at one width; it is called once.
        wide: The network at another width, which tells what grows.
    """
    model, calls = subject.model, dict[str, Tensor | None]()
    layers = matrix_layers(model)
    norms = {name: m for name, m in model.named_modules() if "Norm" in type(m).__name__}
    names = {id(m): name for name, m in (layers | norms).items()}

    def note(module: nn.Module, inputs: object) -> None:
        calls.setdefault(names[id(module)], next(tensors_in(inputs), None))

    hooks = [m.register_forward_pre_hook(note) for m in (layers | norms).values()]
    try:
        with torch.no_grad():
            subject.call(subject.data())
    finally:
        for hook in hooks:
            hook.remove()
    named = {id(p): name for name, (_, p) in owned(model)}
    there = dict(wide.named_modules())
    return [
        Layer(name, None)
        if name in norms
        else replace(_layer(name, layers[name], there[name], named), next=_next(name, calls, norms))
        for name in calls
    ]


def _next(name: str, calls: dict[str, Tensor | None], norms: Container[str]) -> str | None:
    """The first later layer with another input, as queries, keys and values have the same."""
    later = list(calls)[list(calls).index(name) + 1 :]
    found = next((other for other in later if calls[other] is not calls[name]), None)
    return None if found in norms else found


def _layer(name: str, module: nn.Module, wide: nn.Module, named: dict[int, str]) -> Layer:
    mine = matrices(module)
    main = max(mine, key=lambda key: mine[key].numel())
    names = tuple(named[id(p)] for p in mine.values())
    shared = bool(name) and any(not full.startswith(f"{name}.") for full in names)
    return Layer(name, growth(module, wide)[main].role, names, shared)


def reference(
    layers: Sequence[Layer], parametrisation: Parametrisation, optimizer: Optimizer
) -> dict[str, Sizes]:
    """Theory's exponents of the same layers under a parametrisation.

    Without norms the layers are a chain. With norms, each norm and the layers after it are a
    branch that is added to its input, but for the last one, which ends in the output.
    """
    segments: list[list[Stage]] = [[]]
    for layer in layers:
        if layer.role is None:
            segments.append([Norm()])
        else:
            abc = parametrisation.of(layer.role, optimizer)
            segments[-1].append(Weight(layer.name, layer.role, abc))
    first, *branches = segments
    stages: list[Stage] = list(first)
    for branch in branches[:-1]:
        stages.append(Residual(tuple(branch)))
    stages += branches[-1] if branches else []
    return exponents(stages, optimizer)
