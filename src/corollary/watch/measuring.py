"""The measurements at steps that are followed closely, as far as the budget allows."""

from collections.abc import Sequence

from torch import Tensor
from torch.nn.parallel import DistributedDataParallel

from corollary.core.measurement import Reading
from corollary.theory.landscape.curvature.noise_scale import two_sizes
from corollary.watch.cadence import Cadence
from corollary.watch.detect.panel import Panel
from corollary.watch.loss_graph import SCALER
from corollary.watch.measure.inside import Movement
from corollary.watch.measure.layers import LayerFacts, LayerProbe
from corollary.watch.measure.limit import LimitReader
from corollary.watch.measure.micro_batches import LocalGradient, MicroBatches
from corollary.watch.measure.noise import NoiseAverage
from corollary.watch.measure.updates import Update, UpdateReader, total
from corollary.watch.state import Loop, Owned
from corollary.watch.writing import Writer, process_rank

# Prices in training steps, and parts of the share that each may spend; what is left of the share is
# for the hooks themselves. Prices were measured by benchmarks/watch.py and rounded up.
PLAN = {
    "update": (0.5, 0.1),
    "layers": (1.0, 0.15),
    "noise": (0.5, 0.06),
    "curvature": (10.0, 0.2),
}


class Measuring:
    """Decides which measurements are due, makes them, and passes them on."""

    def __init__(
        self, loop: Loop, panel: Panel, writer: Writer, *, overhead: float, memory: int
    ) -> None:
        self.loop, self.panel, self.writer = loop, panel, writer
        self.cadence = Cadence(overhead, PLAN)
        self.limit = LimitReader(loop, memory)
        self.updates = UpdateReader(memory)
        self.movement = Movement()
        self.noise = NoiseAverage()
        self.memory = memory
        self.probe: LayerProbe | None = None
        self.micro: MicroBatches | None = None
        self.local: LocalGradient | None = None

    def say(self, name: str, reading: Reading) -> None:
        """A number was measured."""
        self.loop.readings[name] = reading
        self.writer.reading(self.loop.step, name, reading)
        self.panel.tell("on_reading", name, reading.value)

    def plan(self) -> None:
        """Prepare for the next step."""
        self.release()
        loop = self.loop
        if not loop.compiled and self.cadence.due("layers", loop.made):
            self.probe = LayerProbe(loop.model)
            self.probe.attach()
        source = self._noise_source()
        if source != "examples" and self.cadence.due("noise", loop.made):
            if source == "passes":
                self.micro = MicroBatches()
            elif loop.main is not None:
                self.local = LocalGradient(loop.main.parameters)

    def release(self) -> None:
        """Remove all hooks and copies."""
        if self.probe is not None:
            self.probe.forget()
        if self.local is not None:
            self.local.remove()
        self.probe = self.micro = self.local = None

    def passed(self, output: object) -> None:
        """The model has computed."""
        self.limit.keep_output(output)
        if self.probe is not None and self.probe.order:
            self.probe.remove_calls()
            self.loop.recomputed |= self.probe.recomputed

    def before_backward(self, root: Tensor) -> None:
        """The first graph of a step exists."""
        parameters = self.limit.parameters() if root.requires_grad else []
        if not parameters or not self.cadence.due("curvature", self.loop.made):
            return
        scale = self.loop.graphs[-1].factor if self.loop.graphs else 1.0
        # Of a GradScaler, which divides it out before the step.
        found = self.limit.read(root / scale if scale >= SCALER else root, parameters)
        if found is None:
            self.cadence.refund("curvature")
            return
        self.loop.stability.append((self.loop.step, found.ratio.value))
        self.say("stability", found.ratio)
        if found.curvature is not None and found.threshold is not None:
            self.say("curvature", found.curvature)
            limit = found.threshold
            self.say("threshold", Reading(limit, limit, limit))

    def after_backward(self, clean: bool) -> None:
        """A pass has reached parameters.

        ``clean`` says whether the gradient comes from one pass.
        """
        if self.probe is not None and self.probe.order:
            self._read_layers(self.probe, clean)
        size = self.loop.passes[-1].size if self.loop.passes else 0
        if self.micro is not None and self.loop.main is not None:
            grads = [p.grad for p in self.loop.main.parameters if p.grad is not None]
            if sum(g.numel() for g in grads) * 8 <= self.memory:
                self.micro.add(grads, size, _averaged(self.loop))
        elif self.local is not None:
            parts = self.local.parts(size, process_rank()[1]) if clean else None
            self.local = None
            self._add_noise("processes", parts)

    def before_step(self, owned: Owned, leftover: bool) -> None:
        """The gradient is complete."""
        if self.micro is not None and not leftover:
            self._add_noise("passes", self.micro.parts(process_rank()[1]))
            self.micro = None
        if self.cadence.due("update", self.loop.made):
            named = [(self.loop.name(p), p) for p in owned.parameters]
            moved = self.movement.read(named)
            if moved is not None:
                self.say("movement", moved)
            self.updates.before(named)

    def after_step(self) -> None:
        """Parameters have changed."""
        update = self.updates.after()
        if update is not None:
            self._say_update(update)

    def _noise_source(self) -> str:
        if self.loop.accumulated > 1:
            return "passes"
        return "processes" if _averaged(self.loop) else "examples"

    def _add_noise(self, source: str, parts: tuple[float, float] | None) -> None:
        if parts is None:
            return
        self.noise.add(*parts, source=source)
        critical = self.noise.read()
        if critical is not None:
            self.say("critical batch size", critical)

    def _read_layers(self, probe: LayerProbe, clean: bool) -> None:
        loop = self.loop
        size = loop.passes[-1].size if loop.passes else 0
        self.panel.tell("on_layers", probe)
        facts = probe.facts(size if clean else 0)
        for name, reading in probe.inside.readings().items():
            self.say(name, reading)
        probe.forget()
        self.probe = None
        measured = [f for f in facts if f.squared is not None and f.batch is not None]
        mean = bool(loop.graphs) and loop.graphs[-1].mean
        if measured and size > 1 and mean and self._noise_source() == "examples":
            small = sum(f.squared or 0.0 for f in measured)
            large = sum(f.batch or 0.0 for f in measured)
            self._add_noise("examples", two_sizes(small, large, 1, size))
        self._say_layers(facts)

    def _say_layers(self, facts: Sequence[LayerFacts]) -> None:
        ranks = [f for f in facts if f.rank is not None]
        if ranks:
            last = ranks[-1].rank or 0.0
            self.say("effective rank", Reading(last, last, last))
        if len(facts) > 1:
            dead = max(f.dead for f in facts[1:])
            self.say("dead units", Reading(dead, dead, dead))

    def _say_update(self, update: Update) -> None:
        gradient, weights = total(update.gradients), total(update.weights)
        self.say("gradient norm", Reading(gradient, gradient, gradient))
        self.say("weight norm", Reading(weights, weights, weights))
        if update.ratios:
            values = sorted(update.ratios.values())
            middle = values[len(values) // 2]
            self.say("update ratio", Reading(middle, values[0], values[-1]))
        self.panel.tell("on_update", update)


def _averaged(loop: Loop) -> bool:
    """Whether the gradient is a mean over processes."""
    model = loop.model
    return isinstance(model, DistributedDataParallel) and model.require_backward_grad_sync
