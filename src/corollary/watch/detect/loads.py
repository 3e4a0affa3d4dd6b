"""Checkpoints: keys that do not fit, states that are not loaded, states loaded into themselves."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from torch import Tensor, nn
from torch.optim import Optimizer

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found, listed
from corollary.watch.detect.optimizers import LOST, keeps_state
from corollary.watch.state import Loop, Owned
from corollary.watch.surroundings import variables

KEYS = "loop/checkpoint_keys"
ITSELF = "loop/loads_itself"
STARTS = re.compile(r"^(start|resume|initial)_?(epoch|step|iter)|^(epoch|step)_start", re.I)
DEEP = 3  # mappings within mappings that are searched for a state


class Loads(Detector):
    """Checks each state that is loaded, and saved states among the variables at the first step."""

    def on_load(self, loop: Loop, target: nn.Module | Optimizer, state: Any, result: Any) -> None:
        """Compare the loaded state with the state before."""
        if not isinstance(target, nn.Module) or not isinstance(state, Mapping):
            return
        own = {t.data_ptr() for t in target.state_dict().values() if t.numel()}
        given = [t for t in state.values() if isinstance(t, Tensor) and t.numel()]
        if own and given and all(t.data_ptr() in own for t in given):
            loop.events.say(loop.step, _itself(type(target).__name__))
        missing = list(getattr(result, "missing_keys", ()))
        unexpected = list(getattr(result, "unexpected_keys", ()))
        if missing and unexpected and any(target is m for m in (loop.model, loop.inner)):
            nothing = len(missing) >= len(list(target.parameters()))
            loop.events.say(loop.step, _keys(missing, unexpected, nothing))

    def on_step_begin(self, loop: Loop, owned: Owned, closure: bool) -> None:
        """Before its first step, an optimizer has no state although a saved state exists."""
        if owned.steps or owned is not loop.main or not keeps_state(owned):
            return
        if owned.optimizer.state:
            return
        count = sum(len(g["params"]) for g in owned.optimizer.param_groups)
        for name, value in variables():
            if type(value) is int and value > 0 and STARTS.search(name):
                loop.events.say(loop.step, _resumed(name, value, type(owned.optimizer).__name__))
            if any(_of_optimizer(each, count) for each in mappings(value)):
                loop.events.say(loop.step, _lost(name, type(owned.optimizer).__name__))
                return


def mappings(value: Any, deep: int = DEEP) -> Iterator[Mapping[Any, Any]]:
    """A mapping and the mappings inside it."""
    if not issubclass(type(value), dict):
        return
    yield value
    if deep and len(value) < 64:
        for each in value.values():
            yield from mappings(each, deep - 1)


def _of_optimizer(value: Mapping[Any, Any], count: int) -> bool:
    """Whether this is the state of an optimizer of the same size that has made steps."""
    if set(value) != {"state", "param_groups"} or not value["state"]:
        return False
    groups = value["param_groups"]
    return isinstance(groups, list) and sum(len(g.get("params", ())) for g in groups) == count


def _itself(name: str) -> Finding:
    return found(
        ITSELF,
        "load_state_dict receives the module's own weights",
        Severity.MEDIUM,
        f"A {name} loads a state that holds its own tensors, so nothing changes. The state "
        "was taken from the wrong network, or saved by reference (state_dict() makes no "
        "copies).",
        "Load the state of the other network, or save with copy.deepcopy(model.state_dict()).",
    )


def _keys(missing: list[str], unexpected: list[str], nothing: bool) -> Finding:
    tails = {key.partition(".")[2] for key in unexpected}
    prefix = unexpected[0].partition(".")[0] if tails & set(missing) else ""
    return found(
        KEYS,
        "The checkpoint does not fit the model",
        Severity.HIGH if nothing else Severity.MEDIUM if prefix else Severity.LOW,
        f"load_state_dict(strict=False) did not load {len(missing)} keys that the model has, such "
        f"as {listed(missing, 1)}, and ignored {len(unexpected)} keys of the checkpoint, such as "
        f"{listed(unexpected, 1)}"
        + (". Nothing was loaded, and the weights are random." if nothing else "."),
        f"Remove the prefix {prefix + '.'!r} from the keys of the checkpoint, and load with "
        "strict=True."
        if prefix
        else "Compare the keys, and load with strict=True.",
    )


def _lost(name: str, kind: str) -> Finding:
    return found(
        LOST,
        "The run is resumed without the optimizer's state",
        Severity.MEDIUM,
        f"The variable {name!r} holds the state of an optimizer with the same number of "
        f"parameters, but the {kind} begins without momentum or second moments. The state of the "
        "optimizer was not restored from the checkpoint.",
        "Call optimizer.load_state_dict before training continues.",
    )


def _resumed(name: str, value: int, kind: str) -> Finding:
    return found(
        LOST,
        "The run is resumed without the optimizer's state",
        Severity.LOW,
        f"{name} is {value}, so the run continues from a checkpoint, but the {kind} begins without "
        "momentum or second moments: its state was not restored.",
        "Save optimizer.state_dict() with the model, and load it before going on.",
    )
