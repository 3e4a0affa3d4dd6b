r"""Scale of the inputs.

The curvature of the first layer is the second moment of its inputs: with features of mean :math:`m`
and standard deviation :math:`s` its largest eigenvalue is about :math:`s^2 + d m^2`, the others
about :math:`s^2`. So a large mean slows training by the square of its ratio to the spread, the size
of the inputs determines the largest stable step, and a constant feature acts as a second bias.

:source: LeCun, Bottou, Orr and Müller (1998), "Efficient backprop", Section 4.3.
:kind: exam
:claims: ridge_gradient
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import counted, roughly, rounded
from corollary.exams.scales import LARGEST, OFFSET, SMALLEST, float_inputs, scale_of

FEW = 8  # samples, and pixels of a side
CHANNELS = (2, 3, 4)  # of images that may stand last
# Of the squared difference between neighbours, along both axes. Images whose channels do come first
# are rougher when read otherwise, and noise is as rough.
SMOOTHER = 0.5


class Inputs(Exam):
    """Size, offset and constant features of each float input."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """One finding per input, and one for each problem with it."""
        floats = float_inputs(subject.everything())
        small = [t for t in subject.data(FEW).tensors() if t.dtype in (torch.uint8, torch.int8)]
        if small:
            yield from self._wrap(subject)
        elif not floats:
            raise NotApplicableError("no input has floating-point numbers")
        for name, x in floats.items():
            yield from self._one(name, x.detach().cpu().double())

    def _wrap(self, subject: Subject) -> Iterator[Finding]:
        """Whether arithmetic on 8-bit integers leaves their range."""
        batch = subject.data(FEW)
        wide = batch.with_inputs(
            *(t.int() if t.dtype in (torch.uint8, torch.int8) else t for t in batch.tensors())
        )
        try:
            with subject.borrowed(), torch.no_grad():
                narrow, wider = subject.output(batch), subject.output(wide)
        except (RuntimeError, TypeError, ValueError):
            return  # it does not take wider integers, so the two cannot be compared
        scale = float(wider.cpu().double().abs().max()) or 1.0
        if float((narrow - wider).cpu().double().abs().max()) > 1e-4 * scale:
            yield self.finding(
                "8-bit integers overflow",
                severity=Severity.HIGH,
                evidence=Evidence.CONFIRMED,
                meaning="The outputs change when the same values are given as 32-bit "
                "integers: a sum or difference overflows 8 bits and wraps around.",
                advice="Convert the inputs to floats first: x = x.float() / 255.",
                change="+ x = x.float() / 255",
            )

    def _one(self, name: str, x: Tensor) -> Iterator[Finding]:
        if not torch.isfinite(x).all():
            share = float((~torch.isfinite(x)).cpu().double().mean())
            yield self.finding(
                "NaN or infinite values",
                severity=Severity.HIGH,
                evidence=Evidence.CONFIRMED,
                where=name,
                value=rounded(100 * share),
                unit="% of all values",
                meaning="The data contains NaN or infinity, so every result computed from the data "
                "also contains NaN or infinity.",
                advice="Find the rows with torch.isfinite and drop or fill them.",
            )
            return
        scale = scale_of(x)
        if scale.spread == 0:
            yield self.finding(
                "Constant values",
                severity=Severity.HIGH,
                evidence=Evidence.CONFIRMED,
                where=name,
                meaning="All samples are the same, so there is nothing to learn from.",
                advice="Check how the data is loaded.",
            )
            return
        yield self._size(name, scale.size)
        yield self._offset(name, scale.offset)
        yield from self._constants(name, x)
        yield from self._channels(name, x)

    def _size(self, name: str, rms: float) -> Finding:
        wrong = not SMALLEST <= rms <= LARGEST
        return self.finding(
            _size_title(rms),
            severity=Severity.MEDIUM if wrong else Severity.NONE,
            remedy="standardised inputs",
            where=name,
            quantity="root mean square",
            value=rounded(rms),
            expected=f"{SMALLEST:g} to {LARGEST:g}",
            meaning=_size_meaning(rms),
            advice="Divide each feature by its standard deviation on the training set."
            if wrong
            else "",
            claims=("ridge_gradient",),
        )

    def _offset(self, name: str, offset: float) -> Finding:
        wrong = offset > OFFSET
        return self.finding(
            "Values are not centred" if wrong else "Mean of values",
            severity=Severity.MEDIUM if wrong else Severity.NONE,
            remedy="standardised inputs",
            where=name,
            value=rounded(offset),
            unit="standard deviations from 0",
            expected=f"at most {OFFSET:g}",
            meaning="A large mean limits the learning rate, so differences between samples "
            f"are learned about {roughly(offset**2)} times more slowly."
            if wrong
            else "The mean of the values is close enough to 0.",
            advice="Subtract each feature's mean on the training set." if wrong else "",
        )

    def _channels(self, name: str, x: Tensor) -> Iterator[Finding]:
        """Images that are stored channels-last and read as channels-first."""
        if x.dim() != 4 or x.shape[1] not in CHANNELS or min(x.shape[2:]) < FEW or len(x) < FEW:
            return
        n, c, h, w = x.shape
        own, other = roughness(x), roughness(x.reshape(n, h, w, c).permute(0, 3, 1, 2))
        if not all(b < SMOOTHER * a for a, b in zip(own, other, strict=True)):
            return
        yield self.finding(
            "Images are reshaped where their axes should be permuted",
            severity=Severity.MEDIUM,
            remedy="moved channels",
            where=name,
            value=rounded(sum(own) / max(sum(other), 1e-12)),
            unit="times as much difference between neighbouring pixels as with the channels last",
            expected="at most 1",
            meaning=f"The numbers form smooth images if the axes are (batch, height, width, {c}), "
            f"but not if the axes are (batch, {c}, height, width). A view or reshape from "
            "NHWC to NCHW keeps the order in memory and mixes pixels with channels.",
            advice="Use permute(0, 3, 1, 2) to bring channels first, not view or reshape.",
            change=f"- x.view(-1, {c}, {h}, {w})\n+ x.permute(0, 3, 1, 2)",
            explains=("trainability/*", "learning/*", "function/*", "generalization/*"),
        )

    def _constants(self, name: str, x: Tensor) -> Iterator[Finding]:
        flat = x.reshape(len(x), -1)
        if len(flat) < 8:  # too few samples to call a feature constant
            return
        constant = int((flat.std(0, unbiased=False) == 0).sum())
        share = constant / flat.shape[1]
        if share > 0.5:
            yield self.finding(
                "Constant features",
                severity=Severity.LOW,
                where=name,
                value=counted(constant),
                unit=f"of {flat.shape[1]} features",
                meaning="More than half of the features are the same in all samples.",
                advice="Remove these features, or check that the data is read correctly.",
            )


def roughness(x: Tensor) -> tuple[float, float]:
    """Mean square difference of neighbours along the last two axes, over the variance.

    Example:
        >>> roughness(torch.tensor([[0.0, 1.0], [0.0, 1.0]], dtype=torch.float64))
        (0.0, 3.0)
    """
    variance = float(x.var())
    down, along = (float(x.diff(dim=axis).square().mean()) for axis in (-2, -1))
    return down / variance, along / variance


def _size_title(rms: float) -> str:
    if rms > LARGEST:
        return "Values are too large"
    return "Values are too small" if rms < SMALLEST else "Size of values"


def _size_meaning(rms: float) -> str:
    if rms > LARGEST:
        return (
            f"The largest stable learning rate is about {roughly(rms**2)} times smaller "
            "than it would be for inputs of size 1."
        )
    if rms < SMALLEST:
        return "The first layer learns so slowly that its weights hardly change."
    return "The values have the usual size."
