"""Reads the graph of a loss: the kind of loss, its factor and its number of targets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

DEEPEST = 24  # nodes between the root and the loss function that are looked at


@dataclass(frozen=True)
class LossGraph:
    """Facts read from the graph of one backward pass."""

    kind: str = ""  # "cross entropy", "mse", ...; empty where it is none of torch's
    factor: float = 1.0  # constants that the loss was multiplied by
    labels: Tensor | None = None  # class numbers
    counted: float | None = None  # targets that a mean was taken over
    leaf: bool = False  # the root has no graph at all
    mean: bool = True
    classes: int = 0  # of a cross entropy


KINDS = {
    "NllLossBackward0": "cross entropy",
    "NllLoss2DBackward0": "cross entropy",
    "MseLossBackward0": "mse",
    "BinaryCrossEntropyWithLogitsBackward0": "bce",
    "SmoothL1LossBackward0": "smooth l1",
    "L1LossBackward0": "l1",
}


def read_graph(root: Tensor) -> LossGraph:
    """Follow the first scalar path from the root to a loss of torch.

    Example:
        >>> import torch
        >>> z = torch.zeros(3, 2, requires_grad=True)
        >>> loss = torch.nn.functional.cross_entropy(z, torch.tensor([0, 1, -100])) / 4
        >>> found = read_graph(loss)
        >>> found.kind, found.factor, found.counted
        ('cross entropy', 0.25, 2.0)
    """
    if root.grad_fn is None:
        return LossGraph(leaf=True)
    factor = 1.0
    for node in path_to_loss(root):
        name = node.name()
        if name in KINDS:
            return _described(node, KINDS[name], factor)
        factor *= _constant(node, name)
    return LossGraph(factor=factor)


SCALER = 128.0  # factors from here on are those of a GradScaler


def step_loss(values: Sequence[float], graph: LossGraph) -> float:
    """The loss of a step from the losses of its passes: their mean, or the sum of divided losses.

    Example:
        >>> step_loss([1.0, 3.0], LossGraph()), step_loss([0.5, 1.5], LossGraph(factor=0.5))
        (2.0, 2.0)
    """
    n = len(values)
    shares = n > 1 and abs(graph.factor * n - 1) < 1e-6
    scale = graph.factor if graph.factor >= SCALER else 1.0
    return sum(values) / (1 if shares else n) / scale


def path_to_loss(root: Tensor) -> Iterator[Any]:
    """The nodes from the root to the loss function, or to the first node that is not a scaling."""
    node: Any = root.grad_fn
    for _ in range(DEEPEST):
        if node is None:
            return
        yield node
        if not node.name().startswith(_PASSED):
            return
        node = next((n for n, _ in node.next_functions if n is not None), None)


# Nodes between a root and its loss function: scaling, adding penalties, casting, averaging.
_PASSED = (
    "Mul",
    "Div",
    "Add",
    "Sub",
    "Neg",
    "ToCopy",
    "Mean",
    "Sum",
    "View",
    "Squeeze",
    "Alias",
    "Reshape",
)


def _constant(node: Any, name: str) -> float:
    if name == "NegBackward0":
        return -1.0
    if name not in ("MulBackward0", "DivBackward0"):
        return 1.0
    other = node._saved_other
    if not isinstance(other, Tensor) or other.numel() != 1 or other.requires_grad:
        return 1.0
    value = float(other)
    return value if name[0] == "M" else 1 / value if value else 1.0


def _described(node: Any, kind: str, factor: float) -> LossGraph:
    mean = getattr(node, "_saved_reduction", 1) == 1
    if kind != "cross entropy":
        return LossGraph(kind, factor, mean=mean)
    weight = node._saved_total_weight
    counted = float(weight) if isinstance(weight, Tensor) and weight.numel() == 1 else None
    classes = int(node._saved_self.shape[1]) if node._saved_self.dim() > 1 else 0
    return LossGraph(kind, factor, node._saved_target, counted, mean=mean, classes=classes)
