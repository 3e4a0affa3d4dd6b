"""Follows a loop from call to call: hooks update the state of the run."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer
from torch.optim.lr_scheduler import ReduceLROnPlateau

from corollary.watch.attention import Attention
from corollary.watch.broken_steps import BrokenSteps
from corollary.watch.detect.panel import Panel
from corollary.watch.gradients import GradientLife
from corollary.watch.loss_graph import read_graph, step_loss
from corollary.watch.measure.trend import trend
from corollary.watch.measuring import Measuring
from corollary.watch.state import Loop, Owned, Pass

SYNCED = 16  # steps between two looks at numbers that live on an accelerator
GRAPHS = 8  # steps between two looks at the graph of the loss
TREND = 50  # steps between two looks at the trend of the loss


class Following:
    """The callbacks of :class:`~corollary.watch.hooks.Ears`, in the order of the loop."""

    def __init__(self, loop: Loop, panel: Panel, measuring: Measuring, broken: BrokenSteps) -> None:
        self.loop, self.panel, self.measuring, self.broken = loop, panel, measuring, broken
        self.attention = Attention()
        self.life = GradientLife(list(loop.model.parameters()))
        self.given: float | None = None  # a loss handed over for this step
        self.open = False  # whether optimizers are looked for
        self.retired: list[Optimizer] = []  # those that a new one has taken the place of
        self.inside: int | None = None  # backward passes within the step that is being made
        self.idle: set[int] = set()  # optimizers whose closures compute nothing

    def own(self, optimizer: Optimizer) -> Owned | None:
        """Record an optimizer, if it has a parameter of the model or was passed to the watcher."""
        loop = self.loop
        every = [p for group in optimizer.param_groups for p in group["params"]]
        mine = [p for p in every if id(p) in loop.names]
        if not mine and (loop.owned or self.open):
            return None
        life = GradientLife(mine or every)
        if not loop.owned and life.follows(self.life):
            life = self.life
        owned = Owned(optimizer, mine, len(every) - len(mine), life)
        if self.open and loop.main is not None and self._succeeds(owned, loop.main):
            self._replace(loop.main, owned)
        loop.owned[id(optimizer)] = owned
        loop.main = loop.main or owned
        return owned

    def _succeeds(self, new: Owned, main: Owned) -> bool:
        """Whether a new optimizer has the parameters of the main one, and none was replaced."""
        same = {id(p) for p in new.parameters} == {id(p) for p in main.parameters}
        back = any(o is new.optimizer for o in self.retired)  # then they take turns
        return same and not back

    def _replace(self, old: Owned, new: Owned) -> None:
        loop = self.loop
        if old.steps:
            loop.recreated.append(loop.step)
        self.retired = [*self.retired[-3:], old.optimizer]  # alive, so that ids stay different
        del loop.owned[id(old.optimizer)]
        new.life, new.largest_rate = old.life, old.largest_rate
        loop.main = new

    def called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The model is about to compute."""
        loop = self.loop
        if loop.measuring:
            return
        training = loop.model.training
        if torch.is_grad_enabled():
            loop.passes.append(Pass(args, kwargs, training, torch.get_rng_state()))
            loop.calls += 1
            loop.training_calls += training
            if self.attention.on:
                self.panel.tell("on_call")
            return
        loop.silent += training
        loop.quiet += not training
        self.panel.tell("on_silent_call", args, kwargs)
        self.attention.wake(loop.made)  # what follows an evaluation may differ

    def answered(self, output: Any) -> None:
        """The model has computed."""
        if self.loop.measuring:
            return
        if not torch.is_grad_enabled():
            self.panel.tell("on_silent_answer")
        elif self.attention.on:
            self.measuring.passed(output)
            self.panel.tell("on_answer", output)

    def backward_begins(self, roots: Sequence[Tensor]) -> None:
        """Read the loss and its graph."""
        loop, close = self.loop, self.attention.on
        if close:
            for life in self._lives():
                life.before_backward(loop.turn)
            loop.backwards = self.life.backwards
        if loop.backwards == 0:
            loop.values, loop.graphs = [], []
        if not roots:
            return
        self._read_root(roots[0])
        if close:
            self.panel.tell("on_backward_begin", roots)
            if loop.backwards == 0 and roots[0].numel() == 1:
                self.measuring.before_backward(roots[0])

    def _read_root(self, root: Tensor) -> None:
        loop = self.loop
        changes = self.attention.on and (loop.accumulated > 1 or loop.made < 40)
        if not loop.graph or changes or loop.made % GRAPHS == 0:
            loop.graph = read_graph(root)
        loop.graphs.append(loop.graph)
        if root.numel() == 1 and self._looks_at(root):
            loop.values.append(float(root.detach()))
            self.broken.see_loss(loop.values[-1])

    def backward_ended(self, roots: Sequence[Tensor]) -> None:
        """Gradients are there."""
        loop = self.loop
        if self.inside is not None:
            self.inside += 1
        if not self.attention.on:
            loop.backwards += 1
            return
        reached = self.life.after_backward(loop.turn)
        for life in self._lives():
            if life is not self.life:
                life.after_backward(loop.turn)
        loop.backwards = self.life.backwards
        if loop.passes:
            loop.passes[-1].output = None
        self.panel.tell("on_backward", reached)
        if reached:
            self.measuring.after_backward(loop.backwards == 1 and not self.life.leftover)

    def step_begins(self, optimizer: Optimizer, closure: bool) -> None:
        """Parameters are about to change."""
        loop = self.loop
        owned = loop.owned.get(id(optimizer)) or self.own(optimizer)
        if owned is None:
            return
        closure = closure and id(optimizer) not in self.idle
        self.inside = 0 if closure else None
        if self.attention.on:
            owned.refresh(loop.names)
        if self.attention.on:
            self.panel.tell("on_step_begin", owned, closure)
        if owned is loop.main and not closure:
            if self.broken.first is not None and self._looks_at(self.broken.first):
                self.broken.see_gradient()
            if self.attention.on:
                self.measuring.before_step(owned, self.life.leftover)

    def step_ended(self, optimizer: Optimizer) -> None:
        """Parameters have changed."""
        loop, close = self.loop, self.attention.on
        loop.turn += 1
        owned = loop.owned.get(id(optimizer))
        if owned is None:
            self.panel.tell("on_other_step", optimizer)
            return
        owned.note_step()
        self._end_closure(optimizer)
        if owned is loop.main:
            loop.accumulated, loop.backwards = max(1, loop.backwards), 0
            self._note_loss(owned)
            if close:
                self.measuring.after_step()
        self.panel.tell("on_step", owned, close=close)
        if close:
            owned.life.after_step()
        if owned is loop.main:
            self._end_step()

    def _end_closure(self, optimizer: Optimizer) -> None:
        """Some trainers pass closures that compute nothing, as the loop has done the work."""
        if self.inside == 0:
            self.idle.add(id(optimizer))
        elif self.inside is not None:
            self.attention.always = True
        self.inside = None

    def _end_step(self) -> None:
        """Count the step, and decide how the next step is followed."""
        loop, before = self.loop, self.attention.on
        loop.silent = loop.quiet = loop.calls = loop.training_calls = 0
        loop.step += 1
        now = self.attention.plan(loop.made)
        if before:
            self.life.after_step()
        elif now:  # nobody has looked for a while: what is there has been used
            for life in self._lives():
                life.after_step()
        if now:
            self.measuring.plan()
        elif before:
            self.measuring.release()

    def clipped(self, parameters: Sequence[Tensor], most: float, norm: Any) -> None:
        """Gradients are about to be clipped."""
        if self.attention.on:
            self.panel.tell("on_clip", parameters, most, norm)

    def compared(self, scheduler: ReduceLROnPlateau, value: float) -> None:
        """A plateau scheduler was given a value; this is rare and always reported."""
        self.panel.tell("on_plateau", scheduler, value)

    def told(self, occasion: str, *facts: Any) -> None:
        """Something was loaded, saved, differentiated, sampled or scored."""
        if self.attention.on and not self.loop.measuring:
            self.panel.tell(occasion, *facts)

    def closed(self) -> None:
        """The run is over."""
        self.panel.tell("on_close")

    def failed(self, where: str, error: Exception) -> None:
        """The watcher raised an error; the loop continues."""
        self.loop.failed(where, error)

    def _lives(self) -> list[GradientLife]:
        return [self.life, *(o.life for o in self.loop.owned.values() if o.life is not self.life)]

    def _looks_at(self, t: Tensor) -> bool:
        """Reading a number from an accelerator waits for it."""
        return t.device.type == "cpu" or self.loop.made % SYNCED == 0

    def _note_loss(self, main: Owned) -> None:
        loop = self.loop
        if self.given is not None:
            value, self.given = self.given, None
        elif loop.values:
            value = step_loss(loop.values, loop.graphs[-1])
        else:
            return
        loop.note_loss(value)
        self.measuring.writer.step(loop.step, value, main.rate)
        if loop.made % TREND == TREND - 1:
            slope = trend(loop.loss_values())
            if slope is not None:
                self.measuring.say("trend", slope)
