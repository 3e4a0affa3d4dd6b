"""The monitor of a training loop: two lines, nothing in the loop changes.

Example:
    >>> import torch
    >>> from torch import nn
    >>> model = nn.Linear(2, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> with watch(model, optimizer, to=None) as watcher:
    ...     for _ in range(5):
    ...         loss = model(torch.ones(4, 2)).square().mean()
    ...         loss.backward()  # and no zero_grad
    ...         optimizer.step()
    >>> [event.cause for event in watcher.events]
    ['loop/zero_grad_missing']
"""

import math
import os
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from corollary.core.measurement import Reading
from corollary.errors import InputError, InputTypeError, NotApplicableError, one_line
from corollary.theory.landscape.curvature.noise_scale import two_sizes
from corollary.watch import forensics
from corollary.watch.cadence import Cadence
from corollary.watch.detect.every import by_occasion, detectors
from corollary.watch.event import Event, Events
from corollary.watch.gradients import GradientLife, smallest
from corollary.watch.hooks import Ears, has_hooks, unwrapped
from corollary.watch.loss_graph import read_graph
from corollary.watch.measure.curvature import CurvatureReader, Stability
from corollary.watch.measure.layers import LayerFacts, LayerProbe
from corollary.watch.measure.noise import NoiseAverage
from corollary.watch.measure.second_pass import SecondPassHessian
from corollary.watch.measure.trend import trend
from corollary.watch.measure.updates import UpdateReader, total
from corollary.watch.sinks.sink import Sink
from corollary.watch.state import Loop, Owned, Pass
from corollary.watch.writing import Writer, chosen_sinks, process_rank

# Prices in training steps, and parts of the share that each may spend; what is left of the share is
# for the hooks themselves. Prices were measured by benchmarks/watch.py and rounded up.
PLAN = {"update": (0.5, 0.15), "layers": (1.0, 0.15), "curvature": (10.0, 0.35)}
PRODUCTS = 2
SYNCED = 16  # steps between two looks at a loss that lives on an accelerator


def watch(
    model: nn.Module,
    optimizer: Optimizer | Iterable[Optimizer] | None = None,
    *,
    to: str | os.PathLike[str] | Sink | Sequence[Sink] | None = "watch.jsonl",
    steps: int | None = None,
    step: int = 0,
    overhead: float = 0.03,
    memory: int = 1 << 30,
    evidence: int = 256 << 20,
    quiet: bool = False,
) -> "Watcher":
    """Watch a training loop: measure theory's quantities, and say what goes wrong and why.

    Training is bit for bit what it is without the watcher, and an error inside the watcher never
    reaches the loop. The loss is read from the backward pass.

    Args:
        model: The module that is trained; hand over what the loop calls.
        optimizer: One or several; without it those that step parameters of the model are found.
        to: A file for the run's record (JSON lines), sinks, or None for no record.
        steps: How many optimizer steps the run is planned for, if you know.
        step: Steps made before, of a resumed run; the record is then continued.
        overhead: Share of the loop's work that measurements may add.
        memory: Bytes that measurements may hold.
        evidence: Bytes that the file with the step of a NaN may have; 0 keeps none.
        quiet: Print nothing.

    Raises:
        InputTypeError: if ``model`` is not a module.
        InputError: if a number is out of range.
    """
    if not isinstance(model, nn.Module):
        raise InputTypeError(f"expected an nn.Module as model, got {type(model).__name__}")
    if not 0 <= overhead <= 1:
        raise InputError(f"expected an overhead between 0 and 1, got {overhead}")
    given = [] if optimizer is None else optimizer
    many = [given] if not isinstance(given, Iterable) else list(given)
    sinks = chosen_sinks(to, resumed=step > 0, quiet=quiet)
    return Watcher(
        model,
        [unwrapped(o) for o in many],
        sinks,
        steps=steps,
        step=step,
        overhead=overhead,
        memory=memory,
        evidence=evidence,
        place=_evidence_place(to),
    )


class Watcher:
    """A watched run; made by :func:`watch`. Close it, or use it in a ``with`` statement."""

    def __init__(
        self,
        model: nn.Module,
        optimizers: Sequence[Optimizer],
        sinks: Sequence[Sink],
        *,
        steps: int | None = None,
        step: int = 0,
        overhead: float = 0.03,
        memory: int = 1 << 30,
        evidence: int = 0,
        place: Path | None = None,
    ) -> None:
        self.writer = Writer(sinks)
        self.events = Events(self._tell)
        self._loop = Loop(model, self.events, planned=steps, step=step)
        self._life = GradientLife(list(model.parameters()))
        self._first = next(iter(smallest(self._life.parameters[:2], 1)), None)
        self._detectors = by_occasion(detectors())
        self._cadence = Cadence(overhead, PLAN)
        self._curvature: CurvatureReader | None = CurvatureReader(PRODUCTS)
        self._updates = UpdateReader(memory)
        self._noise = NoiseAverage()
        self._probe: LayerProbe | None = None
        self._memory, self._evidence, self._place = memory, evidence, place
        self._given: float | None = None  # a loss handed over for this step
        self._measuring = False
        self._second_pass = False  # whether curvature needs one
        self.problems: list[str] = []  # what went wrong inside the watcher
        for optimizer in optimizers:
            self._own(optimizer)
        self.writer.begin(model, [o.optimizer for o in self._loop.owned.values()], step, steps)
        self._began = time.monotonic()
        self._plan_layers()
        self._ears: Ears | None = Ears(model, self)

    # What a user calls.

    @property
    def step(self) -> int:
        """Optimizer steps seen so far, with those before a resumed run."""
        return self._loop.step

    @property
    def readings(self) -> dict[str, Reading]:
        """The latest value of each measurement, with its interval."""
        return dict(self._loop.readings)

    def loss(self, value: float | Tensor) -> None:
        """Hand over the loss of this step, where it cannot be read from the backward pass."""
        self._given = float(value.detach()) if isinstance(value, Tensor) else float(value)

    def batch(self, *inputs: Any) -> None:
        """Hand over the batch of this pass, in a loop that does not call the model itself."""
        model, state = self._loop.model, torch.get_rng_state()
        self._loop.passes.append(Pass(inputs, {}, model.training, True, state, repeatable=False))

    def held_out(self, value: float | Tensor) -> None:
        """Hand over a loss on data that is not trained on."""
        number = float(value.detach()) if isinstance(value, Tensor) else float(value)
        self._read("held out", Reading(number, number, number))
        recent = self._loop.loss_values(50)
        if recent:
            gap = number - sum(recent) / len(recent)
            self._read("gap", Reading(gap, gap, gap))

    def close(self) -> None:
        """Remove every hook and write the end of the record; harmless if done before."""
        if self._ears is None:
            return
        self._ears.remove()
        self._ears = None
        self._release_probe()
        seconds = time.monotonic() - self._began
        self.writer.end(self._loop.step, seconds, self.events.sorted(), self.problems)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        said = f"{len(self.events)} event{'' if len(self.events) == 1 else 's'}"
        return f"<Watcher at step {self.step}: {said}>"

    # What the ears tell.

    def called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The model is about to compute."""
        if self._measuring:
            return
        model, grad = self._loop.model, torch.is_grad_enabled()
        found = Pass(args, kwargs, model.training, grad, torch.get_rng_state())
        if grad:
            self._loop.passes.append(found)
        self._detect("on_pass", found)

    def answered(self, output: Any) -> None:
        """The model has computed: hooks on the layers have done their part."""
        if self._measuring:
            return
        if self._second_pass and torch.is_grad_enabled() and self._loop.passes:
            self._loop.passes[-1].output = output
        if self._probe is not None and self._probe.order and torch.is_grad_enabled():
            self._probe.remove_calls()
            self._loop.recomputed |= self._probe.recomputed

    def backward_begins(self, roots: Sequence[Tensor]) -> None:
        """Read the loss and its graph, and the curvature if it is due."""
        loop = self._loop
        self._life.before_backward()
        loop.backwards = self._life.backwards
        if loop.backwards == 0:
            loop.values, loop.graphs = [], []
        for owned in loop.owned.values():
            owned.life.before_backward()
        if not roots:
            return
        if not loop.graph or loop.accumulated > 1 or loop.made < 40 or loop.made % 8 == 0:
            loop.graph = read_graph(roots[0])
        loop.graphs.append(loop.graph)
        if roots[0].numel() == 1 and self._reads_loss(roots[0]):
            loop.values.append(float(roots[0].detach()))
            if not math.isfinite(loop.values[-1]):
                self._not_finite(loop.values[-1])
        self._detect("on_backward_begin", roots)
        if loop.backwards == 0 and roots[0].numel() == 1:
            self._read_curvature(roots[0])

    def backward_ended(self, roots: Sequence[Tensor]) -> None:
        """Gradients are there."""
        loop = self._loop
        reached = self._life.after_backward()
        for owned in loop.owned.values():
            owned.life.after_backward()
        loop.backwards = self._life.backwards
        if loop.passes:
            loop.passes[-1].output = None
        self._detect("on_backward", reached)
        if reached and self._probe is not None and self._probe.order:
            self._read_layers(self._probe)

    def step_begins(self, optimizer: Optimizer, closure: bool) -> None:
        """Parameters are about to change."""
        owned = self._loop.owned.get(id(optimizer)) or self._own(optimizer)
        if owned is None:
            return
        self._detect("on_step_begin", owned, closure)
        if owned is self._loop.main and not closure:
            self._look_at_gradient()
            if self._cadence.due("update", self._loop.made):
                named = [(self._loop.name(p), p) for p in owned.parameters]
                self._updates.before(named)

    def step_ended(self, optimizer: Optimizer) -> None:
        """Parameters have changed."""
        loop = self._loop
        owned = loop.owned.get(id(optimizer))
        if owned is None:
            return
        owned.steps += 1
        owned.rates.append(float(owned.optimizer.param_groups[0]["lr"]))
        if owned is loop.main:
            loop.accumulated, loop.backwards = max(1, loop.backwards), 0
            self._note_loss()
            update = self._updates.after()
            if update is not None:
                self._say_update(update)
        self._detect("on_step", owned)
        owned.life.after_step()
        if owned is loop.main:
            self._life.after_step()
            loop.step += 1
            self._plan_layers()

    def _detect(self, occasion: str, *facts: Any) -> None:
        """Tell every detector; one that breaks down is left out from then on."""
        loop = self._loop
        for detector, method in self._detectors[occasion]:
            try:
                method(loop, *facts)
            except Exception as error:
                self._detectors = {
                    name: [pair for pair in pairs if pair[0] is not detector]
                    for name, pairs in self._detectors.items()
                }
                self.failed(f"{type(detector).__name__}.{occasion}", error)

    def failed(self, where: str, error: Exception) -> None:
        """Something of ours broke down; the loop goes on."""
        told = f"{where}: {type(error).__name__}: {one_line(str(error))}"
        if told not in self.problems and len(self.problems) < 20:
            self.problems.append(told)

    # What is measured.

    def _own(self, optimizer: Optimizer) -> Owned | None:
        """Take note of an optimizer, if it has a parameter of the model or was handed over."""
        loop = self._loop
        every = [p for group in optimizer.param_groups for p in group["params"]]
        mine = [p for p in every if id(p) in loop.names]
        if not mine and (loop.owned or self._has_ears):
            return None
        life = GradientLife(mine or every)
        owned = Owned(optimizer, mine, len(every) - len(mine), life)
        loop.owned[id(optimizer)] = owned
        loop.main = loop.main or owned
        return owned

    @property
    def _has_ears(self) -> bool:
        return getattr(self, "_ears", None) is not None

    def _reads_loss(self, root: Tensor) -> bool:
        return root.device.type == "cpu" or self._loop.made % SYNCED == 0

    def _note_loss(self) -> None:
        loop = self._loop
        if self._given is not None:
            value, self._given = self._given, None
        elif loop.values:
            divided = loop.graphs and abs(loop.graphs[-1].factor * len(loop.values) - 1) < 1e-6
            scale = max(1.0, loop.graphs[-1].factor if loop.graphs[-1].factor >= 128 else 1.0)
            value = sum(loop.values) / (1 if divided and len(loop.values) > 1 else len(loop.values))
            value /= scale  # of a GradScaler
        else:
            return
        loop.losses.append((loop.step, value))
        loop.lowest = min(loop.lowest, value)
        if len(loop.first_losses) < 50:
            loop.first_losses.append(value)
        rate = loop.main.rates[-1] if loop.main else math.nan
        self.writer.step(loop.step, value, rate)
        if loop.made % 50 == 49:
            slope = trend(loop.loss_values())
            if slope is not None:
                self._read("trend", slope)

    def _read_curvature(self, root: Tensor) -> None:
        loop = self._loop
        main = loop.main
        if self._curvature is None or main is None or not root.requires_grad:
            return
        # What an adaptive method divides by is known after its first step.
        fixed = isinstance(main.optimizer, torch.optim.SGD)
        parameters = [
            p for p in main.parameters if p.requires_grad and (fixed or main.optimizer.state.get(p))
        ]
        if not parameters or not self._cadence.due("curvature", loop.made):
            return
        if (PRODUCTS + 5) * 4 * sum(p.numel() for p in parameters) > self._memory:
            self._without_curvature("the network is too large for the memory that was given")
            return
        if self._loop.recomputed:  # a second backward pass would be in place of the loop's own
            self._without_curvature("layers are checkpointed, and their passes are made once only")
            return
        try:
            found = self._stability(self._curvature, root, main.optimizer, parameters)
        except (NotApplicableError, NotImplementedError, RuntimeError) as error:
            if self._second_pass:
                self._without_curvature(one_line(str(error)))
            self._second_pass = True  # the next reading makes the pass again
            return
        loop.stability.append((loop.step, found.ratio.value))
        self._read("stability", found.ratio)
        if found.curvature is not None and found.threshold is not None:
            self._read("curvature", found.curvature)
            limit = found.threshold
            self._read("threshold", Reading(limit, limit, limit))

    def _stability(
        self,
        reader: CurvatureReader,
        root: Tensor,
        optimizer: Optimizer,
        parameters: Sequence[Tensor],
    ) -> Stability:
        """On the step's own graph or, where that has no second derivative, by a second pass."""
        loop = self._loop
        if not self._second_pass:
            return reader.read(root, optimizer, parameters)
        if not loop.passes or has_hooks(loop.inner):
            raise NotApplicableError("hooks of the model would hear a second pass")
        found, self._measuring = loop.passes[-1], True
        try:
            return reader.read(
                root,
                optimizer,
                parameters,
                lambda: SecondPassHessian(root, found, loop.inner, parameters),
            )
        finally:
            self._measuring = False

    def _without_curvature(self, why: str) -> None:
        self._curvature = None
        self.problems.append(f"curvature is not measured: {why}")

    def _plan_layers(self) -> None:
        """Hook the layers for the next pass, if it is due."""
        self._release_probe()
        if not self._loop.compiled and self._cadence.due("layers", self._loop.made):
            self._probe = LayerProbe(self._loop.model)
            self._probe.attach()

    def _release_probe(self) -> None:
        if self._probe is not None:
            self._probe.forget()
            self._probe = None

    def _read_layers(self, probe: LayerProbe) -> None:
        loop = self._loop
        size = loop.passes[-1].size if loop.passes else 0
        self._detect("on_layers", probe)
        clean = loop.backwards == 1 and not self._life.leftover
        facts = probe.facts(size if clean else 0)
        self._release_probe()
        measured = [f for f in facts if f.squared is not None and f.batch is not None]
        if measured and size > 1 and loop.graphs and loop.graphs[-1].mean:
            small = sum(f.squared or 0.0 for f in measured)
            large = sum(f.batch or 0.0 for f in measured)
            self._noise.add(*two_sizes(small, large, 1, size))
            critical = self._noise.read()
            if critical is not None:
                self._read("critical batch size", critical)
        self._say_layers(facts)

    def _say_layers(self, facts: Sequence[LayerFacts]) -> None:
        ranks = [f for f in facts if f.rank is not None]
        if ranks:
            last = ranks[-1].rank or 0.0
            self._read("effective rank", Reading(last, last, last))
        if len(facts) > 1:
            dead = max(f.dead for f in facts[1:])
            self._read("dead units", Reading(dead, dead, dead))

    def _say_update(self, update: Any) -> None:
        gradient, weights = total(update.gradients), total(update.weights)
        self._read("gradient norm", Reading(gradient, gradient, gradient))
        self._read("weight norm", Reading(weights, weights, weights))
        if update.ratios:
            values = sorted(update.ratios.values())
            middle = values[len(values) // 2]
            self._read("update ratio", Reading(middle, values[0], values[-1]))
        self._detect("on_update", update)

    def _read(self, name: str, reading: Reading) -> None:
        self._loop.readings[name] = reading
        self.writer.reading(self._loop.step, name, reading)
        self._detect("on_reading", name, reading.value)

    # What is said.

    def _look_at_gradient(self) -> None:
        """One small gradient of the first layers: what goes wrong behind arrives here."""
        loop = self._loop
        if self.events.find(forensics.GRADIENT) or self.events.find(forensics.NOT_FINITE):
            return
        first = self._first
        if first is None or first.grad is None or math.isfinite(float(first.grad.sum())):
            return
        names = forensics.bad_gradients(loop)
        scaled = any(g.factor >= 128 for g in loop.graphs)  # a GradScaler leaves such steps out
        if names and not scaled:
            self.events.say(loop.step, forensics.explain_gradient(loop, names))
            self._keep_evidence()

    def _not_finite(self, value: float) -> None:
        if self.events.find(forensics.NOT_FINITE) is None:
            self._measuring = True
            try:
                finding = forensics.explain_loss(self._loop, value)
            finally:
                self._measuring = False
            self.events.say(self._loop.step, finding)
            self._keep_evidence()

    def _keep_evidence(self) -> None:
        if self._place is None or not self._evidence:
            return
        path = self._place.with_name(f"{self._place.stem}-step-{self._loop.step}.pt")
        size = forensics.write_evidence(self._loop, path, self._evidence)
        self.writer.evidence(self._loop.step, None if size is None else str(path), size)
        if size is not None:
            hint = f"corollary replay {path} --model FILE.py:NAME"
            print(f"corollary: the step is kept; {hint}", file=sys.stderr)

    def _tell(self, event: Event) -> None:
        self.writer.event(event)


def _evidence_place(to: Any) -> Path | None:
    if not isinstance(to, str | os.PathLike):
        return None
    place = Path(to)
    rank, world = process_rank()
    return place if world == 1 else place.with_name(f"{place.stem}.rank{rank}{place.suffix}")
