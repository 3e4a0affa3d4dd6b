"""What a run needs before its first step: a seed, an optimizer, and the state to give back."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Generator, Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from corollary.errors import InputError, InputTypeError

MakeOptimizer = Callable[[Iterable[Tensor]], Optimizer]


def seed_of(rng: int | Generator) -> int:
    """The run's seed: the number itself, or one drawn from the generator.

    Example:
        >>> seed_of(7), seed_of(Generator().manual_seed(0)) == seed_of(Generator().manual_seed(0))
        (7, True)
    """
    if isinstance(rng, Generator):
        return int(torch.randint(2**62, (), generator=rng, device=rng.device))
    if isinstance(rng, bool) or not isinstance(rng, int):
        raise InputTypeError(
            f"rng must be a whole number or a torch.Generator, got {type(rng).__name__}"
        )
    return rng


def check_model(model: Any) -> None:
    """Refuse what is not a module with something to train."""
    if not isinstance(model, nn.Module):
        raise InputTypeError(f"the model must be an nn.Module, got {type(model).__name__}")
    if not any(p.requires_grad for p in model.parameters()):
        why = "all of its parameters are frozen" if any(True for _ in model.parameters()) else ""
        raise InputError(
            f"the model {type(model).__name__} has nothing to train: "
            f"{why or 'it has no parameters'}"
        )


def made_optimizer(model: nn.Module, optimizer: Optimizer | MakeOptimizer) -> Optimizer:
    """The optimizer itself, or the one made for the model's trainable parameters."""
    trainable = [p for p in model.parameters() if p.requires_grad]
    if not isinstance(optimizer, Optimizer):
        if not callable(optimizer):
            raise InputTypeError(
                "expected a torch optimizer, or a function of the parameters that returns "
                f"one, got {type(optimizer).__name__}"
            )
        optimizer = optimizer(trainable)
        if not isinstance(optimizer, Optimizer):
            raise InputTypeError(
                "the function given as optimizer must return a torch optimizer, got "
                f"{type(optimizer).__name__}"
            )
    if not {id(p) for p in trainable} & {id(p) for p in parameters_of(optimizer)}:
        raise InputError(
            "the optimizer holds none of the model's trainable parameters; create the "
            "optimizer from model.parameters() of this model"
        )
    return optimizer


def parameters_of(optimizer: Optimizer) -> list[Tensor]:
    """All parameters of all groups."""
    return [p for group in optimizer.param_groups for p in group["params"]]


def check_schedule(schedule: Any, optimizer: Optimizer) -> None:
    """Refuse what is neither a function of the step nor a scheduler of this optimizer."""
    if schedule is None:
        return
    if isinstance(schedule, LRScheduler):
        if schedule.optimizer is not optimizer:
            raise InputError(
                "the schedule belongs to another optimizer; create it with this optimizer"
            )
    elif not callable(schedule):
        raise InputTypeError(
            "the schedule must be a function from the step to a factor of the learning rate, or a "
            f"torch LRScheduler, got {type(schedule).__name__}"
        )


def check_whole(name: str, value: int | None, low: int) -> None:
    """Refuse a value that is not a whole number of at least ``low``; None passes."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputTypeError(f"{name} must be a whole number, got {value!r}")
    if value < low:
        raise InputError(f"{name} must be at least {low}, got {value}")


@contextmanager
def modes_kept(model: nn.Module) -> Iterator[None]:
    """Give every layer back in the mode it was in, training or evaluation."""
    kept = [(module, module.training) for module in model.modules()]
    try:
        yield
    finally:
        for module, training in kept:
            module.training = training
