"""The inputs of the loss: outputs of a wrong range, targets with a graph, a part of the batch."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.detect.loss_form import inputs_of
from corollary.watch.loss_graph import KINDS, path_to_loss
from corollary.watch.state import Loop

RANGE = "loss/targets_out_of_range"
RELU = "loss/relu_on_logits"
GRAPH = "loss/target_has_graph"
PART = "loss/part_of_the_batch"
BATCH = "loss/softmax_over_batch"
START = "loss/starts_too_high"
SCALE = "data/targets_not_scaled"
LEAK = "data/target_in_inputs"
LOOKED_AT = (1, 2, 6)  # steps
NODES = 400  # of the graph, from the loss on, that are searched for a softmax
HIGH = 3.0  # times the loss of equal probabilities
BOUNDS = {"Relu": (0.0, math.inf), "Tanh": (-1.0, 1.0), "Sigmoid": (0.0, 1.0)}
DISTANCES = ("mse", "l1", "smooth l1")


class LossInputs(Detector):
    """Reads the nodes before the loss function, a few times."""

    @torch.no_grad()
    def on_backward_begin(self, loop: Loop, roots: Sequence[Tensor]) -> None:
        """Read the graph of this loss."""
        if loop.made not in LOOKED_AT or not roots or roots[0].grad_fn is None:
            return
        size = loop.passes[-1].size if loop.passes else 0
        self._tell(loop, _over_batch(roots[0].grad_fn, size))
        *_, node = path_to_loss(roots[0])
        kind = KINDS.get(node.name())
        if kind is None:
            return
        self._tell(loop, _graph(node, kind))
        self._tell(loop, _part(node, size))
        self._tell(loop, _leak(node, loop))
        if kind == "cross entropy":
            self._tell(loop, _relu(node))
            self._tell(loop, _start(loop, node))
        elif kind in DISTANCES:
            self._tell(loop, _range(node))
            self._tell(loop, _scale(node))

    def _tell(self, loop: Loop, finding: Finding | None) -> None:
        if finding is not None:
            loop.events.say(loop.step, finding)


def _over_batch(first: Any, size: int) -> Finding | None:
    for node in _nodes(first):
        name = node.name()
        if not name.startswith(("SoftmaxBackward", "LogSoftmaxBackward")):
            continue
        dim = node._saved_dim - (1 << 64) if node._saved_dim >> 63 else node._saved_dim
        shape = node._saved_result.shape
        if len(shape) > 1 and dim in (0, -len(shape)) and shape[0] == size > 1:
            return found(
                BATCH,
                "A softmax runs over the examples of the batch",
                Severity.MEDIUM,
                f"{'log_softmax' if name[0] == 'L' else 'softmax'} of a tensor of shape "
                f"{tuple(shape)} runs along dim=0, the axis of the {size} examples. The class "
                "probabilities of an example do not sum to 1.",
                "Pass dim=-1 (or dim=1).",
            )
    return None


def _nodes(first: Any) -> Iterator[Any]:
    todo, seen = [first], {first}
    while todo and len(seen) < NODES:
        node = todo.pop(0)
        yield node
        for each, _ in node.next_functions:
            if each is not None and each not in seen:
                seen.add(each)
                todo.append(each)


def _graph(node: Any, kind: str) -> Finding | None:
    edges = node.next_functions
    if kind == "cross entropy" or len(edges) < 2 or None in (edges[0][0], edges[1][0]):
        return None
    return found(
        GRAPH,
        "The loss is differentiated through its target",
        Severity.LOW,
        f"The gradient of the {kind} loss also flows into its target, so training also moves the "
        "target towards the output.",
        "If the target should be fixed (a teacher, a bootstrapped value), compute the target "
        "under torch.no_grad() or use target.detach().",
    )


def _part(node: Any, size: int) -> Finding | None:
    targets = node._saved_target
    counted = int(targets.shape[0]) if targets.dim() else 1
    if size < 4 or counted > size // 2 or targets.numel() > size // 2:
        return None
    return found(
        PART,
        "The loss uses only part of the batch",
        Severity.LOW,
        f"The model received {size} examples, but the loss received only {targets.numel()} "
        f"target{'s' if targets.numel() > 1 else ''}.",
        "Look for an index such as out[0], out[-1] or y[i] before the loss.",
    )


def _relu(node: Any) -> Finding | None:
    before = inputs_of(node)
    if not before or not before[0].name().startswith("LogSoftmax"):
        return None
    inner = inputs_of(before[0])
    if not inner or not inner[0].name().startswith(("Relu", "LeakyRelu", "Tanh")):
        return None
    return found(
        RELU,
        "There is an activation between the last layer and the loss",
        Severity.LOW,
        f"The logits pass through {inner[0].name().removesuffix('Backward0')} before "
        "cross_entropy. This cuts off negative logits or squashes all logits, and outputs "
        "that are cut off have no gradient.",
        "Pass the outputs of the last linear layer to cross_entropy.",
    )


def _range(node: Any) -> Finding | None:
    before, targets = inputs_of(node), node._saved_target
    name = before[0].name() if before else ""
    bounds = next((b for key, b in BOUNDS.items() if name.startswith(key)), None)
    if bounds is None or targets.device.type != "cpu":
        return None
    outside = float(((targets < bounds[0]) | (targets > bounds[1])).float().mean())
    if outside < 0.05:
        return None
    return found(
        RANGE,
        "Targets lie outside the range of the outputs",
        Severity.MEDIUM,
        f"The last activation is {name.removesuffix('Backward0')}, with outputs from "
        f"{bounds[0]:g} to {bounds[1]:g}. {outside:.0%} of the targets in a batch lie outside "
        "this range.",
        "Remove the last activation, or scale the targets.",
    )


def _scale(node: Any) -> Finding | None:
    size = float(node._saved_target.float().square().mean().sqrt())
    if 1e-3 < size < 100 or size == 0:
        return None
    return found(
        SCALE,
        "Targets are far from unit scale",
        Severity.LOW,
        f"The root mean square of the targets is {size:.2g}. The gradients have the same scale, "
        "and the weights of the last layer have to adapt to this scale first.",
        "Standardize the targets, and scale the predictions back.",
    )


def _leak(node: Any, loop: Loop) -> Finding | None:
    """An input column that equals the target."""
    x, y = loop.passes[-1].first() if loop.passes else None, node._saved_target
    if x is None or x.device.type != "cpu" or y.device.type != "cpu" or x.dim() < 2:
        return None
    if y.numel() != len(x) or len(x) < 8 or x[0].numel() > 1 << 16:
        return None
    target = y.reshape(-1, 1).to(x.dtype)
    if bool((target == target[:1]).all()) or x.data_ptr() == y.data_ptr():
        return None
    same = (x.reshape(len(x), -1) == target).all(0)
    if not bool(same.any()):
        return None
    return found(
        LEAK,
        "A column of the input is the target",
        Severity.MEDIUM,
        f"In a batch of {len(x)} examples, input number {int(same.nonzero()[0])} equals the "
        "target in every example. The target leaks into the input.",
        "Remove the target from the features.",
    )


def _start(loop: Loop, node: Any) -> Finding | None:
    graph, classes = loop.graph, int(node._saved_self.shape[1])
    if graph is None or graph.factor != 1 or not graph.mean or not loop.first_losses:
        return None
    first, equal = loop.first_losses[0], math.log(max(2, classes))
    if loop.made != LOOKED_AT[0] or loop.first_step or first < HIGH * equal:
        return None
    return found(
        START,
        "The first loss is far above the loss of a uniform guess",
        Severity.LOW,
        f"The first loss is {first:.3g}, but equal probabilities for {classes} classes would "
        f"give log({classes}) = {equal:.3g}. The untrained network is confident and wrong.",
        "Use smaller initial weights in the last layer, and scale the inputs.",
    )
