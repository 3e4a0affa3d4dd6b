"""The user's training settings: optimizer, schedule, batch size, steps, and what is assumed.

An optimizer is an instance on the module's parameters, a function of parameters
(``partial(torch.optim.Adam, lr=1e-3)``), or words: ``adamw:lr=3e-4,weight_decay=0.1``.
"""

import copy
import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import CyclicLR, LRScheduler, OneCycleLR

from corollary.errors import InputError, InputTypeError

Optimization = Optimizer | Callable[[Iterable[Tensor]], Optimizer] | str
ADAM = 1e-3  # torch's own learning rate of Adam, taken where nothing is told


@dataclass(frozen=True)
class Recipe:
    """How the module is trained."""

    optimizer: Optimizer | None  # None if nothing can be trained
    assumed: str = ""  # what was not given and is assumed, in words
    scheduler: LRScheduler | None = None
    batch_size: int | None = None
    steps: int | None = None
    epochs: int | None = None

    @property
    def lr(self) -> float | None:
        """The learning rate of the first group."""
        return None if self.optimizer is None else float(self.optimizer.param_groups[0]["lr"])

    @property
    def told(self) -> bool:
        """Whether the user gave training settings."""
        return not self.assumed

    def twin(self) -> tuple[Optimizer, LRScheduler | None]:
        """Copies of optimizer and schedule on the same parameters; the originals stay unchanged."""
        assert self.optimizer is not None, "a recipe that trains something"
        optimizer = copy.copy(self.optimizer)
        optimizer.param_groups = [_copied(group) for group in self.optimizer.param_groups]
        state = {p: _copied(held) for p, held in self.optimizer.state.items()}
        optimizer.state = defaultdict(dict, state)
        if self.scheduler is None:
            return optimizer, None
        scheduler = copy.copy(self.scheduler)
        scheduler.optimizer = optimizer
        step: Any = partial(optimizer.step)
        step._wrapped_by_lr_sched = True  # a scheduler warns of an optimizer that it did not wrap
        vars(optimizer).update(step=step, _opt_called=True)
        return optimizer, scheduler

    @property
    def schedule_moves_each_step(self) -> bool:
        """Whether the schedule counts steps: given by ``steps``, or else by its type."""
        by_kind = isinstance(self.scheduler, OneCycleLR | CyclicLR)
        return by_kind or (self.steps is not None and self.epochs is None)

    def describe(self) -> dict[str, Any]:
        """Plain facts for the head of a report."""
        return {
            "optimizer": "" if self.optimizer is None else in_words(self.optimizer),
            "assumed": self.assumed,
            "lr": self.lr if not self.assumed.startswith("optimizer") else None,
            "batch_size": self.batch_size,
            "scheduler": "" if self.scheduler is None else type(self.scheduler).__name__,
            "steps": self.steps,
            "epochs": self.epochs,
        }


def recipe_of(
    model: nn.Module,
    optimizer: Optimization | None,
    lr: float | None,
    *,
    scheduler: LRScheduler | None = None,
    batch_size: int | None = None,
    steps: int | None = None,
    epochs: int | None = None,
) -> Recipe:
    """The recipe that the user's arguments describe.

    Raises:
        InputError: if a number is out of range, or the optimizer cannot be created.
    """
    if lr is not None and not 0 < lr < math.inf:
        raise InputError(f"lr must be positive and finite, got {lr}")
    for name, value in (("batch_size", batch_size), ("steps", steps), ("epochs", epochs)):
        if value is not None and value < 1:
            raise InputError(f"{name} must be at least 1, got {value}")
    trainable = [p for p in model.parameters() if p.requires_grad]
    assumed = ""
    if isinstance(optimizer, Optimizer):
        if lr is not None and lr != optimizer.param_groups[0]["lr"]:
            raise InputError(
                "expected the learning rate of the optimizer, "
                f"{optimizer.param_groups[0]['lr']:g}, got lr={lr:g}; omit lr"
            )
    elif not trainable or any(p.is_complex() for p in trainable):
        optimizer = None
    elif optimizer is not None:
        optimizer = _made(optimizer, trainable, lr)
    elif lr is not None:
        optimizer, assumed = torch.optim.SGD(trainable, lr=lr), "plain SGD"
    else:
        optimizer = torch.optim.Adam(trainable, lr=ADAM)
        assumed = f"optimizer Adam with learning rate {ADAM:g}"
    if scheduler is not None and not isinstance(scheduler, LRScheduler):
        raise InputTypeError(
            f"scheduler must be a torch.optim.lr_scheduler, got type {type(scheduler).__name__}"
        )
    return Recipe(optimizer, assumed, scheduler, batch_size, steps, epochs)


def optimizer_of_words(text: str, parameters: Iterable[Tensor], lr: float | None) -> Optimizer:
    """An optimizer by its name and settings; settings with several numbers have a slash.

    Raises:
        InputError: if torch.optim has no such optimizer, or it does not take a setting.

    Example:
        >>> w = [torch.zeros(1)]
        >>> made = optimizer_of_words("adamw:lr=3e-4,betas=0.9/0.95", w, None)
        >>> type(made).__name__, made.defaults["lr"], made.defaults["betas"]
        ('AdamW', 0.0003, (0.9, 0.95))
    """
    name, _, rest = text.partition(":")
    kinds = {k.lower(): v for k, v in vars(torch.optim).items() if _is_optimizer(v)}
    if name.lower() not in kinds:
        raise InputError(
            f"expected an optimizer such as {', '.join(sorted(kinds))}, got '{name}'; write "
            "settings after a colon, as in adamw:lr=3e-4,weight_decay=0.1"
        )
    settings = dict(_setting(part) for part in rest.split(",") if part)
    if lr is not None:
        settings.setdefault("lr", lr)
    try:
        made: Optimizer = kinds[name.lower()](parameters, **settings)
    except (TypeError, ValueError) as error:
        raise InputError(f"the optimizer '{text}' cannot be created: {error}") from None
    return made


def in_words(optimizer: Optimizer) -> str:
    """An optimizer with the settings that matter.

    Example:
        >>> in_words(torch.optim.SGD([torch.zeros(1)], lr=0.1, momentum=0.9))
        'SGD(lr=0.1, momentum=0.9)'
    """
    group = optimizer.param_groups[0]
    shown = [f"lr={float(group['lr']):g}"]
    for key in ("momentum", "weight_decay", "alpha", "betas", "nesterov"):
        usual = {"alpha": 0.99, "betas": (0.9, 0.999)}.get(key, 0)
        if key in group and group[key] and group[key] != usual:
            value = group[key]
            shown.append(f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}")
    more = f", {len(optimizer.param_groups)} groups" if len(optimizer.param_groups) > 1 else ""
    return f"{type(optimizer).__name__}({', '.join(shown)}{more})"


def _made(optimizer: Any, parameters: list[nn.Parameter], lr: float | None) -> Optimizer:
    if isinstance(optimizer, str):
        return optimizer_of_words(optimizer, parameters, lr)
    if not callable(optimizer):
        raise InputTypeError(
            "optimizer must be a torch optimizer, a function of parameters or a string such as "
            f"'adamw:lr=3e-4', got type {type(optimizer).__name__}"
        )
    made = optimizer(parameters) if lr is None else optimizer(parameters, lr=lr)
    if not isinstance(made, Optimizer):
        raise InputTypeError(
            "expected the optimizer function to return an optimizer, got type "
            f"{type(made).__name__}"
        )
    return made


def _is_optimizer(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Optimizer) and value is not Optimizer


def _setting(part: str) -> tuple[str, Any]:
    key, equals, value = part.partition("=")
    if not equals:
        raise InputError(f"expected a setting such as lr=3e-4, got '{part}'")
    words = {"true": True, "false": False, "none": None}
    if value.lower() in words:
        return key.strip(), words[value.lower()]
    try:
        numbers = tuple(float(number) for number in value.split("/"))
    except ValueError:
        raise InputError(f"expected a number for '{key}', got '{value}'") from None
    return key.strip(), numbers if len(numbers) > 1 else numbers[0]


def _copied(held: dict[str, Any]) -> dict[str, Any]:
    """A copy of a dictionary, with new tensors except for the parameters themselves."""
    return {
        k: v.clone() if isinstance(v, Tensor) else copy.copy(v) if isinstance(v, list) else v
        for k, v in held.items()
    }
