"""Copies of the trained network: averages, targets, teachers, backups.

The detector reports a copy that shares its tensors with the network, a copy that is never updated,
an average that equals the network or is slower than the run, a teacher in training mode, and a
teacher that receives gradients.
"""

import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.copies import Copy, few, found_copies, statistics_of
from corollary.watch.detect.detector import Detector, found
from corollary.watch.detect.mode import by_mode
from corollary.watch.state import Loop, Owned
from corollary.watch.surroundings import variables

REFERENCE = "loop/copy_by_reference"
IDLE = "loop/copy_never_updated"
EQUAL = "loop/average_equals_model"
LAGS = "loop/average_lags"
BUFFERS = "loop/average_without_buffers"
GRADIENT = "loop/copy_has_gradient"
NOISY = "mode/teacher_in_training"
LOOKS = (5, 23, 57, 58, 59, 113, 131, 299)  # steps at which variables are searched
PATIENCE = 100  # steps without a change
HALF = 0.5  # of an average that is still its start
FOLLOWS = re.compile(r"ema|averag|avg|target|tgt|shadow|momentum|mean_?teacher|swa|slow", re.I)
COPIES = re.compile(r"best|backup|saved|snapshot|old|prev|initial", re.I)
TEACHER = re.compile(r"teach|target|ema|reference|ref_|frozen", re.I)


class Shadows(Detector):
    """Follows copies of the network, by a few small parameters."""

    def __init__(self) -> None:
        self.copies: dict[int, Copy] = {}
        self.referred: dict[str, int] = {}  # states by reference: their identities at first
        self.early: set[str] = set()  # names that had such a state at the first look
        self.evaluated = False
        self.closing = False

    def on_silent_call(self, loop: Loop, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """An evaluation has ended, after which a state may be stored."""
        self.evaluated |= loop.made > 0

    @torch.no_grad()
    def on_step_begin(self, loop: Loop, owned: Owned, closure: bool) -> None:
        """Search, and compare what was found."""
        if owned is not loop.main or loop.made + 1 not in LOOKS and loop.made not in LOOKS:
            return
        if loop.made in LOOKS:
            self._search(loop)
            for copy in self.copies.values():
                self._compare(loop, copy)
        for copy in self.copies.values():
            copy.remember()

    @torch.no_grad()
    def on_close(self, loop: Loop) -> None:
        """Averages whose memory is longer than the run."""
        self.closing = True
        for copy in self.copies.values():
            if not copy.still and FOLLOWS.search(copy.name):
                self._statistics(loop, copy)
            if isinstance(copy.module, AveragedModel) and copy.still and loop.made >= PATIENCE:
                loop.events.say(loop.step, _idle(copy.name, loop.made))
            if _of_other_weights(copy):
                loop.events.say(loop.step, _not_recomputed(copy.name))
            left = 0.0 if copy.decay is None else copy.decay**loop.made
            if left > HALF and loop.made >= LOOKS[2]:
                loop.events.say(loop.step, _lags(copy.name, copy.decay or 1.0, left, loop.made))

    def _search(self, loop: Loop) -> None:
        ids = {p.data_ptr() for p in loop.model.parameters() if p.numel()}
        for name, value in variables():
            if value is loop.model and (
                FOLLOWS.search(name) or re.search("best|backup|saved", name)
            ):
                loop.events.say(loop.step, _reference(name))
            elif issubclass(type(value), dict) and COPIES.search(name):
                self._state(loop, name, value, ids)
            elif issubclass(type(value), nn.Module) and TEACHER.search(name):
                if _noisy(loop, value):
                    loop.events.say(loop.step, _training(name))
        for key, name, module, partner in found_copies(loop, self.copies):
            self.copies[key] = Copy(
                name,
                module,
                partner,
                loop.made,
                [p.detach().clone() for p in few(module)],
                [b.detach().clone() for b in statistics_of(module)],
                [b.detach().clone() for b in statistics_of(partner)],
            )

    def _state(self, loop: Loop, name: str, value: Mapping[Any, Any], ids: set[int]) -> None:
        """A state stored by reference, seen after an evaluation or after many steps."""
        if not _refers(value, ids):
            self.referred.pop(name, None)
            return
        if loop.made == LOOKS[0]:  # before the loop, in place of a better one
            self.early.add(name)
        first = self.referred.setdefault(name, id(value))
        kept = first != id(value) or (self.evaluated and loop.made > LOOKS[0])
        if kept or name not in self.early or loop.made >= PATIENCE:
            loop.events.say(loop.step, _reference(name))

    def _compare(self, loop: Loop, copy: Copy) -> None:
        follows = bool(FOLLOWS.search(copy.name))
        if follows and any(p.grad is not None for p in copy.module.parameters()):
            loop.events.say(loop.step, _gradient(copy.name))
        waited = loop.made - copy.since
        if copy.still:
            if waited >= PATIENCE and follows and not isinstance(copy.module, AveragedModel):
                loop.events.say(loop.step, _idle(copy.name, waited))
            return
        loop.events.passes(IDLE, loop.step)
        if copy.before:
            copy.read_decay()
            self._average(loop, copy, follows)
        self._statistics(loop, copy)

    def _average(self, loop: Loop, copy: Copy, follows: bool) -> None:
        """With a decay of d an average lags by d / (1 - d) updates: at least one from d = 1/2."""
        now, there = few(copy.module), few(copy.partner)
        lag = sum(float((a - b).norm()) for a, b in zip(now, there, strict=True))
        pairs = zip(there, copy.partner_before, strict=False)
        copy.close += lag < 0.1 * sum(float((a - b).norm()) for a, b in pairs)
        if copy.close >= 3 and follows:
            loop.events.say(loop.step, _equal(copy.name))

    def _statistics(self, loop: Loop, copy: Copy) -> None:
        own, other = statistics_of(copy.partner), statistics_of(copy.module)
        still = bool(other) and all(
            torch.equal(a, b) for a, b in zip(other, copy.buffers, strict=False)
        )
        moved = any(not torch.equal(a, b) for a, b in zip(own, copy.start, strict=False))
        later = isinstance(copy.module, AveragedModel) and not self.closing  # update_bn comes last
        if still and moved and not later:
            loop.events.say(loop.step, _buffers(copy.name))


def _of_other_weights(copy: Copy) -> bool:
    """Whether an average of epochs has the statistics of the network, which counted its batches."""
    plain = isinstance(copy.module, AveragedModel) and copy.module.multi_avg_fn is None
    if not plain or copy.still or not isinstance(copy.module, AveragedModel):
        return False
    counts = [
        [int(b) for n, b in m.named_buffers() if n.endswith("num_batches_tracked")]
        for m in (copy.module, copy.partner)
    ]
    return copy.module.avg_fn is None and any(a > 0.5 * b > 0 for a, b in zip(*counts, strict=True))


def _refers(value: Mapping[Any, Any], ids: set[int]) -> bool:
    """Whether most tensors of a state are the tensors of the network itself."""
    tensors = [t for t in value.values() if isinstance(t, Tensor) and t.numel()]
    shared = sum(t.data_ptr() in ids for t in tensors)
    return shared > 0.5 * len(tensors) > 0


def _noisy(loop: Loop, module: nn.Module) -> bool:
    """Whether layers that are not trained are in training mode."""
    owned = {id(p) for each in loop.owned.values() for p in each.parameters}
    trained = any(id(p) in owned for p in module.parameters())
    return not trained and any(layer.training for layer in by_mode(module).values())


def _reference(name: str) -> Finding:
    return found(
        REFERENCE,
        "A copy of the weights is a reference",
        Severity.MEDIUM,
        f"The variable {name!r} holds the tensors of the network itself, not copies. Every "
        "later step changes them too.",
        "Use copy.deepcopy(model.state_dict()), or copy.deepcopy(model).",
    )


def _idle(name: str, steps: int) -> Finding:
    return found(
        IDLE,
        "A copy of the network is never updated",
        Severity.LOW,
        f"{name} has the same shapes as the network. It has not changed in {steps} steps, but "
        "the network has. An average or a target network must be updated.",
        f"Update {name} after each optimizer.step(), or copy the weights into it at regular "
        "intervals.",
    )


def _lags(name: str, decay: float, left: float, steps: int) -> Finding:
    return found(
        LAGS,
        "The average of the weights is slower than the run",
        Severity.LOW,
        f"{name!r} moves towards the network with a decay of {decay:.5g}, so it averages over "
        f"about {1 / (1 - decay):,.0f} steps. After the {steps} steps of this run, {left:.0%} "
        "of the average still comes from its initial weights.",
        "Use a smaller decay, or one that grows with the steps, such as (1 + step) / (10 + step).",
    )


def _gradient(name: str) -> Finding:
    return found(
        GRADIENT,
        "A copy of the network receives gradients",
        Severity.LOW,
        f"No optimizer trains {name!r}, but the backward pass reaches it. Its outputs are "
        "used as targets and are computed with a graph.",
        f"Compute these outputs under torch.no_grad(), or call requires_grad_(False) on {name}.",
    )


def _equal(name: str) -> Finding:
    return found(
        EQUAL,
        "The average of the weights equals the weights",
        Severity.LOW,
        f"{name!r} is at most a tenth of an update away from the network, so its decay is "
        "below 0.1 and nothing is averaged. Perhaps decay and 1 - decay are swapped.",
        "Use average = decay * average + (1 - decay) * weight, with a decay of 0.99 or more.",
    )


def _buffers(name: str) -> Finding:
    return found(
        BUFFERS,
        "The average of the weights does not include batch norm statistics",
        Severity.MEDIUM,
        f"The parameters of {name!r} follow the network, but its running means and variances "
        "(buffers) have not changed since the start.",
        "Copy the buffers too, or recompute them with torch.optim.swa_utils.update_bn.",
    )


def _not_recomputed(name: str) -> Finding:
    return found(
        BUFFERS,
        "Batch norm statistics of averaged weights are not recomputed",
        Severity.LOW,
        f"{name!r} averages the weights of several epochs, but its running means and variances are "
        "those of the network when it was last copied.",
        "Call torch.optim.swa_utils.update_bn(loader, averaged_model) before evaluating it.",
    )


def _training(name: str) -> Finding:
    return found(
        NOISY,
        "A network that is not trained is in training mode",
        Severity.LOW,
        f"{name!r} belongs to no optimizer, but its dropout or batch norm layers are in "
        "training mode. Its outputs are random, and its running statistics change.",
        f"Call {name}.eval().",
    )
