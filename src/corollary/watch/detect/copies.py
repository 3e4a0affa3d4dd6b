"""Copies of trained networks, found among the variables and inside the model.

A copy has parameters of the same shapes as a trained network, and no optimizer has them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from corollary.watch.state import Loop
from corollary.watch.surroundings import variables


@dataclass
class Copy:
    """A network, and the trained network that it may follow."""

    name: str
    module: nn.Module
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


def found_copies(loop: Loop, known: dict[int, Copy]) -> Iterator[tuple[str, nn.Module, nn.Module]]:
    """New copies with their names and partners."""
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
            yield name, module, partner


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


def shapes(module: nn.Module) -> tuple[torch.Size, ...]:
    """Shapes of the parameters, with a matrix among them; empty otherwise."""
    found = tuple(p.shape for p in module.parameters())
    return found if any(len(s) > 1 for s in found) else ()


def few(module: nn.Module) -> list[nn.Parameter]:
    """Two small matrices."""
    wide = [p for p in module.parameters() if p.dim() > 1 and p.numel()]
    return sorted(wide, key=lambda p: p.numel())[:2]


def statistics_of(module: nn.Module) -> list[Tensor]:
    """Running means and variances."""
    return [b for n, b in module.named_buffers() if n.endswith(("running_mean", "running_var"))]


def _vector(parts: Sequence[Tensor]) -> Tensor:
    return torch.cat([p.detach().double().reshape(-1) for p in parts]) if parts else torch.empty(0)
