r"""Scale of the inputs.

The curvature of the first layer is the second moment of its inputs: with features of mean
:math:`m` and standard deviation :math:`s` its largest eigenvalue is about :math:`s^2 + d m^2`, the
others about :math:`s^2`. So the mean slows training by its squared ratio to the spread, the size
sets the largest stable step, and a constant feature is a second bias.

:source: LeCun, Bottou, Orr and Müller (1998), "Efficient backprop", Section 4.3.
:kind: exam
:cost: instant
:claims: ridge_gradient
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Budget, Exam, Finding, Reading, Severity, Subject
from corollary.errors import NotApplicableError

# Healthy inputs (standardised tables, images in [0, 1] such as MNIST and Fashion-MNIST, one-hot
# and tf-idf codes) have a root mean square from 0.02 to 1.3 and a mean of at most 1.1 standard
# deviations. The limits leave an order of magnitude of size and three times the offset.
SMALLEST, LARGEST, OFFSET = 2e-3, 13.0, 3.3


class Inputs(Exam):
    """Size, offset and constant features of each float input."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """One finding an input, and one for what is wrong with it."""
        batch = subject.data()
        named = {f"input {i}": v for i, v in enumerate(batch.inputs)} | batch.named
        floats = {k: v for k, v in named.items() if _is_float(v)}
        if not floats:
            raise NotApplicableError("no input is made of floating-point numbers")
        for name, x in floats.items():
            yield from self._one(name, x.detach().double())

    def _one(self, name: str, x: Tensor) -> Iterator[Finding]:
        if not torch.isfinite(x).all():
            share = float((~torch.isfinite(x)).double().mean())
            yield self.finding(
                "Inputs are not finite",
                severity=Severity.HIGH,
                where=name,
                value=Reading(share, share, share),
                meaning="The data itself holds NaN or infinite values.",
                advice="Find the rows with torch.isfinite and drop or fill them.",
            )
            return
        rms, spread = float(x.pow(2).mean().sqrt()), float(x.std(unbiased=False))
        offset = abs(float(x.mean())) / spread if spread > 0 else float("inf")
        if spread == 0:
            yield self.finding(
                "Inputs are constant",
                severity=Severity.HIGH,
                where=name,
                meaning="All samples are the same, so there is nothing to learn from.",
                advice="Check how the data is loaded.",
            )
            return
        yield self._size(name, rms)
        yield self._offset(name, offset)
        yield from self._constants(name, x)

    def _size(self, name: str, rms: float) -> Finding:
        wrong = not SMALLEST <= rms <= LARGEST
        return self.finding(
            "Size of the inputs",
            severity=Severity.MEDIUM if wrong else Severity.NONE,
            where=name,
            value=Reading(rms, rms, rms),
            expected=f"a root mean square between {SMALLEST:g} and {LARGEST:g}",
            meaning=f"The stable step size scales with 1 over its square, {rms**2:.3g}."
            if wrong
            else "The inputs are of a usual size.",
            advice="Divide each feature by its standard deviation on the training set."
            if wrong
            else "",
            claims=("ridge_gradient",),
        )

    def _offset(self, name: str, offset: float) -> Finding:
        wrong = offset > OFFSET
        return self.finding(
            "Offset of the inputs",
            severity=Severity.MEDIUM if wrong else Severity.NONE,
            where=name,
            value=Reading(offset, offset, offset),
            unit="standard deviations",
            expected=f"at most {OFFSET:g}",
            meaning="The mean dominates the curvature of the first layer and slows the rest."
            if wrong
            else "The inputs are near enough to being centred.",
            advice="Subtract each feature's mean on the training set." if wrong else "",
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
                value=Reading(constant, constant, constant),
                unit=f"of {flat.shape[1]}",
                meaning="More than half of the features never change in the samples seen.",
                advice="Drop them, or check that the data is read as it should be.",
            )


def _is_float(value: object) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point() and value.numel() > 0
