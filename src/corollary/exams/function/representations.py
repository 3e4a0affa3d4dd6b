r"""Dimensions of the layers.

The outputs of each layer on the samples form a cloud of points. The exam gives the linear dimension
of this cloud (the number of principal directions with more than a millionth of the variance) and
its intrinsic dimension, estimated from the distances to the two nearest neighbours, which also
works for curved surfaces. Classifiers unfold their data: the intrinsic dimension first grows and
then falls. K classes in general position need K - 1 dimensions (a simplex); a layer that leaves
fewer, from an input that has more, squeezes classes together. For the input of the last layer, the
exam gives the ratio of the spread within the classes to the spread between them. This ratio goes to
zero when training continues after the error is zero (neural collapse).

:source: Papyan, Han and Donoho (2020), "Prevalence of neural collapse during the terminal phase of
    deep learning training"; Ansuini, Laio, Macke and Zoccolan (2019), "Intrinsic dimension of data
    representations in deep neural networks"; Facco et al. (2017), "Estimating the intrinsic
    dimension of datasets by a minimal neighborhood information".
:kind: exam
:claims: intrinsic_dimension, layerwise_unfolding
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor, nn

from corollary.core import (
    Batch,
    Budget,
    Curve,
    Exam,
    Figure,
    Finding,
    Points,
    Severity,
    Subject,
)
from corollary.errors import InputError, NotApplicableError
from corollary.exams.landscapes import affordable
from corollary.exams.readings import counted, rounded
from corollary.theory.geometry.intrinsic_dimension import intrinsic_dimension

SAMPLES, FEWEST = 256, 16
THIN = 1e-6  # of the variance: directions below are not counted
ROUNDING = 1e-3  # of the outputs' spread


class Layer(NamedTuple):
    """A layer's outputs on the samples."""

    name: str
    width: int
    linear: int
    intrinsic: float


class Representations(Exam):
    """Dimension of every layer's outputs, and collapse of the classes."""

    share = 2.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The narrowest layer, and the spread within classes at the input of the last layer."""
        batch = subject.data(affordable(subject, budget, 2.0, SAMPLES, fewest=FEWEST))
        if batch.size < FEWEST:
            raise NotApplicableError(f"this exam needs {FEWEST} samples, got {batch.size}")
        with subject.borrowed(), torch.no_grad():
            seen, last = _watched(subject, batch)
        layers = [_layer(name, h) for name, h in seen.items() if len(h) == batch.size]
        layers = [layer for layer in layers if layer.linear > 0]
        if len(layers) < 2:
            raise NotApplicableError("the network has fewer than two layers that are modules")
        classes = _classes(batch)
        narrow = min(layers[:-1], key=lambda layer: layer.linear)
        passes = _all_passes(subject, batch, narrow.name)
        yield self._narrowest(layers, classes, _input_dimension(batch), passes)
        if last is not None and classes > 1 and len(last) == batch.size:
            yield from self._collapse(last.cpu().double().flatten(1), batch.target, classes)

    def _narrowest(
        self, layers: list[Layer], classes: int, given: int, all_passes: bool
    ) -> Finding:
        hidden = layers[:-1]
        name, width, linear, _ = min(hidden, key=lambda layer: layer.linear)
        needed = min(classes - 1, given)
        tight = linear < needed and all_passes
        return self.finding(
            "A layer squeezes the classes together" if tight else "Narrowest hidden layer",
            severity=Severity.MEDIUM if tight else Severity.NONE,
            # Fewer dimensions do, if classes are in special positions: a run decides.
            remedy="wider layers" if width < needed else "fresh start",
            where=name,
            value=counted(linear),
            unit="dimension" if linear == 1 else "dimensions",
            expected=f"at least {needed}" if needed > 0 else "",
            meaning=f"The output of this layer has {linear} dimensions, but {classes} classes in "
            f"general position need {classes - 1} dimensions."
            if tight
            else "On these samples, no hidden layer has a lower rank than this layer.",
            advice="Make this layer wider, or find out why its units are redundant."
            if tight
            else "",
            claims=("intrinsic_dimension", "layerwise_unfolding"),
            figures=(_figure(layers),),
            details={
                layer.name or "(model)": {"linear": layer.linear, "intrinsic": layer.intrinsic}
                for layer in layers
            },
        )

    def _collapse(self, h: Tensor, y: Tensor, classes: int) -> Iterator[Finding]:
        within, between, cosine = _class_spreads(h, y)
        if not between > 0:
            return
        ratio = within / between
        simplex = -1 / (classes - 1)
        yield self.finding(
            "Spread within classes",
            quantity="spread within classes / between classes",
            value=rounded(ratio),
            expected="0 after neural collapse",
            meaning="The classes are separated at the input of the last layer."
            if ratio < 1
            else "The classes overlap at the input of the last layer, so the last layer "
            "still has to separate them.",
            details={
                "within": within,
                "between": between,
                "mean_cosine_of_class_means": cosine,
                "simplex": simplex,
            },
        )


def _all_passes(subject: Subject, batch: Batch, name: str) -> bool:
    """Whether the output distinguishes the samples only because of this layer."""
    layer = subject.model.get_submodule(name)

    def flat(_: nn.Module, _inputs: object, output: object) -> object:
        if not isinstance(output, Tensor) or len(output) != batch.size:
            return None
        return output.mean(0, keepdim=True).expand_as(output)

    with subject.borrowed(), torch.no_grad():
        before = subject.output(batch).cpu().double()
        handle = layer.register_forward_hook(flat)
        try:
            after = subject.output(batch).cpu().double()
        finally:
            handle.remove()
    spreads = [float((y - y.mean(0)).abs().max()) for y in (before, after)]
    return spreads[1] <= ROUNDING * spreads[0]


def _watched(subject: Subject, batch: Batch) -> tuple[dict[str, Tensor], Tensor | None]:
    """Outputs of all modules without submodules, by name, and the input of the last dense layer."""
    seen: dict[str, Tensor] = {}
    last: list[Tensor] = []

    def hook(name: str) -> Callable[..., None]:
        def see(layer: nn.Module, inputs: tuple[object, ...], output: object) -> None:
            if isinstance(output, Tensor) and output.is_floating_point() and output.dim() > 1:
                seen.setdefault(name, output.detach())
            if isinstance(layer, nn.Linear) and inputs and isinstance(inputs[0], Tensor):
                last[:] = [inputs[0].detach()]

        return see

    handles = [
        module.register_forward_hook(hook(name))
        for name, module in subject.model.named_modules()
        if not [*module.children()]
    ]
    try:
        subject.call(batch)
    finally:
        for handle in handles:
            handle.remove()
    return seen, last[0] if last else None


def _layer(name: str, h: Tensor) -> Layer:
    h = h.flatten(1)
    width = h.shape[1]
    if not bool(torch.isfinite(h).all()):
        return Layer(name, width, 0, math.nan)
    h = _coordinates(h.cpu().double())
    return Layer(name, width, _linear_dimension(h), _intrinsic(h))


def _coordinates(h: Tensor) -> Tensor:
    """Points with the same inner products, in at most as many dimensions as there are points."""
    if h.shape[1] <= len(h):
        return h
    squares, axes = torch.linalg.eigh(h @ h.T)
    points: Tensor = axes * squares.clamp(min=0).sqrt()
    return points


def _linear_dimension(h: Tensor) -> int:
    variances = torch.linalg.svdvals(h - h.mean(0)).square()
    total = float(variances.sum())
    # Below this the differences between samples are rounding of single-precision numbers.
    if total <= 1e-12 * float(h.square().sum()):
        return 0
    return int((variances > THIN * total).sum())


def _intrinsic(h: Tensor) -> float:
    try:
        return intrinsic_dimension(h.unique(dim=0), "TwoNN")
    except InputError:  # samples that coincide, or lie on a lattice
        return math.nan


def _input_dimension(batch: Batch) -> int:
    floats = [
        t.cpu().double().flatten(1) for t in batch.tensors() if t.is_floating_point() and t.dim()
    ]
    return _linear_dimension(torch.cat(floats, dim=1)) if floats else batch.size


def _classes(batch: Batch) -> int:
    y = batch.target
    if not isinstance(y, Tensor) or y.is_floating_point() or y.dim() != 1:
        return 0
    return len(y.unique())


def _class_spreads(h: Tensor, y: Tensor) -> tuple[float, float, float]:
    """Mean square distances from samples to class means and between class means, and a cosine."""
    _, which = y.cpu().unique(return_inverse=True)
    counts = torch.bincount(which).to(h)
    means = torch.zeros(len(counts), h.shape[1], dtype=h.dtype).index_add_(0, which, h)
    means /= counts[:, None]
    within = float((h - means[which]).square().sum(1).mean())
    centred = means - means.mean(0)
    between = float(centred.square().sum(1).mean())
    unit = torch.nn.functional.normalize(centred, dim=1)
    k = len(unit)
    cosine = float(((unit @ unit.T).sum() - k) / (k * (k - 1))) if k > 1 else math.nan
    return within, between, cosine


def _figure(layers: list[Layer]) -> Figure:
    depth = list(range(1, len(layers) + 1))
    known = [(i, layer.intrinsic) for i, layer in zip(depth, layers, strict=True)]
    known = [(i, k) for i, k in known if math.isfinite(k)]
    marks: list[Curve | Points] = [
        Curve([layer.linear for layer in layers], depth, label="linear dimension", role="other")
    ]
    if known:
        i, k = zip(*known, strict=True)
        marks.append(Points(i, k, label="intrinsic dimension"))
    return Figure(
        "Dimensions through the layers", x="layer", y="dimension", log_y=True, marks=tuple(marks)
    )
