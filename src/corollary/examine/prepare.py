"""Prepares a subject: any module and data, in memory or by name, tried with one batch."""

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import nn

from corollary.core import Batch, Subject
from corollary.core.graphs import GraphBatch
from corollary.errors import CorollaryError, InputError, one_line
from corollary.examine.datasets import load_data
from corollary.examine.effort import WORK, effort_of
from corollary.examine.first_pass import first_forward_pass, reduce_samples
from corollary.examine.modules import load_module, load_object, unwrapped
from corollary.examine.samples import as_batches
from corollary.examine.weights import load_weights

ALL = 2**62  # samples
FIRST_PASS = 300.0  # seconds that one batch may take


def prepare(
    model: nn.Module,
    data: Any = None,
    held_out: Any = None,
    *,
    effort: str = "standard",
    seconds: float = FIRST_PASS,
    to_train: bool = False,
    **about: Any,
) -> Subject:
    """A subject whose module has been called with one batch, and the loss with its output.

    Args:
        model: Any module; a compiled or data-parallel module is unwrapped.
        data: In any form that :func:`corollary.examine` takes.
        held_out: In the same forms.
        effort: How much work will be done; it decides how many samples are kept.
        seconds: The longest time that the first pass may take.
        to_train: Keep all samples, and raise an error for a label without an output.
        about: Other arguments of :class:`Subject`: ``loss``, ``lr``, ``batch_size``, ...

    Raises:
        InputError: if the module cannot be called with the data; the message says why.
    """
    if not seconds > 0:
        raise InputError(f"expected a positive budget, got {seconds:g} s")
    if to_train:
        about["samples"] = ALL
    subject = Subject(unwrapped(model), as_batches(data), held_out=as_batches(held_out), **about)
    if to_train:
        _check_columns(subject.batch)
    first_forward_pass(subject, seconds, labels=to_train)
    if not to_train:
        reduce_samples(subject, WORK[effort_of(effort)])
    return subject


def load_subject(order: dict[str, Any], *, to_train: bool = False) -> Subject:
    """Prepare the subject that ``order`` names; this runs the user's code.

    Args:
        order: ``target``, ``weights``, ``data``, ``held_out``, ``loss``, ``lr``, ``batch_size``,
            ``optimizer``, ``steps``, ``epochs``, ``symmetry``, ``samples``, ``seed``, ``budget``.
        to_train: As for :func:`prepare`.

    Raises:
        CorollaryError: if there is nothing to examine, or it cannot be called.
    """
    here = os.getpid()
    model, data = load_module(order["target"])
    _end_forked_copies(model, here)
    if order.get("weights"):
        load_weights(model, Path(order["weights"]))
    if order.get("data"):
        data = load_data(order["data"], order["seed"])
    held_out = load_data(order["held_out"], order["seed"]) if order.get("held_out") else None
    if order.get("lr") is not None and not math.isfinite(order["lr"]):
        raise InputError(f"expected a positive learning rate, got {order['lr']}")
    keys = ("lr", "batch_size", "optimizer", "steps", "epochs", "symmetry", "samples", "seed")
    about = {key: order[key] for key in keys if order.get(key) not in (None, "")}
    about["loss"] = load_loss(order.get("loss") or "")
    try:
        about |= {"effort": order.get("effort") or "standard", "to_train": to_train}
        about["seconds"] = order.get("budget") or FIRST_PASS
        return prepare(model, data, held_out, **about)
    except (CorollaryError, MemoryError):
        raise
    except Exception as error:  # a loader may break when it is walked through
        source = order.get("data") or f"the data of {order['target']}"
        raise InputError(
            one_line(f"{source} stopped with {type(error).__name__}: {error}")
        ) from None


def _check_columns(batch: Batch | None) -> None:
    """Raise if the data can be examined, but not split into batches for training."""
    if isinstance(batch, GraphBatch):
        raise InputError("expected tensors to train on, got graphs; graphs can only be examined")
    if batch is not None and isinstance(batch.target, list | tuple | Mapping):
        raise InputError(
            "expected one tensor of targets to train on, got type "
            f"{type(batch.target).__name__}; concatenate the targets into one tensor, and split "
            "it in your loss"
        )


def load_loss(name: str) -> Any:
    """The function that ``file.py:name`` names; any other name unchanged."""
    if ":" not in name:
        return name or None
    loss = load_object(name)
    if not callable(loss):
        raise InputError(
            f"expected a function of (output, target) as the loss '{name}', got type "
            f"{type(loss).__name__}"
        )
    return loss


def _end_forked_copies(model: nn.Module, here: int) -> None:
    """End a copy of this process that the user's code has forked; it would run the exams too."""

    def end_if_copy(*_: Any) -> None:
        if os.getpid() != here:
            os._exit(0)

    end_if_copy()
    model.register_forward_hook(end_if_copy)
