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
from corollary.exams.landscapes import affordable
from corollary.exams.readings import between
from corollary.exams.speed import seconds_per_sample
from corollary.theory.landscape.curvature import largest_stable_step
from corollary.train.loss_landscape import landscape_of

SAMPLES = 512
CATAPULT = 2.0  # times the largest stable step: from there on nothing is caught
PRODUCTS = 25  # with the Hessian are enough, each about three times a gradient
FEWEST, ENOUGH = 6, 200  # products that give an upper end at least, and that always suffice
LEAST = 16  # samples
WIDE = 1.5  # times its lower end: an upper end that leaves the question open


class LargestStep(Exam):
    """The step of gradient descent at which it turns unstable, here and now."""

    share = 16.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The limit with its interval, and the user's step against it."""
        landscape_of(subject, 1)  # refuses what has no loss to differentiate
        most = affordable(subject, budget, 3 * FEWEST, SAMPLES)
        n = max(LEAST, min(SAMPLES, most * FEWEST // PRODUCTS if most < SAMPLES else SAMPLES))
        products = int(0.8 * budget.left / (3 * n * seconds_per_sample(subject) + 1e-9))
        found = largest_stable_step(
            landscape_of(subject, n),
            max_products=min(max(products, FEWEST), ENOUGH),
            rng=subject.rng("largest step"),
        )
        step = found.step
        if math.isinf(step.value):
            yield self.finding(
                "Largest stable step",
                meaning="The loss curves upwards in no direction here, so there is no limit yet.",
            )
            return
        lr, severity = subject.lr, Severity.NONE
        meaning = "Longer steps of gradient descent oscillate, and beyond twice that they diverge."
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
        elif lr is not None and lr > step.low and step.high > WIDE * step.low:
            meaning = f"Your step size of {lr:g} may be below or above it; more budget would tell."
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
