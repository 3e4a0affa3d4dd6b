"""Changes to the network that can be tried: other weights, operations left out or put in."""

import copy
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeGuard

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from corollary.core import Subject
from corollary.errors import CorollaryError, NotApplicableError
from corollary.exams.chains import chain_of
from corollary.exams.heads import RANGES
from corollary.exams.landscapes import trace_of
from corollary.exams.rewiring import (
    LINEAR,
    Rewired,
    moved,
    with_activations,
    with_moved_axes,
    with_replaced,
    without_call,
    without_dropout,
)
from corollary.exams.runs import Run, trained
from corollary.exams.trial_run import TrialRun, unchanged
from corollary.theory.landscape.signal import matrix_weight
from corollary.theory.modules.trace import RECTIFIERS, SATURATING, SMOOTH, Call, Trace, executed

FEW = 16  # samples that show which operations there are
MERGING = ("clamp", "clamp_max", "clip", "minimum", "remainder", "mod", "floor_divide", "floordiv")
MANY = 256  # samples that show which ids there are
WIDER, ENOUGH = 4, 32  # times the units, and units that are enough for small tasks


def fresh_start(trial: TrialRun) -> Run:
    """New weights: matrices with He's variance, orthogonal recurrent matrices, and zero biases.

    Without ReLU the variance is half of that (LeCun), which keeps tanh in range.
    """
    with trial.subject.borrowed():
        ops = {call.op for call in trace_of(trial.subject, FEW).calls}
    gain = math.sqrt(2.0) if ops & {*RECTIFIERS, *SMOOTH} else 1.0
    return trial.with_change(partial(drawn_well, gain=gain))


def no_dropout(trial: TrialRun) -> Run:
    """Dropout is switched off in training."""
    return trial.with_change(unchanged, around=without_dropout(trial.subject.model))


def no_dropout_at_the_end(trial: TrialRun) -> Run:
    """The last operation, a dropout, passes on its input unchanged."""
    return _without_last(trial, lambda op: "dropout" in op)


def bare_output(trial: TrialRun) -> Run:
    """The activation at the end passes on its input unchanged."""
    return _without_last(trial, lambda op: op in RANGES)


def _without_last(trial: TrialRun, meant: Callable[[str], bool]) -> Run:
    subject = trial.subject
    trace, last = last_in_training(subject)
    if last is None or not meant(last.op):
        raise NotApplicableError("the last operation is not this activation")
    return trial.with_change(unchanged, around=without_call(subject.model, trace, last))


def rectifiers(trial: TrialRun) -> Run:
    """ReLU instead of saturating activations, except at the end."""
    _, last = last_in_training(trial.subject)
    if last is not None and last.op in SATURATING:
        raise NotApplicableError("the last operation is itself a saturating activation")
    return trial.with_change(unchanged, around=with_replaced(("sigmoid", "tanh"), F.relu))


def activations(trial: TrialRun) -> Run:
    """A ReLU between any two linear layers."""
    subject = trial.subject
    with subject.borrowed():
        linear = len(trace_of(subject, FEW).of(*LINEAR))
    return trial.with_change(unchanged, around=with_activations(linear, subject.model))


def moved_axes(trial: TrialRun) -> Run:
    """Axes are transposed where a reshape was used to swap them."""
    return trial.with_change(unchanged, around=with_moved_axes())


def unfrozen(trial: TrialRun) -> Run:
    """Frozen tensors are trained too, with the settings of the first parameter group."""
    subject = trial.subject
    held = list(fixed_tensors(subject.model).values())
    optimizer, _ = subject.recipe.twin()
    optimizer.add_param_group({"params": held})
    before = [t.detach().clone() for t in held]

    def thaw(_: nn.Module) -> None:
        for t in held:
            t.requires_grad_(True)

    try:
        return trial.with_change(thaw, optimizer=optimizer)
    finally:
        for t, value in zip(held, before, strict=True):
            t.requires_grad_(False)
            t.copy_(value)


def fixed_tensors(model: nn.Module) -> dict[str, Tensor]:
    """Matrices that are used but not trained: frozen ones, buffers, and plain attributes."""
    found = {n: p for n, p in model.named_parameters() if not p.requires_grad}
    buffers = {n: b for n, b in model.named_buffers() if b.dim() > 1 and b.is_floating_point()}
    plain = {
        f"{path}.{key}".lstrip("."): t
        for path, module in model.named_modules()
        for key, t in vars(module).items()
        if isinstance(t, Tensor) and t.dim() > 1 and t.is_floating_point() and not t.requires_grad
    }
    return {**found, **buffers, **plain}


def separate_layers(trial: TrialRun) -> Run:
    """Layers that are used in several places get separate weights in each."""
    subject = trial.subject
    seen: set[int] = set()
    swaps = []
    for parent in subject.model.modules():
        for name, child in parent._modules.items():  # named_children leaves repetitions out
            if child is not None and id(child) in seen and [*child.parameters()]:
                swaps.append((parent, name, child, copy.deepcopy(child)))
            seen.add(id(child))
    if not swaps:
        raise NotApplicableError("no layer is used more than once")
    optimizer, _ = subject.recipe.twin()
    optimizer.add_param_group({"params": [p for *_, made in swaps for p in made.parameters()]})
    try:
        for parent, name, _, made in swaps:
            parent._modules[name] = made
        return trial.with_change(_drawn_again(swaps), optimizer=optimizer)
    finally:
        for parent, name, child, _ in swaps:
            parent._modules[name] = child


def _drawn_again(swaps: list[Any]) -> Callable[[nn.Module], None]:
    def draw(_: nn.Module) -> None:
        for *_, made in swaps:
            for module in made.modules():
                reset: Any = getattr(module, "reset_parameters", None)
                if callable(reset):
                    reset()

    return draw


def wider(trial: TrialRun) -> Run:
    """Hidden layers of a plain chain get at least four times as many units, with new weights."""
    subject = trial.subject
    with subject.borrowed():
        layers = [link.layer for link in chain_of(subject, subject.data(2))]
    wide = _widened(layers)
    other = copy.copy(subject)
    other.model, other.memo = wide, {}
    old = subject.recipe.optimizer
    if old is None:
        raise NotApplicableError("there is no optimizer")
    settings = {k: v for k, v in old.param_groups[0].items() if k in old.defaults}
    made: Any = type(old)
    optimizer = made(wide.parameters(), **settings)
    other.recipe = replace(subject.recipe, optimizer=optimizer, scheduler=None)
    with other.borrowed(train=True):
        return trained(other, subject.all_labelled(), trial.steps, trial.batch_size)


def _widened(layers: list[nn.Module]) -> nn.Sequential:
    weighted = [m for m in layers if matrix_weight(m) is not None]
    if len(weighted) < 2 or not all(isinstance(m, nn.Linear | nn.Conv2d) for m in weighted):
        raise NotApplicableError("the layers are not all linear or convolutions")
    narrowest = min(len(matrix_weight(m)) for m in weighted[:-1])  # type: ignore[arg-type]
    times = max(WIDER, math.ceil(ENOUGH / narrowest))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        made = [_wide(m, times, first=m is weighted[0], last=m is weighted[-1]) for m in layers]
    return nn.Sequential(*made)


def _wide(m: nn.Module, times: int, *, first: bool, last: bool) -> nn.Module:
    into, out = 1 if first else times, 1 if last else times
    biased = getattr(m, "bias", None) is not None
    if isinstance(m, nn.Linear):
        return nn.Linear(m.in_features * into, m.out_features * out, bias=biased)
    if isinstance(m, nn.Conv2d) and m.groups == 1:
        how: dict[str, Any] = {
            "stride": m.stride,
            "padding": m.padding,
            "dilation": m.dilation,
            "bias": biased,
        }
        size: Any = m.kernel_size
        return nn.Conv2d(m.in_channels * into, m.out_channels * out, size, **how)
    if isinstance(m, nn.BatchNorm1d | nn.BatchNorm2d):
        return type(m)(m.num_features * times)
    if [*m.parameters()]:
        raise NotApplicableError(f"a module of type {type(m).__name__} cannot be made wider")
    return copy.deepcopy(m)


def cross_entropy(trial: TrialRun) -> Run:
    """Cross-entropy on the input of a final softmax or sigmoid, if there is one."""
    subject = trial.subject
    y = subject.all_labelled().target
    one_hot = isinstance(y, Tensor) and y.is_floating_point() and y.dim() == 2 and y.shape[1] > 1

    def loss(raw: object, target: Tensor) -> Tensor:
        output = subject.pick(raw)
        return F.cross_entropy(output, target.argmax(1) if one_hot else target)

    trace, last = last_in_training(subject)
    bare = last is not None and last.op in RANGES
    around = without_call(subject.model, trace, last) if bare and last is not None else None
    return trial.with_change(unchanged, around=around, loss=loss)


def last_in_training(subject: Subject) -> tuple[Trace, Call | None]:
    """The operations executed in train mode, and the operation that returns the output.

    Recorded once.
    """
    if "last in training" not in subject.memo:
        with subject.borrowed(train=True), torch.no_grad():
            trace = executed(subject.model, lambda: subject.call(subject.data(FEW)))
            subject.memo["last in training"] = trace, trace.last(subject.pick(trace.output))
    found: tuple[Trace, Call | None] = subject.memo["last in training"]
    return found


def mixing_reshapes(subject: Subject) -> list[Call]:
    """Reshapes that mix axes where a transpose was meant, in the network or in its loss."""
    trace, _ = last_in_training(subject)
    calls = (*trace.of("view", "reshape"), *_reshapes_of_loss(subject))
    return [c for c in calls if c.x is not None and moved(c.x, c.y.shape) is not None]


def _reshapes_of_loss(subject: Subject) -> list[Call]:
    """What the loss does to the shape of the outputs; recorded once."""
    if "reshapes of the loss" not in subject.memo:
        found: list[Call] = []

        def note(op: str, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
            if op not in ("view", "reshape") or not isinstance(args[0], Tensor):
                return None
            y = func(*args, **kwargs)
            if args[0].is_floating_point():
                found.append(Call(op, "", "the loss", subject.model, args[0], y))
            return y

        try:
            batch = subject.labelled(FEW)
            with subject.borrowed(train=True), torch.no_grad():
                raw = subject.call(batch)
                with Rewired(note):
                    subject.loss_of_raw(raw, batch.target)
        except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
            pass  # the loss is another exam's matter
        subject.memo["reshapes of the loss"] = found
    known: list[Call] = subject.memo["reshapes of the loss"]
    return known


class Merged(NamedTuple):
    """An operation that maps different whole numbers to the same one."""

    op: str
    before: int
    after: int


def clamped_ids(subject: Subject) -> list[Merged]:
    """The operation that clamps or wraps ids among the inputs; recorded once."""
    if "clamped ids" not in subject.memo:
        found: list[Merged] = []

        def note(op: str, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
            x = args[0] if args else kwargs.get("input")
            if op.strip("_") not in MERGING or not _whole(x):
                return None
            y = func(*args, **kwargs)
            merged = Merged(op.strip("_"), len(x.unique()), len(y.unique()))
            if merged.after < merged.before and y.shape == x.shape:
                found.append(merged)
            return y

        with subject.borrowed(), torch.no_grad(), Rewired(note):
            subject.call(subject.data(MANY))
        subject.memo["clamped ids"] = found
    known: list[Merged] = subject.memo["clamped ids"]
    return known


def _whole(x: object) -> TypeGuard[Tensor]:
    """Whether these are whole numbers, such as ids."""
    return isinstance(x, Tensor) and x.dtype in (torch.int64, torch.int32)


def ids_as_they_are(trial: TrialRun) -> Run:
    """Whole numbers are neither clamped nor wrapped."""

    def keep(op: str, _func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        x = args[0] if args else kwargs.get("input")
        return x if op.strip("_") in MERGING and _whole(x) else None

    return trial.with_change(unchanged, around=Rewired(keep))


def drawn_well(model: nn.Module, *, gain: float) -> None:
    """Draw every matrix so that signals keep their size; other one-dimensional parameters stay.

    Biases of layers with a matrix start at zero.
    """
    rng = torch.Generator().manual_seed(0)
    for module in model.modules():
        if isinstance(module, nn.RNNBase):
            for name, p in module.named_parameters(recurse=False):
                _draw_recurrent(name, p, module.hidden_size, rng)
            continue
        weight = matrix_weight(module)
        if isinstance(weight, nn.Parameter) and not weight.is_complex():
            fan = weight[0].numel()
            if "Conv1D" in type(module).__name__:  # of transformers: stored as (in, out)
                fan = len(weight)
            with torch.no_grad():
                drawn = torch.randn(weight.shape, generator=rng) * gain / math.sqrt(fan)
                weight.copy_(drawn.to(weight))
                bias = getattr(module, "bias", None)
                if isinstance(bias, nn.Parameter):
                    bias.zero_()


def _draw_recurrent(name: str, p: nn.Parameter, hidden: int, rng: torch.Generator) -> None:
    with torch.no_grad():
        if p.dim() < 2:
            p.zero_()
        elif name.startswith("weight_hh"):
            for block in p.split(hidden):
                q, _ = torch.linalg.qr(torch.randn(block.shape[::-1], generator=rng))
                block.copy_(q.T.to(block)[: len(block)])
        else:
            # As torch draws it: with a recurrent norm of one the inputs of all steps add up.
            p.copy_((torch.randn(p.shape, generator=rng) / math.sqrt(3 * hidden)).to(p))
