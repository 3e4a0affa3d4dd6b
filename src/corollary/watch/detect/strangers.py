"""Parameters in the graph of the loss that belong neither to the model nor to an optimizer."""

from collections.abc import Iterator, Sequence
from typing import Any

from torch import Tensor, nn
from torch.optim import Optimizer

from corollary.core.finding import Severity
from corollary.watch.detect.detector import Detector, found, listed
from corollary.watch.detect.ownership import UNOWNED
from corollary.watch.state import Loop, Owned

NODES = 20_000  # of a graph that are looked at
WALK, SAY = 3, 12  # steps; between them other optimizers show what they have


class Strangers(Detector):
    """Goes through the graph of one loss, once."""

    def __init__(self) -> None:
        self.found: list[nn.Parameter] = []
        self.owned: set[int] = set()  # by optimizers that have nothing of the model

    def on_other_step(self, loop: Loop, optimizer: Optimizer) -> None:
        """Record the parameters of another network's optimizer."""
        if loop.made <= SAY:
            self.owned |= {id(p) for group in optimizer.param_groups for p in group["params"]}

    def on_backward_begin(self, loop: Loop, roots: Sequence[Tensor]) -> None:
        """Collect the parameters at the ends of the graph."""
        if loop.made != WALK or self.found or not roots:
            return
        self.found = [
            leaf
            for leaf in leaves(roots[0])
            if isinstance(leaf, nn.Parameter) and id(leaf) not in loop.names
        ]

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Report parameters that belong neither to the model nor to an optimizer."""
        if owned is not loop.main or loop.made != SAY or not self.found:
            return
        for each in loop.owned.values():
            self.owned |= {id(p) for g in each.optimizer.param_groups for p in g["params"]}
        lost = [p for p in self.found if id(p) not in self.owned and id(p) not in loop.names]
        self.found = []
        if lost:
            hidden = [
                name for name, p in hidden_parameters(loop.model) if any(p is q for q in lost)
            ]
            loop.events.say(
                loop.step,
                found(
                    UNOWNED,
                    "Some layers are not registered in the model"
                    if hidden
                    else "The loss has parameters that no optimizer updates",
                    Severity.MEDIUM if hidden else Severity.LOW,
                    f"{len(lost)} parameter tensors in the graph of the loss are neither "
                    "parameters of the model nor in an optimizer"
                    + (f": {listed(hidden)}." if hidden else "."),
                    "Keep layers in nn.ModuleList or nn.ModuleDict, not in a Python list."
                    if hidden
                    else "Pass these parameters to the optimizer, or set requires_grad=False "
                    "for them.",
                    where=hidden[0] if hidden else "",
                ),
            )


def leaves(root: Tensor) -> Iterator[Tensor]:
    """Tensors at the ends of a graph, each once.

    Example:
        >>> import torch
        >>> a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
        >>> len(list(leaves((a * b + a).sum())))
        2
    """
    return leaves_of(root.grad_fn)


def leaves_of(first: Any) -> Iterator[Tensor]:
    """Tensors at the ends of the graph behind a node, each once."""
    todo: list[Any] = [first]
    seen: set[Any] = set(todo)
    while todo and len(seen) < NODES:
        node = todo.pop()
        if node is None:
            continue
        if hasattr(node, "variable"):
            yield node.variable
        for each, _ in node.next_functions:
            if each is not None and each not in seen:
                seen.add(each)
                todo.append(each)


def hidden_parameters(model: nn.Module) -> Iterator[tuple[str, nn.Parameter]]:
    """Parameters of modules in plain lists and dictionaries of the model's modules."""
    for place, module in model.named_modules():
        for key, value in vars(module).items():
            if key.startswith("_") or not isinstance(value, list | tuple | dict):
                continue
            for part in value.values() if isinstance(value, dict) else value:
                if isinstance(part, nn.Module):
                    for name, p in part.named_parameters():
                        yield ".".join(filter(None, (place, key, name))), p
