"""The current state of a run, shared by hooks, measurements and detectors."""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from corollary.core.measurement import Reading
from corollary.errors import one_line
from corollary.watch.event import Events
from corollary.watch.gradients import GradientLife
from corollary.watch.loss_graph import LossGraph

RECENT = 400  # losses that trends are read from
FIRST = 50  # losses that the start of a run is judged by
MOST_PROBLEMS = 20


@dataclass
class Pass:
    """One call of the model with gradients: its inputs and its mode."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    training: bool
    rng: Tensor  # state of torch's generator before the call
    output: Any = None  # until the backward pass
    repeatable: bool = True  # whether the model can be called with these inputs

    def tensors(self) -> list[Tensor]:
        """The tensors among the inputs, in order."""
        return tensors_in([*self.args, *self.kwargs.values()])

    def first(self) -> Tensor | None:
        """The first tensor among the inputs."""
        if self.args and isinstance(self.args[0], Tensor):
            return self.args[0]
        return next(iter(self.tensors()), None)

    @property
    def size(self) -> int:
        """Examples of the batch, by the first axis of the first tensor; 0 if there is none."""
        return next((len(t) for t in self.tensors() if t.dim()), 0)


@dataclass
class Owned:
    """An optimizer that updates parameters of the model."""

    optimizer: Optimizer
    parameters: list[nn.Parameter]  # those of the model
    foreign: int  # parameters that it has beside them
    life: GradientLife
    steps: int = 0
    rate: float = math.nan  # learning rate of the last step, of the first group
    first_rate: float = math.nan
    largest_rate: float = 0.0

    def refresh(self, names: Mapping[int, str], renamed: bool = False) -> None:
        """Parameters may have been added to the optimizer, or layers to the model."""
        every = [p for group in self.optimizer.param_groups for p in group["params"]]
        if renamed or len(every) != len(self.parameters) + self.foreign:
            self.parameters = [p for p in every if id(p) in names]
            self.foreign = len(every) - len(self.parameters)

    def note_step(self) -> None:
        """Parameters have changed."""
        self.steps += 1
        self.rate = float(self.optimizer.param_groups[0]["lr"])
        self.largest_rate = max(self.largest_rate, self.rate)
        if self.steps == 1:
            self.first_rate = self.rate


class Loop:
    """The state of one watched loop."""

    def __init__(self, model: nn.Module, events: Events, *, planned: int | None, step: int) -> None:
        self.model, self.events, self.planned = model, events, planned
        self.step, self.first_step = step, step
        self.names: dict[int, str] = {}
        self.owned: dict[int, Owned] = {}
        self.rename()
        self.main: Owned | None = None  # whose steps are counted: the first that was seen
        self.recreated: list[int] = []  # steps at which a new optimizer took its place
        self.passes: deque[Pass] = deque(maxlen=1)  # the last call with gradients
        self.losses: deque[tuple[int, float]] = deque(maxlen=RECENT)
        self.first_losses: list[float] = []  # of the first steps
        self.lowest = float("inf")
        self.kinds: set[str] = set()  # of losses; several are not compared over time
        self.values: list[float] = []  # losses of the passes of this step
        self.graphs: list[LossGraph] = []  # what their graphs say
        self.graph: LossGraph | None = None  # the one that was read last
        self.backwards = 0  # since the main optimizer's step
        self.accumulated = 1  # backward passes of the last step
        self.readings: dict[str, Reading] = {}  # the latest of each name
        self.stability: deque[tuple[int, float]] = deque(maxlen=20)
        self.compiled = hasattr(model, "_orig_mod")
        self.recomputed = False  # whether passes are made again for the backward pass
        self.measuring = False  # whether a pass of the watcher itself is under way
        self.turn = 0  # steps of all optimizers, also of those that have nothing of the model
        self.calls = 0  # passes with gradients since the main optimizer's step
        self.training_calls = 0  # those of them in training mode
        self.silent = 0  # passes without gradients since the last step, in training mode
        self.quiet = 0  # the same in evaluation mode
        self.problems: list[str] = []  # what went wrong inside the watcher

    @property
    def inner(self) -> nn.Module:
        """The module inside a compiled module."""
        return getattr(self.model, "_orig_mod", self.model)

    @property
    def made(self) -> int:
        """Steps seen by this watcher."""
        return self.step - self.first_step

    def rename(self) -> None:
        """Read the names of the parameters; layers may have been added."""
        self.names = {
            id(p): name.removeprefix("_orig_mod.") for name, p in self.model.named_parameters()
        }
        for each in self.owned.values():
            each.refresh(self.names, renamed=True)

    def failed(self, where: str, error: Exception) -> None:
        """The watcher raised an error; the loop continues."""
        told = f"{where}: {type(error).__name__}: {one_line(str(error))}"
        if told not in self.problems and len(self.problems) < MOST_PROBLEMS:
            self.problems.append(told)

    def name(self, p: Tensor) -> str:
        """The name of a parameter in the model."""
        return self.names.get(id(p), "a parameter that is not in the model")

    def trained(self) -> Sequence[nn.Parameter]:
        """Parameters of the model that require a gradient."""
        return [p for p in self.model.parameters() if p.requires_grad]

    def note_loss(self, value: float) -> None:
        """The loss of this step."""
        self.losses.append((self.step, value))
        self.lowest = min(self.lowest, value)
        self.kinds.update(graph.kind for graph in self.graphs[-1:])
        if len(self.first_losses) < FIRST:
            self.first_losses.append(value)

    def loss_values(self, last: int | None = None) -> list[float]:
        """The losses of the last steps."""
        count = len(self.losses) if last is None else min(last, len(self.losses))
        return [self.losses[i][1] for i in range(-count, 0)]


def inputs_finite(found: Pass) -> bool:
    """Whether every float input is finite."""
    floats = [t for t in found.tensors() if t.is_floating_point()]
    return all(bool(torch.isfinite(t).all()) for t in floats)


def tensors_in(value: Any) -> list[Tensor]:
    """The tensors in nested lists and mappings, in their order.

    Example:
        >>> len(tensors_in({"a": [torch.zeros(1), 2], "b": torch.ones(1)}))
        2
    """
    if isinstance(value, Tensor):
        return [value]
    parts = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, list | tuple | Mapping):
        return [t for part in parts for t in tensors_in(part)]
    return []
