r"""Largest stable step.

To second order, gradient descent stays bounded exactly for steps up to
:math:`2/\lambda_{\max}`, the largest eigenvalue of the loss's Hessian on the data. It is found by
Lanczos with an interval. A step up to twice as long is not lost: the loss rises at first and may
throw the network to a place of less curvature; beyond :math:`4/\lambda_{\max}` it diverges.

:source: Cohen, Kaur, Li, Kolter and Talwalkar (2021), "Gradient descent on neural networks
    typically occurs at the edge of stability"; Lewkowycz, Bahri, Dyer, Sohl-Dickstein and Gur-Ari
    (2020), "The large learning rate phase of deep learning: the catapult mechanism"; Lucchi
    (2025), Foundations of Deep Learning, Chapter 5, on gradient descent for quadratics.
:kind: exam
:cost: seconds
"""

import math
from collections.abc import Iterator

from corollary.core import Budget, Exam, Finding, Severity, Subject
from corollary.exams.landscapes import affordable, landscape_of
from corollary.exams.readings import between
from corollary.theory.landscape.curvature import largest_stable_step

SAMPLES = 512
CATAPULT = 2.0  # times the largest stable step: from there on nothing is caught
PASSES = 80  # some 25 products with the Hessian, each about three times a gradient


class LargestStep(Exam):
    """The step of gradient descent at which it turns unstable, here and now."""

    share = 8.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The limit with its interval, and the user's step against it."""
        landscape = landscape_of(subject, affordable(subject, budget, PASSES, SAMPLES))
        found = largest_stable_step(landscape, rng=subject.rng("largest step"))
        step = found.step
        if math.isinf(step.value):
            yield self.finding(
                "Largest stable step",
                meaning="The loss curves upwards in no direction here, so there is no limit yet.",
            )
            return
        lr, severity = subject.lr, Severity.NONE
        meaning = "Plain gradient descent with a longer step than this diverges."
        advice = ""
        if lr is not None:
            meaning = f"Your step size of {lr:g} is below it."
        if lr is not None and lr > step.high:
            catapult = lr <= CATAPULT * step.high
            severity = Severity.MEDIUM if catapult else Severity.HIGH
            meaning = f"Your step size of {lr:g} is {lr / step.value:.2g} times that" + (
                ", so the loss rises before it falls, if it does." if catapult else " and diverges."
            )
            advice = f"Use a step size below {step.low:.2g}, or warm up from there."
        elif lr is not None and lr > step.low:
            severity = Severity.LOW
            meaning = f"Your step size of {lr:g} is at this limit."
            advice = f"Expect the loss to oscillate; with steps below {step.low:.2g} it does not."
        elif lr is not None and lr < step.low / 1000:
            severity = Severity.LOW
            meaning = f"Your step size of {lr:g} is less than a thousandth of it, which is slow."
            advice = f"Try longer steps; up to {step.low:.2g} plain gradient descent is stable."
        yield self.finding(
            "Largest stable step",
            severity=severity,
            value=between(step.value, step.low, step.high),
            expected=f"above your {lr:g}" if lr is not None else "",
            meaning=meaning,
            advice=advice,
            details={"lambda_max": found.lambda_max.value, "path": found.path},
        )
