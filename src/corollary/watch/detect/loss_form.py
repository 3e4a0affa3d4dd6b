"""What the graph of a loss proves about its form: two softmaxes, broadcasting, the wrong sign."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.loss_graph import KINDS, path_to_loss
from corollary.watch.state import Loop

TWICE = "loss/softmax_twice"
RAW = "loss/logits_without_softmax"
BROADCAST = "loss/broadcast"
SIGN = "loss/maximized"
SUM = "loss/summed"
LOOKED_AT = (1, 6, 40)  # steps


class LossForm(Detector):
    """Reads the nodes next to the loss function, a few times."""

    def on_backward_begin(self, loop: Loop, roots: Sequence[Tensor]) -> None:
        """Read the graph of this loss."""
        if loop.made not in LOOKED_AT or not roots or roots[0].grad_fn is None:
            return
        *_, node = path_to_loss(roots[0])
        kind = KINDS.get(node.name())
        if kind is None:
            return
        for finding in (self._form(node, kind), _sign(loop), _sum(loop)):
            if finding is not None:
                loop.events.say(loop.step, finding)

    def _form(self, node: Any, kind: str) -> Finding | None:
        before = inputs_of(node)
        if kind == "cross entropy":
            return _classes(node, before)
        if kind == "bce" and before and before[0].name().startswith("Sigmoid"):
            return _twice("sigmoid", "binary_cross_entropy_with_logits")
        return _broadcast(node, before) if kind in ("mse", "l1", "smooth l1") else None


def inputs_of(node: Any) -> list[Any]:
    """Nodes before this one, with views and casts left out."""
    found_nodes = []
    for each, _ in node.next_functions:
        while each is not None and each.name().startswith(("View", "Reshape", "ToCopy", "Squeeze")):
            each = next((n for n, _ in each.next_functions if n is not None), None)
        if each is not None:
            found_nodes.append(each)
    return found_nodes


def _classes(node: Any, before: list[Any]) -> Finding | None:
    if not before:
        return None
    if before[0].name().startswith("LogSoftmax"):
        inner = inputs_of(before[0])
        squashed = inner and inner[0].name().startswith(("Softmax", "Sigmoid"))
        return _twice(inner[0].name()[:7].lower(), "cross_entropy") if squashed else None
    logs = node._saved_self.detach()
    sums = logs.logsumexp(1)
    if bool((sums.abs() < 1e-2).all()):
        return None  # logarithms of probabilities, however they were made
    return found(
        RAW,
        "The loss treats logits as log-probabilities",
        Severity.HIGH,
        "nll_loss is applied to outputs whose exponentials do not sum to 1. This loss has no "
        "lower bound, and falls as the outputs grow.",
        "Use cross_entropy, or apply log_softmax first.",
    )


def _twice(squash: str, loss: str) -> Finding:
    return found(
        TWICE,
        f"The outputs pass through {squash} twice" if squash != "sigmoid" else
        "A sigmoid is applied before a loss that applies its own",
        Severity.MEDIUM,
        f"{loss} applies its own {squash}, but its input has already passed through one. "
        "Gradients are small, and the loss cannot come near zero.",
        f"Give {loss} the logits.",
    )  # fmt: skip


def _broadcast(node: Any, before: list[Any]) -> Finding | None:
    outputs, target = node._saved_self, node._saved_target
    spread = any(n.name().startswith("Expand") for n in before)
    spread |= isinstance(target, Tensor) and any(
        stride == 0 and size > 1 for stride, size in zip(target.stride(), target.shape, strict=True)
    )
    if not spread or outputs.dim() < 2 or outputs.shape[0] != outputs.shape[1]:
        return None
    return found(
        BROADCAST,
        "The loss compares every output with every target",
        Severity.HIGH,
        "Outputs and targets have different shapes and were broadcast to "
        f"{tuple(outputs.shape)}. The best answer is then the mean of all targets.",
        "Give both the same shape, for example with output.squeeze(1).",
    )


def _sign(loop: Loop) -> Finding | None:
    graph, main = loop.graph, loop.main
    if graph is None or main is None or graph.kind not in ("cross entropy", "mse"):
        return None
    upwards = bool(main.optimizer.param_groups[0].get("maximize"))
    if len(loop.owned) > 1 or (graph.factor < 0) == upwards:
        return None
    return found(
        SIGN,
        "The loss is maximized",
        Severity.HIGH,
        "The optimizer has maximize=True." if upwards else
        f"The {graph.kind} loss enters the backward pass with the factor {graph.factor:g}.",
        "Minimize the loss: remove the minus sign or maximize=True.",
    )  # fmt: skip


def _sum(loop: Loop) -> Finding | None:
    graph = loop.graph
    size = loop.passes[-1].size if loop.passes else 0
    if graph is None or size < 2 or loop.accumulated > 1:
        return None
    summed = not graph.mean and graph.factor == 1
    multiplied = graph.mean and graph.factor == size
    if not (summed or multiplied):
        return None
    return found(
        SUM,
        "The loss is a sum over the batch",
        Severity.LOW,
        ("The loss function has reduction='sum'" if summed else
         f"The mean loss is multiplied by the batch size {size}")
        + ". The gradient grows with the batch size, so the learning rate has to shrink in "
          "proportion.",
        "Use the mean, unless the learning rate was chosen for the sum.",
    )  # fmt: skip
