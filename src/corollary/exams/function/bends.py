r"""Nonlinearity on the way from one sample to another.

A network of rectifiers is affine on each of many regions. Along a segment between two samples its
bends can be found exactly, one for each region that is entered. Their number could be exponential
in the depth. At the start it is of the order of the number of units, and training changes it
little. For comparison, segments of the same length in random directions are measured too. For other
networks the total change of the slope along the segment is measured, relative to the size of the
slope (0 for a straight line, 1 for one bend that doubles the slope or cancels it).

:source: Hanin and Rolnick (2019), "Complexity of linear regions in deep networks" and "Deep ReLU
    networks have surprisingly few activation patterns"; Lucchi (2025), Foundations of Deep
    Learning, Section 4.2.1.
:kind: exam
:cost: seconds
:claims: pieces_depth, activation_cells
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Budget, Curve, Exam, Figure, Finding, Sample, Subject
from corollary.errors import CorollaryError
from corollary.exams.landscapes import affordable_points
from corollary.exams.probes import Probe, pairs, probe_of, segments
from corollary.exams.readings import between
from corollary.theory.expressivity.regions.line import affine_pieces
from corollary.theory.expressivity.regions.program import Program

SAMPLES, SEGMENTS, POINTS = 256, 12, 65
FEW, COARSE = 4, 17  # segments and points of a network that is much work
UNITS = 4096  # numbers inside the network beyond which the exact count takes too much memory
LEVEL = 0.95


class Bends(Exam):
    """Affine pieces, or changes of slope, on segments between samples and in random directions."""

    share = 2.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The mean over segments, with its interval."""
        probe = probe_of(subject, SAMPLES)
        few = affordable_points(subject, budget, 2 * POINTS * SEGMENTS, 2 * COARSE * FEW)
        a, b = pairs(probe, SEGMENTS if few > 2 * POINTS * FEW else FEW, "bends")
        points = min(POINTS, few // (2 * len(a)))
        away = torch.randn(a.shape, generator=subject.rng("bends", "away"), dtype=a.dtype)
        away = a + (b - a).norm(dim=1, keepdim=True) * away / away.norm(dim=1, keepdim=True)
        with subject.borrowed():
            units = probe.units()
            figure = _figure(segments(probe, a[:1], b[:1], 4 * points)[0])
            between_samples = _exact(probe, a, b)
            if between_samples is not None:
                found = (between_samples, _exact(probe, a, away) or [])
                yield self._pieces(*found, units, figure)
                return
            turns = [_turning(segments(probe, a, end, points)) for end in (b, away)]
        yield self._turning(turns[0], turns[1], figure, points)

    def _pieces(
        self, inside: list[float], outside: list[float], units: int, figure: Figure
    ) -> Finding:
        value = Sample(inside).read(LEVEL)
        random = sum(outside) / max(len(outside), 1)
        return self.finding(
            "Affine pieces between two samples",
            value=between(value.value, max(value.low, 1.0), value.high),
            unit=f"pieces ({random:.3g} in random directions)",
            expected=f"about as many as there are units ({units:,}); the maximum is exponential in "
            "the depth",
            meaning="This is the number of affine pieces of the network that the line segment "
            "between two samples crosses."
            if value.value > 1
            else "Between samples the network does not bend at all: it is affine there.",
            claims=("pieces_depth", "activation_cells"),
            figures=(figure,),
            details={"between_samples": inside, "random_directions": outside, "units": units},
        )

    def _turning(self, inside: Tensor, outside: Tensor, figure: Figure, points: int) -> Finding:
        value = Sample(inside.tolist()).read(LEVEL)
        return self.finding(
            "Change of slope between two samples",
            quantity="total change of slope",
            value=between(value.value, max(value.low, 0.0), value.high),
            unit=f"times the slope ({float(outside.mean()):.2g} in random directions)",
            expected="0 for a straight line",
            meaning="This is the total change of the slope of the output on the way from one "
            f"sample to another, added up over {points} points.",
            figures=(figure,),
            details={"between_samples": inside.tolist(), "random_directions": outside.tolist()},
        )


def _exact(probe: Probe, a: Tensor, b: Tensor) -> list[float] | None:
    """Pieces of each segment; None for a network that is not piecewise linear, or too large."""
    if probe.numbers() > UNITS or len(probe.batch.inputs) != 1 or probe.batch.named:
        return None
    shape = probe.batch.inputs[0].shape[1:]
    try:
        Program.read(probe.subject.model)
        return [
            float(affine_pieces(probe.subject.model, s.reshape(shape), e.reshape(shape)).count)
            for s, e in zip(a, b, strict=True)
        ]
    except (CorollaryError, RuntimeError, TypeError, ValueError, AttributeError, KeyError):
        return None  # a layer that is not piecewise linear, or a module that cannot be traced


def _turning(y: Tensor) -> Tensor:
    """Total change of the slope over its mean size, one for each segment."""
    slopes = y.diff(dim=1)
    size: Tensor = slopes.norm(dim=2).mean(dim=1).clamp(min=1e-300)
    change: Tensor = slopes.diff(dim=1).norm(dim=2).sum(dim=1)
    return change / size


def _figure(y: Tensor) -> Figure:
    s = torch.linspace(0, 1, len(y)).tolist()
    marks = tuple(
        Curve(y[:, i].tolist(), s, label=f"output {i}", role="measured" if i == 0 else "other")
        for i in range(min(3, y.shape[1]))
    )
    return Figure(
        "From one sample to another", x="position between the two samples", y="output", marks=marks
    )
