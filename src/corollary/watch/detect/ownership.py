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


class Ownership(Detector):
    """Compares what the optimizers own with what receives gradients."""

    every_step = True

    def __init__(self) -> None:
        self.recent: deque[int] = deque(maxlen=6)  # which optimizers made the last steps

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Compare after a few steps, when every optimizer has been seen."""
        self.recent.append(id(owned.optimizer))
        if owned is loop.main and loop.made in LOOKED_AT:
            self._unowned(loop)
            self._twice(loop)
            for each in list(loop.owned.values()):
                self._foreign(loop, each)
        if owned.steps == 1:
            self._decay(loop, owned)

    def _unowned(self, loop: Loop) -> None:
        has = {id(p) for each in loop.owned.values() for p in each.parameters}
        trained = [p for p in loop.trained() if p.grad is not None]
        missing = [p for p in trained if id(p) not in has]
        if not missing or not has:
            return
        # Training only the last layers of a network is a method; anything else is an oversight.
        flags = [id(p) in has for p in trained]
        head_only = flags == sorted(flags)
        loop.events.say(
            loop.step,
            found(
                UNOWNED,
                "Parameters that no optimizer updates",
                Severity.LOW if head_only else Severity.MEDIUM,
                f"{len(missing)} of {len(trained)} parameter tensors receive gradients, but no "
                f"optimizer has them: {listed([loop.name(p) for p in missing])}.",
                "Set requires_grad=False for the frozen part; its gradients are computed and "
                "never used."
                if head_only
                else "Create the optimizer with model.parameters() after all layers.",
                where=loop.name(missing[0]),
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
                "parameters of the model and never receive a gradient; a layer was replaced or "
                "the model was copied after the optimizer was made.",
                "Make the optimizer after the last change to the model.",
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
                    f"{len(decayed)} vectors (biases, scales of normalization) are decayed, such "
                    f"as {loop.name(decayed[0])}.",
                    "Put them in a parameter group with weight_decay=0.",
                    where=loop.name(decayed[0]),
                ),
            )


class CutGraph(Detector):
    """Layers at the start of the network that are computed but receive no gradient."""

    def on_layers(self, loop: Loop, probe: LayerProbe) -> None:
        """Compare the order of computation with where gradients are."""
        modules = dict(loop.model.named_modules())
        called = [name for name in dict.fromkeys(probe.order) if _own(modules[name])]
        reached = [any(p.grad is not None for p in _own(modules[n])) for n in called]
        if not any(reached) or all(reached):
            return
        first = reached.index(True)
        has = {id(p) for each in loop.owned.values() for p in each.parameters}
        cut = [n for n in called[:first] if any(id(p) in has for p in _own(modules[n]))]
        if not cut or not all(reached[first:]):
            return
        loop.events.say(
            loop.step,
            found(
                CUT,
                "The first layers receive no gradient",
                Severity.MEDIUM,
                f"{listed(cut)} are computed and belong to the optimizer, but no gradient "
                f"reaches them; the first layer that receives one is {called[first]}.",
                "Look for .detach(), torch.no_grad(), .item() or a conversion to NumPy between "
                f"{cut[-1]} and {called[first]}.",
                where=cut[-1],
            ),
        )


def _own(module: nn.Module) -> list[nn.Parameter]:
    return [p for p in module.parameters(recurse=False) if p.requires_grad]
