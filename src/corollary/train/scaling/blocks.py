"""The blocks of a residual network, told from two depths, and the factor of their branches."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from corollary.core.nested import tensors_in
from corollary.core.subject import Subject
from corollary.errors import InputError
from corollary.train.scaling.sizes import size


class Blocks(NamedTuple):
    """A container, and the type of the modules in it whose number is the depth."""

    container: str
    kind: type[nn.Module]

    def of(self, model: nn.Module) -> list[nn.Module]:
        """The blocks of a network, in order."""
        children = model.get_submodule(self.container).children()
        return [child for child in children if type(child) is self.kind]

    @property
    def place(self) -> tuple[str, str]:
        """The path of the container, and the name of the type."""
        return self.container, self.kind.__name__

    def together(self, model: nn.Module) -> Callable[[str], str]:
        """From the name of a layer to the name that it has at every depth.

        Example:
            >>> net = nn.Sequential(nn.Linear(2, 3), nn.GRUCell(3, 3), nn.GRUCell(3, 3))
            >>> name = Blocks("", nn.GRUCell).together(net)
            >>> name("0"), name("1"), name("2")
            ('0', '*', '*')
        """
        prefix = f"{self.container}." if self.container else ""
        children = list(model.get_submodule(self.container).named_children())
        names, seen = dict[str, str](), 0
        for key, child in children:
            seen += type(child) is self.kind
            after = f"{len(children) - len(names)} from the end"
            names[key] = "*" if type(child) is self.kind else (after if seen else key)

        def name_of(layer: str) -> str:
            if not layer.startswith(prefix):
                return layer
            key, *rest = layer.removeprefix(prefix).split(".")
            return prefix + ".".join([names.get(key, key), *rest])

        return name_of


def blocks_of(shallow: nn.Module, deep: nn.Module) -> Blocks:
    """The container that has more modules of one type in the deeper network.

    Example:
        >>> def build(depth):
        ...     return nn.Sequential(nn.Linear(2, 3), *[nn.GRUCell(3, 3) for _ in range(depth)])
        >>> blocks_of(build(2), build(4)).kind.__name__
        'GRUCell'
    """
    other = dict(deep.named_modules())
    for name, module in shallow.named_modules():
        if name not in other:
            continue
        for kind in {type(child): None for child in module.children()}:
            found = Blocks(name, kind)
            if len(found.of(deep)) > len(found.of(shallow)):
                return found
    raise InputError(
        "expected a network with more blocks at a larger depth, got as many at every depth; build "
        "takes the depth, and the blocks are children of one nn.ModuleList or nn.Sequential"
    )


def scale_branch(block: nn.Module, factor: float) -> None:
    """Multiply what a residual block adds to its input; its weights and the state dict stay.

    Args:
        block: A module that gives its first input plus a branch.
        factor: Of the branch.

    Example:
        >>> class Plus(nn.Module):
        ...     def forward(self, x):
        ...         return x + 8.0
        >>> block = Plus()
        >>> scale_branch(block, 0.5)
        >>> block(torch.ones(1)).tolist()
        [5.0]
    """

    def scaled(_: nn.Module, inputs: tuple[Any, ...], output: Any) -> Any:
        x = _same_shape(inputs, output)
        if isinstance(output, tuple):
            return (x + factor * (output[0] - x), *output[1:])
        return x + factor * (output - x)

    block.register_forward_hook(scaled)


def branch_size(subject: Subject, block: nn.Module) -> float:
    """The size of what a block adds to its input, in proportion to the input."""
    found: list[float] = []

    def listen(_: nn.Module, inputs: tuple[Any, ...], output: Any) -> None:
        x = _same_shape(inputs, output)
        after = output[0] if isinstance(output, tuple) else output
        found.append(size([after - x]) / size([x]))

    hook = block.register_forward_hook(listen)
    try:
        with torch.no_grad():
            subject.call(subject.data())
    finally:
        hook.remove()
    return found[0]


def _same_shape(inputs: tuple[Any, ...], output: Any) -> Tensor:
    x, y = (next(tensors_in(value), None) for value in (inputs, output))
    if x is None or y is None or x.shape != y.shape:
        shapes = [None if t is None else tuple(t.shape) for t in (x, y)]
        raise InputError(
            f"expected blocks that add a branch to their input, got shapes {shapes[0]} before and "
            f"{shapes[1]} after a block"
        )
    return x
