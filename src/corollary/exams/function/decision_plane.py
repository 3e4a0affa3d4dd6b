r"""Decisions in a plane.

The answers of the network on the plane through three samples of different classes. For ReLU
networks the regions with the same answer are polygons and are found exactly; for other networks
they are sampled on a grid. The share of each class refers to the square around the three samples.

:source: Perez Jensen (2025), Deep Learning, Section 2.5; Somepalli et al. (2022), "Can neural nets
    learn the same model twice? Investigating reproducibility and double descent from the decision
    boundary perspective".
:kind: exam
:cost: seconds
:claims: activation_cells
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from corollary.core import Budget, Exam, Figure, Finding, HeatMap, Points, Regions, Subject
from corollary.errors import CorollaryError, NotApplicableError
from corollary.exams.landscapes import affordable_points
from corollary.exams.probes import Probe, probe_of
from corollary.exams.readings import counted
from corollary.exams.risks import predicted
from corollary.theory.expressivity.regions.plane import linear_regions

SAMPLES, GRID, COARSE = 256, 41, 11  # samples; sides of a grid
REACH = 1.6  # half the side of the square, in distances from the samples' middle
UNITS, POLYGONS = 2048, 600  # numbers inside the network and polygons beyond which a grid is used


class View(NamedTuple):
    """Three samples in the plane through them, and the position of the plane in the input space."""

    origin: Tensor
    basis: Tensor  # two rows, orthonormal
    points: Tensor  # three points of the plane
    reach: float


class DecisionPlane(Exam):
    """Answers on the plane through three samples."""

    share = 2.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The number of classes in the plane, and the share of each."""
        probe = probe_of(subject, SAMPLES)
        side = math.isqrt(affordable_points(subject, budget, GRID**2, COARSE**2))
        target = probe.batch.target
        if not isinstance(target, Tensor) or target.is_floating_point() or target.dim() != 1:
            raise NotApplicableError("this exam is for classifiers with one label per sample")
        view = _view(probe.x, target)
        with subject.borrowed():
            answers = _on_grid(probe, view, target, side)
            shares = torch.bincount(answers.flatten()) / answers.numel()
            figure, cells = _exact(probe, view) or (_grid_figure(view, answers), None)
        present = [(int(k), float(shares[k])) for k in shares.nonzero().flatten()]
        said = ", ".join(f"{100 * s:.0f} % class {k}" for k, s in present[:5])
        yield self.finding(
            "Classes in the plane through three samples",
            value=counted(len(present)),
            unit="classes" if len(present) > 1 else "class",
            meaning=f"The classes predicted in the plane around three samples are {said}."
            + (f" The square has {cells:,} affine pieces." if cells else ""),
            claims=("activation_cells",),
            figures=(figure,),
            details={"shares": dict(present)},
        )


def _view(x: Tensor, y: Tensor) -> View:
    """The first three samples of different classes, or any three, that span a plane."""
    first = [int((y == k).nonzero()[0]) for k in y.unique()][:3]
    rest = [i for i in range(len(x)) if i not in first]
    for third in [*first[2:], *rest]:
        chosen = [*(first[:2] if len(first) > 1 else [first[0], rest[0]]), third]
        corners = x[chosen]
        middle = corners.mean(0)
        _, sizes, axes = torch.linalg.svd(corners - middle, full_matrices=False)
        if (
            len(set(chosen)) == 3
            and len(sizes) > 1
            and float(sizes[1]) > 1e-6 * float(sizes[0]) > 0
        ):
            basis = axes[:2]
            points = (corners - middle) @ basis.T
            return View(middle, basis, points, REACH * float(points.abs().max()))
    raise NotApplicableError("no three samples span a plane")


def _on_grid(probe: Probe, view: View, target: Tensor, side: int) -> Tensor:
    t = torch.linspace(-view.reach, view.reach, side, dtype=torch.float64)
    p = torch.stack(torch.meshgrid(t, t, indexing="xy"), dim=-1).flatten(0, 1)
    output = probe.outputs(view.origin + p @ view.basis)
    like = target[:1].expand(len(output))
    if output.shape[1] == 1:
        return predicted(output[:, 0], like.clamp(0, 1)).reshape(side, side)
    return output.argmax(1).reshape(side, side)


def _exact(probe: Probe, view: View) -> tuple[Figure, int] | None:
    """Polygons of one answer, if the network is piecewise linear and not too large."""
    model, inputs = probe.subject.model, probe.batch.inputs
    if probe.batch.named or len(inputs) != 1 or probe.numbers() > UNITS:
        return None
    shape = inputs[0].shape[1:]
    try:
        mosaic = linear_regions(
            model,
            view.reach,
            origin=view.origin.reshape(shape),
            basis=view.basis.reshape(2, *shape),
            decision=True,
            limit=10 * POLYGONS,
        )
        classes = mosaic.classes()
    except (CorollaryError, RuntimeError, TypeError, ValueError, AttributeError, KeyError):
        return None  # not piecewise linear, not to be traced, or too many cells
    if mosaic.count > POLYGONS:
        return None
    regions = Regions(mosaic.polygons(), classes.tolist(), label="class, by affine piece")
    return _figure(view, regions), mosaic.count


def _grid_figure(view: View, answers: Tensor) -> Figure:
    ends = (-view.reach, view.reach)
    return _figure(view, HeatMap(answers.cpu().double().tolist(), ends, ends, label="class"))


def _figure(view: View, mark: HeatMap | Regions) -> Figure:
    x, y = view.points.T.tolist()
    return Figure(
        "Answers in the plane through three samples",
        x="first direction",
        y="second direction",
        marks=(mark, Points(x, y, label="samples")),
    )
