"""Other networks and copies beside the one that is trained: averages, targets, teachers, backups.

They are found among the variables of the loop. A copy that shares its tensors is no copy; one that
never changes is not updated; an average that is where the network is averages nothing; a teacher
in training mode is noisy.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.detect.mode import by_mode
from corollary.watch.state import Loop, Owned
from corollary.watch.surroundings import variables

REFERENCE = "loop/copy_by_reference"
IDLE = "loop/copy_never_updated"
EQUAL = "loop/average_equals_model"
BUFFERS = "loop/average_without_buffers"
NOISY = "mode/teacher_in_training"
LOOKS = (5, 23, 57, 58, 59, 113, 131, 299)  # steps at which variables are searched
PATIENCE = 100  # steps without a change
FOLLOWS = re.compile(r"ema|averag|avg|target|shadow|momentum|mean_?teacher|swa|slow", re.I)
COPIES = re.compile(r"best|backup|saved|snapshot|old|prev|initial", re.I)
TEACHER = re.compile(r"teach|target|ema|reference|ref_|frozen", re.I)


@dataclass
class Shadow:
    """A network with parameters of the same shapes."""

    name: str
    module: nn.Module
    first: list[Tensor] = field(default_factory=list)  # a few parameters at the first look
    buffers: list[Tensor] = field(default_factory=list)
    since: int = 0  # the step of the first look
    close: int = 0  # looks at which it was where the network is


class Shadows(Detector):
    """Follows copies of the network, by a few small parameters."""

    def __init__(self) -> None:
        self.shadows: dict[int, Shadow] = {}
        self.before: list[Tensor] = []  # a few weights before the last step
        self.start: list[Tensor] = []  # buffers of the network at the first look

    @torch.no_grad()
    def on_step_begin(self, loop: Loop, owned: Owned, closure: bool) -> None:
        """Search, and compare what was found."""
        if owned is not loop.main or loop.made + 1 not in LOOKS and loop.made not in LOOKS:
            return
        few = _few(loop.model)
        if loop.made in LOOKS:
            self._search(loop)
            for shadow in self.shadows.values():
                self._compare(loop, shadow, few)
        self.before = [p.detach().clone() for p in few]

    def _search(self, loop: Loop) -> None:
        shapes = _shapes(loop.model)
        own = {id(m) for m in loop.model.modules()}
        ids = {p.data_ptr() for p in loop.model.parameters() if p.numel()}
        for name, value in variables():
            if issubclass(type(value), nn.Module):
                self._module(loop, name, value, own, shapes)
            elif issubclass(type(value), dict) and COPIES.search(name) and _refers(value, ids):
                loop.events.say(loop.step, _reference(name))

    def _module(
        self, loop: Loop, name: str, value: nn.Module, own: set[int], shapes: Sequence[Any]
    ) -> None:
        if value is loop.model:
            if FOLLOWS.search(name) or re.search("best|backup|saved", name):
                loop.events.say(loop.step, _reference(name))
            return
        if id(value) in own or id(value) in self.shadows:
            return
        if any(m is loop.model for m in value.modules()):
            return  # a wrapper of the network
        if TEACHER.search(name) and _noisy(loop, value):
            loop.events.say(loop.step, _training(name))
        if _shapes(value) == shapes:
            kept = [p.detach().clone() for p in _few(value)]
            buffers = [b.detach().clone() for b in _statistics(value)]
            self.shadows[id(value)] = Shadow(name, value, kept, buffers, loop.made)
            if not self.start:
                self.start = [b.detach().clone() for b in _statistics(loop.model)]

    def _compare(self, loop: Loop, shadow: Shadow, few: list[nn.Parameter]) -> None:
        now = _few(shadow.module)
        if len(now) != len(few):
            return
        still = all(torch.equal(a, b) for a, b in zip(now, shadow.first, strict=True))
        waited = loop.made - shadow.since
        if still and waited >= PATIENCE and FOLLOWS.search(shadow.name):
            loop.events.say(loop.step, _idle(shadow.name, waited))
        elif not still:
            loop.events.passes(IDLE, loop.step)
            self._average(loop, shadow, now, few)
            self._statistics(loop, shadow)

    def _average(
        self, loop: Loop, shadow: Shadow, now: Sequence[Tensor], few: Sequence[Tensor]
    ) -> None:
        """With a decay of d an average lags by d / (1 - d) updates: by one or more from 1/2 on."""
        lag = sum(float((a - b).norm()) for a, b in zip(now, few, strict=True))
        step = sum(float((a - b).norm()) for a, b in zip(few, self.before, strict=False))
        shadow.close += lag < 0.1 * step
        if shadow.close >= 3 and FOLLOWS.search(shadow.name):
            loop.events.say(loop.step, _equal(shadow.name))

    def _statistics(self, loop: Loop, shadow: Shadow) -> None:
        own, other = _statistics(loop.model), _statistics(shadow.module)
        still = bool(other) and all(
            torch.equal(a, b) for a, b in zip(other, shadow.buffers, strict=False)
        )
        moved = any(not torch.equal(a, b) for a, b in zip(own, self.start, strict=False))
        if still and moved:
            loop.events.say(loop.step, _buffers(shadow.name))


def _shapes(module: nn.Module) -> list[Any]:
    return [p.shape for p in module.parameters()]


def _few(module: nn.Module) -> list[nn.Parameter]:
    """Two small matrices, or what there is."""
    every = [p for p in module.parameters() if p.numel()]
    wide = [p for p in every if p.dim() > 1] or every
    return sorted(wide, key=lambda p: p.numel())[:2]


def _statistics(module: nn.Module) -> list[Tensor]:
    return [b for n, b in module.named_buffers() if n.endswith(("running_mean", "running_var"))]


def _refers(value: Mapping[Any, Any], ids: set[int]) -> bool:
    """Whether most tensors of a state are those of the network itself."""
    tensors = [t for t in value.values() if isinstance(t, Tensor) and t.numel()]
    shared = sum(t.data_ptr() in ids for t in tensors)
    return shared > 0.5 * len(tensors) > 0


def _noisy(loop: Loop, module: nn.Module) -> bool:
    """Whether layers that nobody trains are in training mode."""
    owned = {id(p) for each in loop.owned.values() for p in each.parameters}
    trained = any(id(p) in owned for p in module.parameters())
    return not trained and any(layer.training for layer in by_mode(module).values())


def _reference(name: str) -> Finding:
    return found(
        REFERENCE,
        "A copy of the weights is a reference",
        Severity.MEDIUM,
        f"The variable {name!r} holds the tensors of the network itself, not copies: every later "
        "step changes them, too.",
        "Use copy.deepcopy(model.state_dict()), or copy.deepcopy(model).",
    )


def _idle(name: str, steps: int) -> Finding:
    return found(
        IDLE,
        "A copy of the network is never updated",
        Severity.LOW,
        f"{name!r} has the shapes of the network and has not changed in {steps} steps, while the "
        "network did: an average or a target network has to be synchronized.",
        "Update it after each optimizer.step(), or copy the weights into it at regular intervals.",
    )


def _equal(name: str) -> Finding:
    return found(
        EQUAL,
        "The average of the weights equals the weights",
        Severity.LOW,
        f"{name!r} is at most a tenth of an update away from the network, so its decay is below "
        "0.1: it averages nothing (decay and 1 - decay may be swapped).",
        "average = decay * average + (1 - decay) * weight, with a decay of 0.99 or more.",
    )


def _buffers(name: str) -> Finding:
    return found(
        BUFFERS,
        "The average of the weights leaves out batch norm statistics",
        Severity.MEDIUM,
        f"The parameters of {name!r} follow the network, but its running means and variances "
        "(buffers) are those of the start.",
        "Copy the buffers, too, or recompute them with torch.optim.swa_utils.update_bn.",
    )


def _training(name: str) -> Finding:
    return found(
        NOISY,
        "A network that is not trained is in training mode",
        Severity.LOW,
        f"{name!r} belongs to no optimizer, but its dropout or batch norm layers are in training "
        "mode: its outputs are random, and its statistics move.",
        f"Call {name}.eval().",
    )
