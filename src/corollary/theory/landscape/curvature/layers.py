"""The layers that own the parameters of a landscape, seen while the module runs.

:func:`shared` finds the layers, :func:`watched` collects what goes in and what comes out.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import NotApplicableError
from corollary.theory.landscape.curvature.attention_projections import PARTS, Note, Projections
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.moments import Inputs
from corollary.theory.landscape.curvature.sites import Linear, Site, site_of

ATTENTION = nn.MultiheadAttention.forward
OUTPUT = nn.modules.linear.NonDynamicallyQuantizableLinear  # its last projection, never called
Place = tuple[str, slice]  # a parameter's name, and where it is in a flat vector


class Seen(NamedTuple):
    """One call of a layer."""

    kept: Tensor  # of its input; see the sites
    output: Tensor  # in the autograd graph


Notes = dict[Site, list[Seen]]


class Group(NamedTuple):
    """Parameters that share one pair of factors."""

    site: Site
    names: tuple[str, ...]  # of the parameters
    places: tuple[slice, ...]  # in a flat vector
    weight: bool
    bias: bool
    outputs: int  # rows of the block's matrix

    def inputs(self, calls: list[Seen], dtype: torch.dtype) -> Inputs:
        """What the group's parameters multiply, by position."""
        return self.site.inputs([c.kept for c in calls], self.weight, self.bias, dtype)

    def slopes(self, call: Seen, g: Tensor) -> Float[Tensor, "n t o"]:
        """Gradients with respect to a call's output, by position."""
        return self.site.slopes(call.kept, g, self.weight, self.bias)


def shared(landscape: Landscape, *, joint: bool) -> list[Group]:
    """The landscape's parameters by layer; refuses, by name, those of other layers.

    Example:
        >>> module = nn.Linear(2, 3)
        >>> landscape = Landscape(module, nn.MSELoss(), (torch.ones(1, 2), torch.ones(1, 3)))
        >>> [(g.names, g.places) for g in shared(landscape, joint=True)]
        [(('weight', 'bias'), (slice(0, 6, None), slice(6, 9, None)))]
    """
    places, start = dict[int, Place](), 0
    for name, p in landscape.named.items():
        places[id(p)] = name, slice(start, start + p.numel())
        start += p.numel()
    groups: list[Group] = []
    seen: set[int] = set()
    twice: set[str] = set()
    for name, layer in landscape.module.named_modules():
        held = {k: p for k, p in layer.named_parameters(recurse=False) if id(p) in places}
        twice.update(places[id(p)][0] for p in held.values() if id(p) in seen)
        sites = _sites(layer, name, {k: places[id(p)] for k, p in held.items()})
        if sites:
            seen.update(id(p) for k, p in held.items() if k not in ("bias_k", "bias_v"))
        for site, found in sites:
            for keys in [tuple(found)] if joint else [(k,) for k in found]:
                groups.append(_group(site, {k: found[k] for k in keys}))
    _refuse([name for key, (name, _) in places.items() if key not in seen], sorted(twice))
    return groups


def _sites(
    layer: nn.Module, name: str, at: dict[str, Place]
) -> list[tuple[Site, dict[str, Place]]]:
    """Where a layer's parameters act, each with its weight and bias; none if there is no rule."""
    if isinstance(layer, nn.MultiheadAttention):
        return _projections(layer, name, at) if type(layer).forward is ATTENTION else []
    site = site_of(layer, name) if at and set(at) <= {"weight", "bias"} else None
    return [] if site is None else [(site, at)]


def _projections(
    layer: nn.MultiheadAttention, name: str, at: dict[str, Place]
) -> list[tuple[Site, dict[str, Place]]]:
    found: list[tuple[Site, dict[str, Place]]] = []
    for k, part in enumerate(PARTS):
        own = {"weight": at[key]} if (key := f"{part[0]}_proj_weight") in at else {}
        for kind in ("weight", "bias"):
            if (key := f"in_proj_{kind}") in at:  # a third of it
                packed, place = at[key]
                size = (place.stop - place.start) // 3
                start = place.start + k * size
                own[kind] = f"{packed} of the {part}", slice(start, start + size)
        if own:
            path = f"{name}, {part}"
            found.append((Linear(layer, path, layer.embed_dim, part=part), own))
    return found


def _group(site: Site, found: dict[str, Place]) -> Group:
    names, where = zip(*found.values(), strict=True)
    rows = site.outputs * (len(found) if site.form == "below" else 1)
    return Group(site, names, where, "weight" in found, "bias" in found, rows)


def _refuse(others: list[str], twice: list[str]) -> None:
    if twice:
        raise NotApplicableError(
            "Kronecker factors need parameters that belong to one layer, but several layers "
            f"share {', '.join(twice)}; exclude tied weights with parameters= of the landscape"
        )
    if others:
        raise NotApplicableError(
            "Kronecker factors are implemented for nn.Linear, nn.Conv1d and nn.Conv2d with "
            "groups=1, nn.Embedding, nn.LayerNorm, nn.RMSNorm and nn.MultiheadAttention, but "
            f"{', '.join(others)} belong to other layers; exclude these with parameters= of "
            "the landscape, or use gauss_newton"
        )


@contextmanager
def watched(groups: list[Group]) -> Iterator[Notes]:
    """Inside the block each call of the groups' layers is noted."""
    notes: Notes = {group.site: [] for group in groups}

    def note(site: Site, x: Tensor, output: Tensor) -> Tensor:
        notes[site].append(Seen(site.kept(x.detach()), output))
        return output.clone()  # so that a later operation in place spares the noted one

    with ExitStack() as stack:
        for site in notes:
            if not site.part:
                hook = site.layer.register_forward_hook(_hook(site, note))
                stack.callback(hook.remove)
        if any(site.part or isinstance(site.layer, OUTPUT) for site in notes):
            stack.enter_context(Projections({_key(site): site for site in notes}, note))
        yield notes


def _hook(site: Site, note: Note) -> Callable[[nn.Module, tuple[Tensor, ...], Tensor], Tensor]:
    return lambda layer, inputs, output: note(site, inputs[0], output)


def _key(site: Site) -> tuple[int, str]:
    """By which attention names the weight of a projection."""
    if isinstance(site.layer, nn.MultiheadAttention):
        packed = site.layer.in_proj_weight
        own = getattr(site.layer, f"{site.part[0]}_proj_weight")
        return id(own if packed is None else packed), site.part
    return id(site.layer.weight), ""
