"""Copies of trained networks, found among the variables and inside the model.

A copy has parameters of the same shapes as a trained network, and no optimizer has them. It is a
module, or a dictionary with a tensor for each parameter.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from corollary.watch.state import Loop
from corollary.watch.surroundings import variables

STATISTICS = ("running_mean", "running_var", "num_batches_tracked")


class State:
    """A dictionary of tensors by the names of parameters; they are looked up when asked for."""

    def __init__(self, tensors: dict[str, Tensor]) -> None:
        self.tensors = tensors

    def parameters(self) -> Iterator[Tensor]:
        """The tensors that are no statistics."""
        return (t for k, t in self.tensors.items() if not k.endswith(STATISTICS))

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        """The statistics."""
        return ((k, t) for k, t in self.tensors.items() if k.endswith(STATISTICS))


@dataclass
class Copy:
    """A network, and the trained network that it may follow."""

    name: str
    module: nn.Module | State
    partner: nn.Module
    since: int  # the step of the first look
    first: list[Tensor]  # a few parameters at that look
    buffers: list[Tensor]  # statistics of batch norm at that look
    start: list[Tensor]  # those of the partner
    close: int = 0  # looks at which it was where the partner is
    before: list[Tensor] = field(default_factory=list)  # a few parameters, one step ago
    partner_before: list[Tensor] = field(default_factory=list)
    decay: float | None = None  # of a moving average, where the last update was one

    @property
    def still(self) -> bool:
        """Whether the copy is unchanged since it was first seen."""
        return all(torch.equal(a, b) for a, b in zip(few(self.module), self.first, strict=True))

    def remember(self) -> None:
        """Store a few parameters of both networks until the next step."""
        self.before = [p.detach().clone() for p in few(self.module)]
        self.partner_before = [p.detach().clone() for p in few(self.partner)]

    def read_decay(self) -> None:
        r"""The decay :math:`d` of :math:`s' = d s + (1-d) w`, by least squares.

        The decay is kept only if the update has this form, up to a tenth of its norm.
        """
        now, target = _vector(few(self.module)), _vector(few(self.partner))
        old = _vector(self.before)
        if len(old) != len(now) or len(now) != len(target):
            return
        update, gap = now - old, target - old
        size = float(gap @ gap)
        rest = 1.0 if size == 0 else float(update @ gap) / size
        fits = float((update - rest * gap).norm()) <= 0.1 * float(update.norm())
        self.decay = 1 - rest if fits and 0 < rest < 1 else None


def found_copies(
    loop: Loop, known: dict[int, Copy]
) -> Iterator[tuple[int, str, nn.Module | State, nn.Module]]:
    """New copies with their identities, names and partners."""
    owned = {id(p) for each in loop.owned.values() for p in each.parameters}
    partners = _partners(loop, owned)
    own = {id(m) for m in loop.model.modules()}
    outside = (
        (name, value)
        for name, value in variables()
        if issubclass(type(value), nn.Module) and id(value) not in own
    )
    for name, module in [*outside, *_inside(loop.model, owned)]:
        partner = partners.get(shapes(module))
        if id(module) in known or partner is None or partner is module:
            continue
        if any(m is loop.model for m in module.modules()):
            continue  # a wrapper of the network
        if not any(id(p) in owned for p in module.parameters()):
            yield id(module), name, module, partner
    names = {n for n, _ in loop.inner.named_parameters()}
    for name, value in variables():
        if type(value) is dict and id(value) not in known and names <= value.keys():
            state = State(value)
            if all(isinstance(t, Tensor) for t in value.values()):
                if shapes(state) == shapes(loop.inner) and not _shares(state, loop.inner):
                    yield id(value), name, state, loop.inner


def _shares(state: State, module: nn.Module) -> bool:
    own = {p.data_ptr() for p in module.parameters()}
    return any(t.data_ptr() in own for t in state.parameters())


def _partners(loop: Loop, owned: set[int]) -> dict[tuple[torch.Size, ...], nn.Module]:
    """Trained networks by the shapes of their parameters, the outermost first."""
    found: dict[tuple[torch.Size, ...], nn.Module] = {}
    for module in loop.model.modules():
        key = shapes(module)
        if key and any(id(p) in owned for p in module.parameters()):
            found.setdefault(key, module)
    return found


def _inside(model: nn.Module, owned: set[int]) -> Iterator[tuple[str, nn.Module]]:
    """The outermost parts of a model that belong to no optimizer."""
    for name, child in model.named_children():
        mine = list(child.parameters())
        if mine and not any(id(p) in owned for p in mine):
            yield name, child
        elif mine:
            for inner, module in _inside(child, owned):
                yield f"{name}.{inner}", module


def shapes(module: nn.Module | State) -> tuple[torch.Size, ...]:
    """Shapes of the parameters; an empty tuple if no parameter is a matrix."""
    found = tuple(p.shape for p in module.parameters())
    return found if any(len(s) > 1 for s in found) else ()


def few(module: nn.Module | State) -> list[Tensor]:
    """Two small matrices."""
    wide = [p for p in module.parameters() if p.dim() > 1 and p.numel()]
    return sorted(wide, key=lambda p: p.numel())[:2]


def statistics_of(module: nn.Module | State) -> list[Tensor]:
    """Running means and variances."""
    return [b for n, b in module.named_buffers() if n.endswith(("running_mean", "running_var"))]


def _vector(parts: Sequence[Tensor]) -> Tensor:
    return torch.cat([p.detach().double().reshape(-1) for p in parts]) if parts else torch.empty(0)
