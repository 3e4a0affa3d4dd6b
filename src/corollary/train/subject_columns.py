"""The samples of a subject as the columns that the training loop takes, and how it values them."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from corollary.core import Batch, Subject
from corollary.core.default_losses import suited_loss
from corollary.errors import NotApplicableError


def columns(batch: Batch) -> tuple[Tensor, ...]:
    """The inputs of a batch and, if there is one, its target."""
    inputs = tuple(batch.tensors())
    return inputs if batch.target is None else (*inputs, batch.target)


def loss_of(subject: Subject, like: Batch) -> Callable[..., Any]:
    """How the loop values a piece of the columns: with them back in their places."""

    def call(model: nn.Module, loss: Any, *columns: Tensor) -> Any:
        last = len(columns) - (like.target is not None)
        batch = like.with_inputs(*columns[:last])
        target = columns[last] if last < len(columns) else None
        return subject.loss_of_raw(model(*batch.inputs, **batch.named), target)

    return call


def loss_itself(subject: Subject, batch: Batch) -> Any:
    """The loss that is used, from which the loop knows what its means are divided by."""
    few = batch.slice(slice(0, 2))
    with subject.borrowed(), torch.no_grad():
        raw = subject.call(few)
    if isinstance(raw, Mapping) and "loss" in raw and subject._loss is None:
        return subject.loss_of  # the model's own: taken as a mean over rows
    try:
        return subject._loss or suited_loss(subject.pick(raw), few.target)
    except NotApplicableError:
        return subject.loss_of
