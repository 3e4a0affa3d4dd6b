r"""Independence of the samples in a batch.

In eval mode the answer for a sample must not depend on the other samples in the batch: the blocks
:math:`\partial f(x)_i/\partial x_j` of the Jacobian are exactly zero for :math:`i\neq j`. One
sample is replaced by another, and the outputs of all others are compared. A softmax over the wrong
axis, a reshape that mixes axes, statistics of the batch in eval mode, or a recurrent or attention
layer that treats the batch axis as time violates this.

:source: Ioffe and Szegedy (2015), "Batch normalization", Section 3.1, on inference; Vaswani et al.
    (2017), "Attention is all you need", Section 3.2.
:kind: exam
"""

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from corollary.core import Batch, Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import rounded
from corollary.theory.modules.trace import Trace, executed

SAMPLES = 8
# The shapes are the same in both passes, and so is the order of all sums: what is left is a
# difference of kernels chosen by alignment, some units in the last place.
TOLERANCE = 1e-5


class BatchIndependence(Exam):
    """Replace one sample, and compare the outputs of the others."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The largest change of another sample's output, relative to the spread of the outputs."""
        batch = subject.data(SAMPLES)
        _refuse_graphs(batch)
        if batch.size < 4:
            raise NotApplicableError("this exam needs at least four samples")
        with subject.borrowed(), torch.no_grad():
            y = _seeded(subject, batch).output
            if y.dim() == 0 or len(y) != batch.size:
                raise NotApplicableError("the output does not have one row for each sample")
            if not torch.equal(y.nan_to_num(), _seeded(subject, batch).output.nan_to_num()):
                raise NotApplicableError(
                    "two passes over the same batch give different outputs, so outputs "
                    "cannot be compared"
                )
            first = _change(y, _seeded(subject, _replaced(batch, 0)).output, 0)
            end = batch.size - 1
            last = _change(y, _seeded(subject, _replaced(batch, end)).output, end)
            mixed = max(first, last) > TOLERANCE
            time = mixed and first > TOLERANCE >= last
            where = _mixing(subject, batch, 0 if first >= last else end) if mixed else ""
        yield self.finding(
            "Samples of a batch affect each other"
            if mixed
            else "Samples of a batch are independent",
            severity=Severity.HIGH if mixed else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            quantity="change of the output",
            where=where,
            value=rounded(max(first, last)) if mixed else None,
            unit="times the spread of the outputs",
            expected="0",
            meaning=_meaning(time)
            if mixed
            else "No answer depends on the other samples of the batch.",
            advice=_advice(subject.model, time, where) if mixed else "",
            explains=("generalization/*", "learning/*", "trainability/*", "soundness/causality")
            if mixed
            else (),
        )


def _seeded(subject: Subject, batch: Batch) -> Trace:
    """The executed operations and the output, with the same random numbers in every pass."""
    torch.manual_seed(subject.seed)
    trace = executed(subject.model, lambda: subject.call(batch))
    return replace(trace, output=subject.pick(trace.output))


def _mixing(subject: Subject, batch: Batch, row: int) -> str:
    """The first operation that carries a change from one sample to others."""
    one, two = _seeded(subject, batch), _seeded(subject, _replaced(batch, row))
    for a, b in zip(one.calls, two.calls, strict=False):
        if a.op != b.op or a.y.shape != b.y.shape:
            return ""
        if a.y.dim() and len(a.y) == batch.size and _change(a.y, b.y, row) > TOLERANCE:
            return a.name
    return ""


def _refuse_graphs(batch: Batch) -> None:
    """Raise an error if the samples are nodes of a graph, which are not independent."""
    names = {"edge_index", "adj", "adjacency", "edge_attr"}
    edges = [t for t in batch.tensors() if t.dim() == 2 and len(t) == 2 and not _real(t)]
    sparse = any(t.layout is not torch.strided for t in batch.tensors())
    if names & set(batch.named) or edges or sparse:
        raise NotApplicableError(
            "the samples are nodes of a graph, which should depend on each other"
        )


def _real(t: Tensor) -> bool:
    return t.is_floating_point()


def _replaced(batch: Batch, row: int) -> Batch:
    """The same batch with one sample replaced by its neighbour, reversed where that is possible."""
    other = (row + 1) % batch.size

    def swap(t: Tensor) -> Tensor:
        if t.dim() == 0 or len(t) != batch.size:
            return t
        t = t.clone()
        t[row] = t[other].flip(0) if t.dim() > 1 else t[other]
        if torch.equal(t[row], t[other]) and t.is_floating_point():
            t[row] = t[row] + 1.0
        return t

    return batch.with_inputs(*map(swap, batch.tensors()))


def _change(y: Tensor, z: Tensor, row: int) -> float:
    """Largest change of the other rows, relative to the spread of all."""
    others = torch.arange(len(y)) != row
    scale = float((y.cpu().double() - y.cpu().double().mean(0)).abs().max()) or 1.0
    gap = (y - z)[others].cpu().double().abs().nan_to_num()
    return float(gap.max()) / scale


def _meaning(time: bool) -> str:
    if time:
        return (
            "The first sample changes the answers for the samples after it, and the last "
            "sample changes no other answer. The network treats the batch axis as time."
        )
    return "The answer for a sample depends on the other samples in its batch, even in eval mode."


def _advice(model: nn.Module, time: bool, where: str) -> str:
    for name, module in model.named_modules():
        if getattr(module, "batch_first", True) is False:
            return f"Set batch_first=True in '{name}', or give it inputs as (time, batch, feature)."
        if isinstance(module, _BatchNorm) and not module.track_running_stats:
            return f"Let '{name}' keep running statistics (track_running_stats=True)."
    if time:
        return "Check the order of the axes: the batch comes first, then time."
    place = f"Look at '{where}', the first operation that mixes samples: " if where else ""
    if place:
        return f"{place}this operation should not mix values along the batch axis (axis 0)."
    return (
        "Look for a softmax, a mean or a sum over axis 0, and for a reshape or view that "
        "moves values from one sample to another."
    )
