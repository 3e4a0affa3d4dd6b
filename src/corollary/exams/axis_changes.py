"""Reductions over another axis: softmax, pooling and normalisation along the wrong axis.

``softmax(dim)``, ``mean(dim)``, ``normalize(dim)`` work along any axis, and no error is raised for
a wrong one. Examples are attention weights that sum to one over the queries, images pooled over
channels, and vectors normalised over time. Each reduction of the forward pass is tried along the
other axes. Where sizes change, the linear layer after the reduction gets new weights of the right
size.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from corollary.core import Subject
from corollary.errors import NotApplicableError
from corollary.exams.rewiring import Rewired
from corollary.exams.runs import Run
from corollary.exams.soundness.causality import looks_ahead
from corollary.exams.trial_run import TrialRun, unchanged

SCALED = ("softmax", "log_softmax", "normalize", "cumsum", "flip")  # the shape stays
POOLED = ("mean", "sum", "amax", "max", "std", "var", "logsumexp")
POOLS = ("adaptive_avg_pool1d", "adaptive_max_pool1d")  # over the last axis
FEW, MOST = 8, 6  # samples of a pass; alternatives that are tried
REFUSED = (NotApplicableError, RuntimeError, ValueError, IndexError, TypeError)


@dataclass(frozen=True)
class Reduction:
    """An operation along some axes of a tensor."""

    op: str
    axes: tuple[int, ...]  # counted from the front
    shape: tuple[int, ...]  # of a tensor it was seen with, without the batch

    def at(self, axes: tuple[int, ...]) -> str:
        """The operation along some axes, as code."""
        dim = str(axes[0]) if len(axes) == 1 else str(axes)
        return self.op if self.op in POOLS else f"{self.op}(dim={dim})"


@dataclass(frozen=True)
class OtherAxis:
    """A reduction, the axes that may have been intended, and the run with these axes."""

    reduction: Reduction
    axes: tuple[int, ...]
    run: Run


def reductions(subject: Subject) -> list[Reduction]:
    """Reductions of the forward pass along axes of samples, or of the batch."""
    found: dict[Reduction, None] = {}

    def note(op: str, _func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        seen = _reduction(op, args, kwargs)
        if seen is not None:
            found[seen] = None

    with subject.borrowed(train=True), torch.no_grad(), Rewired(note):
        subject.call(subject.data(FEW))
    return list(found)


def other_axis(trial: TrialRun) -> OtherAxis:
    """The best of the runs with one reduction along other axes; made once.

    Raises:
        NotApplicableError: if no reduction can be made along another axis.
    """
    memo = trial.subject.memo
    if "other axis" not in memo:
        pairs = ((r, axes) for r in reductions(trial.subject) for axes in alternatives(r))
        runs: list[OtherAxis] = []
        for reduction, axes in itertools.islice(pairs, 2 * MOST):
            if len(runs) == MOST:
                break
            try:
                runs.append(OtherAxis(reduction, axes, _run(trial, reduction, axes)))
            except REFUSED:
                continue  # what follows does not take it
        known = [o for o in runs if o.run.finite and o.run.risk is not None]
        memo["other axis"] = min(known, key=lambda o: o.run.wrong) if known else None
    best: OtherAxis | None = memo["other axis"]
    if best is None:
        raise NotApplicableError("no other axis gives a tensor of the same shape")
    return best


def along_another_axis(trial: TrialRun) -> Run:
    """The run in which one reduction uses the axes that work best."""
    return other_axis(trial).run


def alternatives(reduction: Reduction) -> Iterator[tuple[int, ...]]:
    """Other axes of the same tensor, never the batch.

    Example:
        >>> list(alternatives(Reduction("softmax", (2,), (4, 10, 10))))
        [(3,), (1,)]
        >>> list(alternatives(Reduction("mean", (1,), (16, 8, 8))))
        [(2, 3)]
    """
    samples = range(1, len(reduction.shape) + 1)
    rest = tuple(a for a in samples if a not in reduction.axes)
    if reduction.op in POOLED and len(reduction.shape) == 3:
        if rest and rest != tuple(samples):
            yield rest  # pixels for channels, or the other way round
        return
    for axis in reversed(rest):
        yield (axis,)


def _reduction(op: str, args: Any, kwargs: dict[str, Any]) -> Reduction | None:
    x = args[0] if args else kwargs.get("input")
    if not isinstance(x, Tensor) or not x.is_floating_point() or x.dim() < 2:
        return None
    if op in POOLS and x.dim() == 3:
        return Reduction(op, (2,), tuple(x.shape[1:]))
    if op not in (*SCALED, *POOLED):
        return None
    dim = _dim(op, args, kwargs)
    axes = tuple(a % x.dim() for a in ((dim,) if isinstance(dim, int) else dim or ()))
    if not axes or len(axes) >= x.dim():
        return None
    return Reduction(op, tuple(sorted(axes)), tuple(x.shape[1:]))


def _dim(op: str, args: Any, kwargs: dict[str, Any]) -> Any:
    if op == "normalize":  # F.normalize(x, p, dim)
        return kwargs.get("dim", args[2] if len(args) > 2 else 1)
    names = [kwargs[k] for k in ("dim", "dims", "axis") if k in kwargs]
    dim = names[0] if names else args[1] if len(args) > 1 else None
    return dim if isinstance(dim, int | tuple | list) and not isinstance(dim, bool) else None


def _along(op: str, axes: tuple[int, ...], func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """The same operation along other axes."""
    x = args[0] if args else kwargs["input"]
    if op in POOLS:
        return func(x.transpose(1, 2), *args[1:], **kwargs)
    dim: Any = axes[0] if len(axes) == 1 else axes
    if op == "max" and len(axes) > 1:
        return x.amax(axes), None
    rest = {k: v for k, v in kwargs.items() if k not in ("dim", "dims", "axis", "input")}
    if op == "normalize":
        p = args[1] if len(args) > 1 else rest.get("p", 2.0)
        return F.normalize(x, p, dim)
    return func(x, (dim,) if op == "flip" else dim, *args[2:], **rest)


def _run(trial: TrialRun, reduction: Reduction, axes: tuple[int, ...]) -> Run:
    subject = trial.subject
    grown: list[nn.Linear] = []
    with subject.borrowed(train=True), torch.no_grad(), _changed(subject, reduction, axes, grown):
        subject.call(subject.data(FEW))  # finds out which layers need another size
    if looks_ahead(subject) is False:
        with _changed(subject, reduction, axes, grown):
            if looks_ahead(subject):
                raise NotApplicableError(
                    "with this change an output would depend on later positions"
                )
    optimizer, _ = subject.recipe.twin()
    if grown:
        optimizer.add_param_group({"params": [p for m in grown for p in m.parameters()]})
    around = _changed(subject, reduction, axes, grown)
    return trial.with_change(unchanged, around=around, optimizer=optimizer)


@contextmanager
def _changed(
    subject: Subject, reduction: Reduction, axes: tuple[int, ...], grown: list[nn.Linear]
) -> Iterator[None]:
    """Passes with one reduction along other axes.

    Layers that no longer fit are replaced by new ones.
    """
    made, used = len(grown), [0]

    def begin(*_: Any) -> None:
        used[0] = 0

    def swap(op: str, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        if op == "linear" and len(args) > 1 and args[0].shape[-1] != args[1].shape[1]:
            if not made:
                grown.append(_linear(args[0].shape[-1], args[1]))
            layer = grown[used[0]]
            used[0] += 1
            return F.linear(args[0], layer.weight, layer.bias)
        seen = _reduction(op, args, kwargs)
        same = seen is not None and (seen.op, seen.axes) == (reduction.op, reduction.axes)
        if not same or seen is None or len(seen.shape) != len(reduction.shape):
            return None
        return _along(op, axes, func, args, kwargs)

    handle = subject.model.register_forward_pre_hook(begin)
    try:
        with Rewired(swap):
            yield
    finally:
        handle.remove()


def _linear(inputs: int, weight: Tensor) -> nn.Linear:
    """A linear layer of another width, with the default initialisation of torch."""
    layer = nn.Linear(inputs, weight.shape[0]).to(weight)
    rng = torch.Generator().manual_seed(0)
    bound = 1 / math.sqrt(inputs)
    with torch.no_grad():
        for p in layer.parameters():
            p.copy_(((2 * torch.rand(p.shape, generator=rng) - 1) * bound).to(p))
    return layer


def has_reductions(trial: TrialRun) -> bool:
    """Whether some reduction of the pass could use another axis."""
    return any(True for r in reductions(trial.subject) for _ in alternatives(r))


def _told(words: Callable[[OtherAxis], str]) -> Callable[[TrialRun], str]:
    return lambda trial: words(other_axis(trial))


title = _told(lambda o: f"{o.reduction.op} runs over the wrong axis")
advice = _told(
    lambda o: (
        f"Use {_written(o)} in place of {o.reduction.at(o.reduction.axes)}. Check which axis is "
        "the batch, which axis holds the channels (features), and which axes hold positions "
        "(time, height, width)."
    )
)
diff = _told(lambda o: f"- {o.reduction.at(o.reduction.axes)}\n+ {_written(o)}")
meaning = _told(
    lambda o: (
        f"The {o.reduction.op} of a tensor of shape (batch, "
        f"{', '.join(map(str, o.reduction.shape))}) runs over {_axes(o.reduction.axes)}. With "
        f"{_axes(o.axes)} the network makes far fewer errors."
    )
)


def _written(o: OtherAxis) -> str:
    if o.reduction.op in POOLS:
        return f"{o.reduction.op} after transpose(1, 2)"
    return o.reduction.at(o.axes)


def _axes(axes: tuple[int, ...]) -> str:
    names = [f"axis {a}" + (" (the batch)" if a == 0 else "") for a in axes]
    return " and ".join(names)
