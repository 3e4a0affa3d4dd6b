"""What grows with the width: read from the shapes of one network at two widths."""

from collections.abc import Iterator
from typing import NamedTuple

from torch import nn

from corollary.errors import InputError
from corollary.theory.scaling.abc import Role, role_of

TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)  # (in, out, ...)


class Fans(NamedTuple):
    """Numbers of inputs and outputs of a parameter, kernels of convolutions not counted."""

    fan_in: int
    fan_out: int


class Growth(NamedTuple):
    """How a parameter grows from one network to a wider one."""

    role: Role
    fan_in: float  # ratio
    fan_out: float  # ratio


def fans(module: nn.Module, shape: tuple[int, ...]) -> Fans:
    """Fan-in and fan-out of a parameter of ``module``.

    Matrices are (out, in), but for embeddings, transposed convolutions and the ``Conv1D`` of
    transformers. Vectors, and tensors that a module with children adds or multiplies (positions,
    tokens of classes), are read as having one input.

    Example:
        >>> fans(nn.Conv2d(3, 8, 5), (8, 3, 5, 5))
        Fans(fan_in=3, fan_out=8)
    """
    if len(shape) == 0:
        return Fans(1, 1)
    in_a_tree = next(module.children(), None) is not None
    raw = in_a_tree and not isinstance(module, nn.MultiheadAttention)
    if len(shape) == 1 or raw or isinstance(module, nn.Embedding | nn.EmbeddingBag):
        return Fans(1, shape[-1])
    if isinstance(module, TRANSPOSED) or type(module).__name__ == "Conv1D":
        return Fans(shape[0], shape[1])
    return Fans(shape[1], shape[0])


def matrices(layer: nn.Module) -> dict[str, nn.Parameter]:
    """Parameters with two axes or more that a layer holds itself; attention holds its output's."""
    whole = isinstance(layer, nn.MultiheadAttention)
    return {k: p for k, p in layer.named_parameters(recurse=whole) if p.dim() > 1}


def growth(small: nn.Module, large: nn.Module) -> dict[str, Growth]:
    """Role and growth of every parameter; a shared one has its first name only.

    Raises:
        InputError: if the two networks do not have the same parameters.

    Example:
        >>> found = growth(nn.Linear(4, 3), nn.Linear(8, 3))
        >>> found["weight"].role.value, found["weight"].fan_in, found["bias"].role.value
        ('output', 2.0, 'constant')
    """
    a, b = dict(owned(small)), dict(owned(large))
    if a.keys() != b.keys():
        other = sorted(a.keys() ^ b.keys())[0]
        raise InputError(
            f"expected networks with the same parameters at both widths, got '{other}' at "
            "only one of them"
        )
    return {name: _grown(name, a[name], b[name]) for name in a}


def _grown(name: str, small: "Owned", large: "Owned") -> Growth:
    if small.parameter.dim() != large.parameter.dim():
        raise InputError(
            f"expected '{name}' to have the same number of axes at both widths, got "
            f"{small.parameter.dim()} and {large.parameter.dim()}"
        )
    a, b = (fans(o.module, tuple(o.parameter.shape)) for o in (small, large))
    ratio_in, ratio_out = b.fan_in / a.fan_in, b.fan_out / a.fan_out
    return Growth(role_of(ratio_in != 1, ratio_out != 1), ratio_in, ratio_out)


class Owned(NamedTuple):
    """A parameter and the module that holds it."""

    module: nn.Module
    parameter: nn.Parameter


def owned(model: nn.Module) -> Iterator[tuple[str, Owned]]:
    """Parameters by name, each once, with their modules."""
    seen = set()
    for prefix, module in model.named_modules():
        for name, parameter in module.named_parameters(recurse=False):
            if parameter not in seen:
                seen.add(parameter)
                yield f"{prefix}.{name}".lstrip("."), Owned(module, parameter)
