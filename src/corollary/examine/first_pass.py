"""One pass before the exams: errors are reported once, and facts that exams need are recorded.

The pass finds out which part of a structured output is trained, whether forward writes into its
input (then each call gets a copy), and whether all numbers are finite.
"""

import operator
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import UninitializedParameter

from corollary.core import Batch, Subject
from corollary.core.default_losses import suited_loss
from corollary.core.subject import LIKELY_OUTPUTS
from corollary.errors import (
    CorollaryError,
    InputError,
    NotApplicableError,
    TimeLimitError,
    one_line,
)
from corollary.exams.work import seconds_per_sample
from corollary.run.limits import time_limit

REMEDIES = {
    "target dtype to be Long": "class labels must be integers; use y.long()",
    "expected scalar type Long": "class labels must be integers; use y.long()",
    "must have the same dtype": "convert the inputs to the dtype of the weights with x.to({dtype})",
    "is out of bounds": "class labels must be numbered from 0, with one output per class",
    "shapes cannot be multiplied": "the first layer expects a different number of input features",
    "on the same device": "move the data to the device of the weights with x.to(device)",
}
TRIED = 32  # samples of the pass, if no batch size is given
# Notes in the subject's memo.
NOT_FINITE, NO_OUTPUT = "not finite", "labels without an output"
OUTPUTS = "axes of the output"
# One pass of all samples may take this part of the work, for exams need some hundred such passes.
# With fewer samples than ENOUGH there is less to see, so these may take more; with fewer than LEAST
# there is nothing.
ONE_PASS, ENOUGH, FOR_ENOUGH, LEAST = 1 / 60, 64, 1 / 10, 4


def first_forward_pass(subject: Subject, seconds: float, *, labels: bool = True) -> None:
    """Call the module and the loss with one batch, and record what exams need to know.

    Args:
        subject: What will be examined.
        seconds: The longest time that the pass may take.
        labels: Whether labels without an output raise an error; otherwise they are recorded, and an
            exam reports them.

    Raises:
        InputError: if the module or the loss raises, or the pass takes longer than ``seconds``.

    Example:
        >>> subject = Subject(nn.Linear(3, 1), torch.zeros(8, 2))
        >>> first_forward_pass(subject, 10.0)
        Traceback (most recent call last):
            ...
        corollary.errors.InputError: Linear cannot be called with the data (input 0 8×2 float32): \
RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x2 and 3x1); the first layer expects \
a different number of input features
    """
    _check_weights(subject)
    if subject.batch is None:
        return
    _check_target(subject, subject.batch.target)
    batch = subject.data(min(subject.batch.size, subject.batch_size or TRIED))
    described = ", ".join(f"{name} {what}" for name, what in batch.describe().items())
    doing = f"{subject.name} cannot be called with the data ({described})"
    try:
        with time_limit(seconds), subject.borrowed():
            raw = _called(subject, batch)
            doing = f"{subject.name} returns nothing that can be examined"
            _choose_output(subject, raw, batch)
            _check_output(subject, raw)
            doing = f"the loss does not fit the output of {subject.name} and the data ({described})"
            if batch.target is not None:
                subject.loss_of_raw(raw, batch.target)
    except NotApplicableError:
        return  # the exams that need it will say so
    except TimeLimitError:
        raise InputError(
            f"one forward pass of {batch.size} samples through {subject.name} did not end within "
            f"the budget of {seconds:g} s; use a larger budget, or find out why the forward pass "
            "waits"
        ) from None
    except Exception as error:
        if not labels and isinstance(error, IndexError) and "out of bounds" in str(error):
            subject.memo[NO_OUTPUT] = True
            return
        told = str(error) if isinstance(error, CorollaryError) else f"{_kind(error)}: {error}"
        raise InputError(_with_remedy(f"{doing}: {told}", subject.model)) from None


def reduce_samples(subject: Subject, seconds: float) -> None:
    """Record how many samples one pass may have, given its work in nominal seconds."""
    if subject.batch is None or subject.batch.size <= LEAST:
        return
    try:
        with copied_inputs(subject):
            in_one_second = 1 / seconds_per_sample(subject)
    except Exception:
        return  # a module without an output to time; its exams will say so
    enough = min(ENOUGH, int(FOR_ENOUGH * seconds * in_one_second))
    subject.most = max(LEAST, enough, int(ONE_PASS * seconds * in_one_second))


@contextmanager
def copied_inputs(subject: Subject) -> Iterator[None]:
    """Within the block, a module that writes into its input gets a copy at each call."""
    if not subject.writes_input:
        yield
        return

    def copied(_: nn.Module, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
        return tuple(map(_copy, inputs)), {k: _copy(v) for k, v in named.items()}

    handle = subject.model.register_forward_pre_hook(copied, with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()


def _check_weights(subject: Subject) -> None:
    tensors = [*subject.model.parameters(), *subject.model.buffers()]
    if any(isinstance(t, UninitializedParameter) for t in tensors):
        raise InputError(
            f"{subject.name} has lazy layers whose sizes are not known yet; call the module with "
            "one batch first"
        )
    if any(t.is_meta for t in tensors):
        raise InputError(
            f"{subject.name} has weights on the meta device, where tensors hold no numbers; "
            "load the weights first"
        )
    floats = [p for p in subject.model.parameters() if p.is_floating_point() or p.is_complex()]
    if not all(bool(torch.isfinite(p).all()) for p in floats):
        subject.memo[NOT_FINITE] = "parameters"


def _check_target(subject: Subject, target: Any) -> None:
    if isinstance(target, list | tuple | Mapping) and subject._loss is None:
        parts = ", ".join(target) if isinstance(target, Mapping) else f"{len(target)} parts"
        raise InputError(
            f"no built-in loss accepts targets of type {type(target).__name__} ({parts}); pass "
            "loss=<function of (output, target)>"
        )


def _called(subject: Subject, batch: Batch) -> Any:
    """The raw output; records whether the call changed the batch, and restores the batch."""
    before = [(t, t.clone(), t._version) for t in batch.tensors()]
    raw = subject.call(batch)
    for tensor, copy, version in before:
        if tensor._version != version:
            subject.writes_input = True
            tensor.data.copy_(copy)
    return raw


def _choose_output(subject: Subject, raw: Any, batch: Batch) -> None:
    """The part of a record or tuple with the usual name, or the first that fits the target."""
    parts = _parts(raw)
    if subject.selector is not None or parts is None:
        return
    named = [k for k in LIKELY_OUTPUTS if k in parts]
    fits = [k for k, part in parts.items() if _fits(subject, part, batch.target)]
    if named and (not fits or named[0] in fits):
        chosen: Any = named[0]
    elif fits and not _fits(subject, subject.pick(raw), batch.target):
        chosen = fits[0]
    else:
        return
    is_record = not isinstance(raw, Mapping | list) and isinstance(chosen, str)
    subject.selector = operator.attrgetter(chosen) if is_record else chosen


def _parts(raw: Any) -> dict[Any, Tensor] | None:
    """The float tensors of a structured output, by name or place."""
    if isinstance(raw, Tensor):
        return None
    if isinstance(raw, Mapping):
        parts = dict(raw)
    elif isinstance(raw, tuple) and hasattr(raw, "_fields"):
        parts = dict(zip(raw._fields, raw, strict=True))
    elif isinstance(raw, list | tuple):
        parts = dict(enumerate(raw))
    else:
        parts = dict(vars(raw)) if hasattr(raw, "__dict__") else {}
    floats = {k: v for k, v in parts.items() if isinstance(v, Tensor) and k != "loss"}
    return {k: v for k, v in floats.items() if v.is_floating_point() or v.is_complex()}


def _fits(subject: Subject, output: Tensor, target: Any) -> bool:
    if target is None:
        return False
    try:
        if subject._loss is None:
            suited_loss(output, target)(output, target)
        else:
            subject.loss_of(output, target)
    except Exception:
        return False
    return True


def _check_output(subject: Subject, raw: Any) -> None:
    try:
        output = subject.pick(raw)
    except NotApplicableError:
        raise InputError(
            f"its forward returns an object of type {type(raw).__name__} without a tensor of "
            "floating-point numbers"
        ) from None
    subject.memo[OUTPUTS] = output.dim()
    if not bool(torch.isfinite(output).all()):
        subject.memo.setdefault(NOT_FINITE, "outputs")


def _copy(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


def _with_remedy(told: str, model: nn.Module) -> str:
    """One line, with advice on the most common errors of torch."""
    dtype = next((p.dtype for p in model.parameters()), torch.float32)
    for part, remedy in REMEDIES.items():
        if part in told:
            remedy = remedy.format(dtype=dtype)
            return f"{one_line(told, 300).rstrip('. ')}; {remedy}"
    return one_line(told)


def _kind(error: Exception) -> str:
    name = type(error).__name__
    starved = isinstance(error, MemoryError) or "can't allocate memory" in str(error)
    return f"{name} (out of memory; see --memory)" if starved else name
