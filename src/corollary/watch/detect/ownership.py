"""Which parameters the optimizers have: too few, too many, or those of another network."""

from collections import deque

from torch import nn

from corollary.core.finding import Severity
from corollary.watch.detect.detector import Detector, found, listed
from corollary.watch.measure.layers import LayerProbe
from corollary.watch.state import Loop, Owned

UNOWNED = "optimizer/missing_parameters"
TWICE = "optimizer/shared_parameters"
FOREIGN = "optimizer/foreign_parameters"
CUT = "loop/graph_cut"
DECAY = "optimizer/decay_on_norms"
LOOKED_AT = (4, 40, 400, 4000)  # steps at which ownership is compared
EVERY = 8  # steps between two looks at what asks for gradients


class Ownership(Detector):
    """Compares the parameters of the optimizers with the parameters that receive gradients."""

    every_step = True

    def __init__(self) -> None:
        self.recent: deque[int] = deque(maxlen=6)  # which optimizers made the last steps
        self.trained: set[int] | None = None  # parameters that ask for gradients
        self.later: set[int] = set()  # those that did not at first, or were not there
        self.look_at = -1

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Compare after a few steps, when every optimizer has been seen, and after changes."""
        self.recent.append(id(owned.optimizer))
        if owned is loop.main:
            if loop.made % EVERY == 0:
                self._changes(loop)
            if loop.made in LOOKED_AT or loop.made == self.look_at:
                self._unowned(loop)
                self._twice(loop)
                for each in list(loop.owned.values()):
                    self._foreign(loop, each)
        if owned.steps == 1:
            self._decay(loop, owned)

    def _changes(self, loop: Loop) -> None:
        """Layers were unfrozen or added: check again after a few steps."""
        trained = {id(p) for p in loop.trained()}
        if self.trained is not None and trained - self.trained:
            self.later |= trained - self.trained
            self.look_at = loop.made + 4
            loop.rename()
        self.trained = trained

    def _unowned(self, loop: Loop) -> None:
        for each in loop.owned.values():
            each.refresh(loop.names)
        has = {id(p) for each in loop.owned.values() for p in each.parameters}
        trained = [p for p in loop.trained() if p.grad is not None]
        missing = [p for p in trained if id(p) not in has]
        if not missing or not has:
            return
        # Training only the last layers of a network is a method; anything else is an oversight.
        flags = [id(p) in has for p in trained]
        late = [p for p in missing if id(p) in self.later]
        head_only = flags == sorted(flags) and not late
        when = " Some of these parameters were unfrozen or added during the run." if late else ""
        loop.events.say(
            loop.step,
            found(
                UNOWNED,
                "No optimizer updates some of the parameters",
                Severity.LOW if head_only else Severity.MEDIUM,
                f"{len(missing)} of {len(trained)} parameter tensors receive gradients, but "
                "belong to no optimizer: "
                f"{listed([loop.name(p) for p in late or missing])}.{when}",
                "Set requires_grad=False for the frozen part. Its gradients are computed but "
                "never used."
                if head_only
                else "Add these parameters with optimizer.add_param_group."
                if late
                else "Create the optimizer with model.parameters() after all layers exist.",
                where=loop.name((late or missing)[0]),
            ),
        )

    def _twice(self, loop: Loop) -> None:
        seen: dict[int, int] = {}
        for each in loop.owned.values():
            if id(each.optimizer) in self.recent:
                for p in each.parameters:
                    seen[id(p)] = seen.get(id(p), 0) + 1
        twice = [loop.names[key] for key, count in seen.items() if count > 1]
        if twice:
            loop.events.say(
                loop.step,
                found(
                    TWICE,
                    "Two optimizers update the same parameters",
                    Severity.MEDIUM,
                    f"{len(twice)} parameter tensors are updated by two optimizers in turn: "
                    f"{listed(twice)}.",
                    "Give each parameter to one optimizer.",
                    where=twice[0],
                ),
            )

    def _foreign(self, loop: Loop, owned: Owned) -> None:
        own = {id(p) for p in owned.parameters}
        every = [p for group in owned.optimizer.param_groups for p in group["params"]]
        idle = [p for p in every if id(p) not in own and p.grad is None and p.requires_grad]
        if not idle:
            return
        loop.events.say(
            loop.step,
            found(
                FOREIGN,
                "The optimizer has parameters that are not in the model",
                Severity.HIGH if not own else Severity.MEDIUM,
                f"{len(idle)} of {len(every)} parameter tensors of the optimizer are not "
                "parameters of the model and never receive a gradient. A layer was replaced "
                "or the model was copied after the optimizer was created.",
                "Create the optimizer after the last change to the model.",
            ),
        )

    def _decay(self, loop: Loop, owned: Owned) -> None:
        decayed = [
            p
            for group in owned.optimizer.param_groups
            if group.get("weight_decay", 0)
            for p in group["params"]
            if p.dim() <= 1
        ]
        if decayed:
            loop.events.say(
                loop.step,
                found(
                    DECAY,
                    "Weight decay acts on biases and normalization layers",
                    Severity.LOW,
                    f"Weight decay acts on {len(decayed)} vectors (biases, scales of "
                    f"normalization layers), such as {loop.name(decayed[0])}.",
                    "Put these parameters into a group with weight_decay=0.",
                    where=loop.name(decayed[0]),
                ),
            )


class CutGraph(Detector):
    """Layers that are computed and owned, but have no gradient when their optimizer steps."""

    LOOKS = 3  # before something is said of layers that are not the first

    def __init__(self) -> None:
        self.called: dict[int, list[str]] = {}  # by optimizer: its layers, in order
        self.never: dict[int, set[str]] = {}  # by optimizer: those without a gradient so far
        self.looks: dict[int, int] = {}

    def on_layers(self, loop: Loop, probe: LayerProbe) -> None:
        """Keep the order of computation until the optimizers step."""
        modules = dict(loop.model.named_modules())
        names = list(dict.fromkeys(probe.order))
        for key, owned in loop.owned.items():
            has = {id(p) for p in owned.parameters}
            mine = [n for n in names if any(id(p) in has for p in _own(modules[n]))]
            self.called[key] = mine

    def on_step_begin(self, loop: Loop, owned: Owned, closure: bool) -> None:
        """Compare the order of computation with the layers that have gradients."""
        key = id(owned.optimizer)
        called = self.called.pop(key, None)
        if not called:
            return
        modules = dict(loop.model.named_modules())
        reached = [any(p.grad is not None for p in _own(modules[n])) for n in called]
        dry = {n for n, r in zip(called, reached, strict=True) if not r}
        self.never[key] = self.never.get(key, dry) & dry
        self.looks[key] = self.looks.get(key, 0) + 1
        if not any(reached) or all(reached):
            return
        first = reached.index(True)
        if first and all(reached[first:]):
            self._first_layers(loop, called[:first], called[first])
        elif self.never[key] and self.looks[key] >= self.LOOKS:
            self._some(loop, sorted(self.never[key], key=called.index))

    def _first_layers(self, loop: Loop, cut: list[str], next_: str) -> None:
        loop.events.say(
            loop.step,
            found(
                CUT,
                "The first layers receive no gradient",
                Severity.MEDIUM,
                f"{listed(cut)} are computed and belong to the optimizer, but receive no "
                f"gradient. The first layer that receives a gradient is {next_}.",
                "Look for .detach(), torch.no_grad(), .item() or a conversion to NumPy between "
                f"{cut[-1]} and {next_}.",
                where=cut[-1],
            ),
        )

    def _some(self, loop: Loop, cut: list[str]) -> None:
        loop.events.say(
            loop.step,
            found(
                CUT,
                "Some layers are computed but receive no gradient",
                Severity.LOW,
                f"{listed(cut)} are computed and belong to the optimizer, but have received "
                "no gradient so far.",
                "If the loss should depend on these layers, look for .detach() or "
                "torch.no_grad() between them and the loss.",
                where=cut[0],
            ),
        )


def _own(module: nn.Module) -> list[nn.Parameter]:
    return [p for p in module.parameters(recurse=False) if p.requires_grad]
