r"""Linear and convolutional layers as :math:`z_t = W a_t`, seen while a module runs.

A layer of weight W is applied at positions t: the pixels of a convolution (:math:`a_t` is then a
patch), the tokens of a sequence, or one position. :func:`shared` finds the layers that own the
parameters of a landscape, :func:`watched` collects their inputs and outputs.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import NotApplicableError
from corollary.theory.landscape.curvature.landscape import Landscape

FORWARDS = (nn.Linear.forward, nn.Conv2d.forward)


class Group(NamedTuple):
    """Parameters that share one pair of factors."""

    layer: nn.Module
    name: str
    names: tuple[str, ...]  # of the parameters
    places: tuple[slice, ...]  # in a flat vector
    weight: bool
    bias: bool

    @property
    def outputs(self) -> int:
        """Numbers that the layer gives at a position."""
        return len(self.layer.get_parameter("weight"))

    def inputs(self, a: Float[Tensor, "n t i"]) -> Float[Tensor, "n t j"]:
        """What the group's parameters multiply: the inputs, a one for the bias, or both."""
        one = torch.ones_like(a[..., :1])
        return torch.cat([a] * self.weight + [one] * self.bias, dim=2)


def shared(landscape: Landscape, *, joint: bool) -> list[Group]:
    """The landscape's parameters by layer; refuses, by name, those of other layers.

    Example:
        >>> module = nn.Linear(2, 3)
        >>> landscape = Landscape(module, nn.MSELoss(), (torch.ones(1, 2), torch.ones(1, 3)))
        >>> [(g.names, g.places) for g in shared(landscape, joint=True)]
        [(('weight', 'bias'), (slice(0, 6, None), slice(6, 9, None)))]
    """
    places, start = {}, 0
    for name, p in landscape.named.items():
        places[id(p)] = name, slice(start, start + p.numel())
        start += p.numel()
    groups: list[Group] = []
    seen: set[int] = set()
    twice: set[str] = set()
    for name, layer in landscape.module.named_modules():
        held = {k: p for k, p in layer.named_parameters(recurse=False) if id(p) in places}
        twice.update(places[id(p)][0] for p in held.values() if id(p) in seen)
        if not held or not _supported(layer) or not set(held) <= {"weight", "bias"}:
            continue
        seen.update(id(p) for p in held.values())
        parts = [tuple(held)] if joint else [(k,) for k in held]
        for keys in parts:
            found = [places[id(held[k])] for k in keys]
            names, where = tuple(f[0] for f in found), tuple(f[1] for f in found)
            groups.append(Group(layer, name, names, where, "weight" in keys, "bias" in keys))
    _refuse([name for key, (name, _) in places.items() if key not in seen], sorted(twice))
    return groups


def _supported(layer: nn.Module) -> bool:
    plain = type(layer).forward in FORWARDS
    return plain and (not isinstance(layer, nn.Conv2d) or layer.groups == 1)


def _refuse(others: list[str], twice: list[str]) -> None:
    if twice:
        raise NotApplicableError(
            f"Kronecker factors belong to one layer, but several hold {', '.join(twice)}; leave "
            "tied weights out with parameters= of the landscape"
        )
    if others:
        raise NotApplicableError(
            "Kronecker factors are there for nn.Linear and nn.Conv2d with groups=1, but "
            f"{', '.join(others)} belong to other layers; leave them out with parameters= of the "
            "landscape, or use gauss_newton"
        )


class Seen(NamedTuple):
    """One call of a layer."""

    inputs: Float[Tensor, "n t i"]
    output: Tensor  # in the autograd graph


Notes = dict[nn.Module, list[Seen]]


@contextmanager
def watched(groups: list[Group]) -> Iterator[Notes]:
    """Inside the block each call of the groups' layers is noted."""
    notes: Notes = {group.layer: [] for group in groups}

    def note(layer: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> Tensor:
        notes[layer].append(Seen(positions(layer, inputs[0].detach()), output))
        return output.clone()  # so that a later operation in place spares the noted one

    handles = [layer.register_forward_hook(note) for layer in notes]
    try:
        yield notes
    finally:
        for handle in handles:
            handle.remove()


def positions(layer: nn.Module, x: Tensor) -> Float[Tensor, "n t i"]:
    """A layer's inputs as n examples of t positions; patches for a convolution.

    Example:
        >>> positions(nn.Conv2d(1, 1, 2), torch.arange(4.0).view(1, 1, 2, 2)).tolist()
        [[[0.0, 1.0, 2.0, 3.0]]]
    """
    if not isinstance(layer, nn.Conv2d):
        x = torch.atleast_2d(x)
        return x.reshape(len(x), -1, x.shape[-1])
    mode = "constant" if layer.padding_mode == "zeros" else layer.padding_mode
    x = F.pad(x, layer._reversed_padding_repeated_twice, mode=mode)
    patches = F.unfold(x, layer.kernel_size, dilation=layer.dilation, stride=layer.stride)
    return patches.transpose(1, 2)


def slopes_at(layer: nn.Module, g: Tensor) -> Float[Tensor, "n t o"]:
    """Gradients with respect to a layer's output, by position."""
    if isinstance(layer, nn.Conv2d):
        return g.flatten(2).transpose(1, 2)
    g = torch.atleast_2d(g)
    return g.reshape(len(g), -1, g.shape[-1])
