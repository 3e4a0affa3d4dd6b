"""The last operation of a network together with its loss and its targets."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from corollary.core import Batch, Subject
from corollary.errors import CorollaryError, NotApplicableError
from corollary.exams.class_targets import as_classes, class_axis
from corollary.exams.landscapes import some_samples, trace_of
from corollary.exams.loss_kinds import Kind, Targets, loss_kind, target_kind
from corollary.theory.modules.trace import Call, Trace

SAMPLES = 64
PUSH = 1e3  # times the weights before the last operation
ANY = (-math.inf, math.inf)
FROM_ZERO = (0.0, math.inf)
RANGES = {
    "sigmoid": (0.0, 1.0),
    "softmax": (0.0, 1.0),
    "hardsigmoid": (0.0, 1.0),
    "tanh": (-1.0, 1.0),
    "hardtanh": (-1.0, 1.0),
    "relu6": (0.0, 6.0),
    "log_softmax": (-math.inf, 0.0),
    "logsigmoid": (-math.inf, 0.0),
} | dict.fromkeys(("relu", "clamp_min", "softplus", "abs", "exp"), FROM_ZERO)


@dataclass(frozen=True)
class Head:
    """Everything that is known about output, loss and targets."""

    output: Tensor
    batch: Batch
    last: Call | None
    low: float  # smallest and largest numbers the outputs can have
    high: float
    loss: Kind | str
    targets: Targets

    @property
    def op(self) -> str:
        """The last operation; empty if it was not recorded."""
        return "" if self.last is None else self.last.op

    def range_in_words(self) -> str:
        """The range of the outputs, in words."""
        if math.isinf(self.low) and math.isinf(self.high):
            return "any real numbers"
        if math.isinf(self.high):
            return f"at least {self.low:g} ({self.op or 'bounded below'})"
        if math.isinf(self.low):
            return f"at most {self.high:g} ({self.op or 'bounded above'})"
        return f"between {self.low:g} and {self.high:g} ({self.op or 'bounded'})"

    @property
    def where(self) -> str:
        """The path of the layer that computes the last operation."""
        return "" if self.last is None else self.last.name


def head_of(subject: Subject) -> Head:
    """Output, last operation, range, loss and targets of a subject; looked at once.

    Raises:
        NotApplicableError: if there are no targets to compare with.
    """
    if "head" not in subject.memo:
        subject.memo["head"] = _looked_at(subject)
    found: Head = subject.memo["head"]
    return found


def _looked_at(subject: Subject) -> Head:
    n = some_samples(subject, SAMPLES)
    batch = subject.labelled(n)
    if not isinstance(batch.target, Tensor):
        raise NotApplicableError("the targets are not a tensor")
    with subject.borrowed():
        trace = trace_of(subject, n)
        picked = subject.pick(trace.output)
        last = trace.last(picked)
        low, high = _pushed(subject, trace, batch, picked)
        output = picked.detach()
        kind = loss_kind(subject, output, batch.target) if len(output) == batch.size else ""
    return Head(output, batch, last, low, high, kind, target_kind(batch, output))


def _pushed(subject: Subject, trace: Trace, batch: Batch, output: Tensor) -> tuple[float, float]:
    """The range of the outputs, from the last operation or by scaling the weights before it."""
    last = trace.last(output)
    if last is not None and last.op in RANGES:
        return RANGES[last.op]
    weights = [getattr(call.module, "weight", None) for call in trace.calls]
    matrices = [w for w in weights if isinstance(w, nn.Parameter) and w.dim() > 1]
    if not matrices or not output.is_floating_point():
        return ANY
    seen, weight = [], matrices[-1]
    with torch.no_grad():
        before = weight.detach().clone()
        for sign in (PUSH, -PUSH):
            weight.copy_(before * sign)
            seen.append(subject.output(batch).cpu().double())
        weight.copy_(before)
    every = torch.cat([s.flatten() for s in seen])
    if not bool(torch.isfinite(every).all()):
        return ANY
    size = float(output.detach().cpu().double().abs().max())
    low, high = float(every.min()), float(every.max())
    # What follows the weights grows with them; what does not is bounded by an operation.
    found = (
        low if low >= -1.001 and low > -10 * size else -math.inf,
        high if high <= 1.001 and high < 10 * size else math.inf,
    )
    return found if found == ANY else _pushed_all(subject, batch, found)


def _pushed_all(subject: Subject, batch: Batch, found: tuple[float, float]) -> tuple[float, float]:
    """The range that no weights can leave, rounded outwards to -1, 0 and 1; else all numbers."""
    rng = subject.rng("push")
    with subject.borrowed() as model, torch.no_grad():
        for p in model.parameters():
            p.copy_(PUSH * (p + torch.randn(p.shape, generator=rng).to(p)))
        every = subject.output(batch).cpu().double()
    if not bool(torch.isfinite(every).all()):
        return ANY
    low, high = min(found[0], float(every.min())), max(found[1], float(every.max()))
    return (
        (0.0 if low >= 0 else -1.0) if low >= -1.001 else -math.inf,
        (0.0 if high <= 0 else 1.0) if high <= 1.001 else math.inf,
    )


def wanted_beyond(subject: Subject, head: Head) -> bool:
    """Whether the loss at the targets is smaller than at the nearest numbers within the range.

    This is false if the outputs are a different quantity, such as logarithms of rates.
    """
    y = head.batch.target.reshape(head.output.shape).to(head.output)
    try:
        with torch.no_grad():
            beyond, within = (
                float(subject.loss_of(o, head.batch.target))
                for o in (y, y.clamp(head.low, head.high))
            )
    except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
        return head.loss != ""
    return beyond < within


def infinite_when_sure(subject: Subject, head: Head) -> bool:
    """Whether the loss or its slope is not finite at probabilities that are rounded to 0 and 1."""
    pair = right_and_wrong(head.output, head.batch.target, (0.0, 1.0))
    for sure in pair or ():
        answer = sure.to(head.output).requires_grad_(True)
        try:
            with torch.enable_grad():
                value = subject.loss_of(answer, head.batch.target)
                (slope,) = torch.autograd.grad(value, answer, allow_unused=True)
        except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
            return False
        finite = bool(torch.isfinite(value)) and (slope is None or bool(slope.isfinite().all()))
        if not finite:
            return True
    return False


def right_and_wrong(
    output: Tensor, target: Tensor, reach: tuple[float, float]
) -> tuple[Tensor, Tensor] | None:
    """Outputs that are right for the targets, and outputs that are wrong, in the same range.

    Classes: the right one, or the next one, has the highest score. Numbers: a small step towards
    the targets or away from them. None for targets of another kind.
    """
    low, high = max(reach[0], -4.0), min(reach[1], 4.0)
    if reach == (-math.inf, 0.0):  # logarithms of probabilities
        low, high = -8.0, -0.01
    y = as_classes(target)
    axis = class_axis(output, y)
    if axis is not None and bool((y >= 0).all()) and int(y.max()) < output.shape[axis]:
        k = output.shape[axis]
        hot = [F.one_hot(c, k).movedim(-1, axis).to(output) for c in (y, (y + 1) % k)]
        return low + (high - low) * hot[0], low + (high - low) * hot[1]
    if output.numel() != target.numel() or target.is_complex():
        return None
    values = target.reshape(output.shape).to(output)
    if bool(((values == 0) | (values == 1)).all()):
        return low + (high - low) * values, low + (high - low) * (1 - values)
    values = values.cpu().double()
    if not float(values.std()) > 0 or not bool(torch.isfinite(values).all()):
        return None
    middle = min(max(0.0, low), high)
    # Small steps from one constant towards the targets and away from them: right whatever numbers
    # the outputs stand for (rates, logarithms of rates), as long as more means more.
    step = 0.1 * (high - low) / 8 * (values - values.mean()) / values.abs().max()
    return middle + step, middle - step
