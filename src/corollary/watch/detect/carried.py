"""Recurrent layers that begin a batch in the state in which the one before ended."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, RandomSampler
from torch.utils.hooks import RemovableHandle

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.state import Loop, Owned, tensors_in
from corollary.watch.surroundings import look_around

STATE = "data/state_carried"
BEGIN, END = 1, 9  # steps between which the layers are listened to
TIMES = 4
Recurrent = nn.RNNBase | nn.modules.rnn.RNNCellBase


class Carried(Detector):
    """Compares the state that a layer is given with the one that it returned a step before."""

    watches = True  # its hooks count and store nothing of the loop

    def __init__(self) -> None:
        self.handles: list[RemovableHandle] = []
        self.step = 0
        self.ended: dict[int, tuple[int, Tensor]] = {}  # by layer: the step, and its state
        self.begun: set[int] = set()  # layers that were called in this step
        self.times = 0

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Listen for a few steps, then decide."""
        if owned is not loop.main or loop.compiled:
            return
        self.step, self.begun = loop.made + 1, set()
        if loop.made == BEGIN:
            for layer in loop.model.modules():
                if isinstance(layer, Recurrent):
                    self.handles.append(
                        layer.register_forward_pre_hook(self._given, with_kwargs=True)
                    )
                    self.handles.append(layer.register_forward_hook(self._returned))
        elif loop.made == END:
            self.on_close(loop)
            labels = loop.graphs[-1].labels if loop.graphs else None
            known = 0 if labels is None else labels.numel()
            size = loop.passes[-1].size if loop.passes else known
            if self.times >= TIMES:
                self._decide(loop, look_around(owned.optimizer).loader(size), size)

    def _decide(self, loop: Loop, loader: DataLoader[Any] | None, size: int) -> None:
        """A language model may continue a text; a sequence with one label has ended."""
        labels = loop.graphs[-1].labels if loop.graphs else None
        shuffled = loader is not None and isinstance(loader.sampler, RandomSampler)
        if shuffled or (labels is not None and labels.numel() == size):
            loop.events.say(loop.step, _carried(self.times, shuffled))

    def on_close(self, loop: Loop) -> None:
        """Leave no hook behind."""
        for handle in self.handles:
            handle.remove()
        self.handles, self.ended = [], {}

    @torch.no_grad()
    def _given(self, layer: nn.Module, args: Any, kwargs: Any) -> None:
        if id(layer) in self.begun or not layer.training:
            return
        self.begun.add(id(layer))
        state = tensors_in(args[1] if len(args) > 1 else kwargs.get("hx"))
        step, last = self.ended.get(id(layer), (-1, None))
        if state and last is not None and step == self.step - 1:
            first = state[0]
            self.times += first.shape == last.shape and torch.equal(first, last)

    @torch.no_grad()
    def _returned(self, layer: nn.Module, args: Any, output: Any) -> None:
        state = output[1] if isinstance(layer, nn.RNNBase) else output
        if layer.training:
            self.ended[id(layer)] = self.step, tensors_in(state)[0].detach()


def _carried(times: int, shuffled: bool) -> Finding:
    why = "the loader shuffles" if shuffled else "each sequence has one label"
    return found(
        STATE,
        "A recurrent state is carried into batches of other sequences",
        Severity.MEDIUM if shuffled else Severity.LOW,
        f"At {times} steps a recurrent layer began with the last hidden state of the batch "
        f"before, although {why}. The state belongs to other sequences.",
        "Reset the state at the beginning of each batch. Carry it over only if batches "
        "continue the same sequences.",
    )
