r"""Largest stable learning rate.

To second order an optimizer stays bounded while the largest eigenvalue of the loss's Hessian, in
the metric the optimizer divides by, is at most its own limit: :math:`2/\eta` for gradient descent,
:math:`2(1+\beta)/\eta` with momentum, :math:`(2+2\beta_1)/((1-\beta_1)\eta)` for Adam. The
eigenvalue is found by Lanczos with an interval; for adaptive methods, the second moments after a
few steps on your data are used. This is only a prediction. Networks often tolerate learning rates
above the limit, because they move to regions of lower curvature. So the trial run decides: the
finding says *diverges* only if the run diverged.

:source: Cohen, Kaur, Li, Kolter and Talwalkar (2021), "Gradient descent on neural networks
    typically occurs at the edge of stability"; Cohen, Ghorbani, Krishnan et al. (2022), "Adaptive
    gradient methods at the edge of stability"; Lewkowycz, Bahri, Dyer, Sohl-Dickstein and Gur-Ari
    (2020), "The large learning rate phase of deep learning: the catapult mechanism".
:kind: exam
:cost: seconds
"""

import math
from collections.abc import Iterator

import torch
from torch.optim import SGD, Optimizer

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.core.recipe import in_words
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import affordable
from corollary.exams.readings import between
from corollary.exams.remedies import tried
from corollary.exams.runs import give_gradients
from corollary.exams.trial_run import ROWS, TrialRun, trial_run_of
from corollary.theory.landscape.curvature import Estimate, hessian
from corollary.theory.optimization.stability import stability_ratio
from corollary.train.loss_landscape import landscape_of

SAMPLES, PRODUCTS = 512, 40  # products with the Hessian, each about three times a gradient
WARM = 10  # steps after which the second moments of Adam are known
SMALLER = {0.1: "a tenth of the rate", 0.01: "a hundredth of the rate"}  # tried where it diverges


class LargestStep(Exam):
    """The learning rate at which the user's optimizer becomes unstable, and the result of a run."""

    share = 16.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The limit with its interval, and the user's learning rate compared with it."""
        landscape_of(subject, 1)  # refuses what has no loss to differentiate
        trial = _trial(subject, budget)
        try:
            ratio = _ratio(subject, budget)
        except NotApplicableError as why:
            if trial is None or subject.lr is None or not trial.diverged:
                raise
            ratio, said = None, str(why)
        yield self._limit(subject, ratio, trial) if ratio else self._without(subject, trial, said)

    def _limit(self, subject: Subject, ratio: Estimate, trial: TrialRun | None) -> Finding:
        optimizer = subject.recipe.optimizer
        assert optimizer is not None, "no parameter is trainable"
        rate = subject.recipe.lr or 1.0
        told = subject.lr is not None
        if ratio.value <= 0:
            return self.finding(
                "Largest stable learning rate",
                meaning="The loss has no positive curvature here, so there is no limit yet.",
            )
        step = [rate / ratio.value, rate / ratio.high, rate / ratio.low if ratio.low > 0 else 1e9]
        diverged = told and trial is not None and trial.diverged
        title = "The learning rate is too large" if diverged else "Largest stable learning rate"
        above = told and ratio.low > 1
        return self.finding(
            title,
            severity=Severity.HIGH if diverged and ratio.value > 1 else Severity.NONE,
            evidence=Evidence.CONFIRMED if diverged else Evidence.PREDICTED,
            value=between(*step),
            unit=f"for {in_words(optimizer).split('(')[0]}",
            expected=f"above your {rate:g}" if told else "",
            meaning=_meaning(rate, ratio.value, told, above, trial),
            advice=_smaller(subject, trial, step[1]) if diverged else "",
            explains=("trainability/trial_run",) if diverged else (),
            change=f"- lr={rate:g}\n+ lr={_round_down(step[1]):g}" if diverged else "",
            details={"ratio": ratio.value, "optimizer": in_words(optimizer)},
        )

    def _without(self, subject: Subject, trial: TrialRun | None, why: str) -> Finding:
        return self.finding(
            "The learning rate is too large",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            meaning="The trial run diverges. No largest stable learning rate can be "
            f"computed: {why}.",
            advice=_smaller(subject, trial, math.inf),
            explains=("trainability/trial_run",),
        )


def _trial(subject: Subject, budget: Budget) -> TrialRun | None:
    try:
        return trial_run_of(subject, budget)
    except NotApplicableError:
        return None


def _ratio(subject: Subject, budget: Budget) -> Estimate:
    """The share of its stability limit that the optimizer uses, with batch statistics."""
    n = affordable(subject, budget, 3 * PRODUCTS, SAMPLES)
    landscape = landscape_of(subject, n, train=True)
    with subject.borrowed(train=True):
        optimizer = _warm(subject)
    return stability_ratio(
        hessian(landscape),
        optimizer,
        landscape.parameters,
        max_products=PRODUCTS,
        rng=subject.rng("largest step"),
    )


def _warm(subject: Subject) -> Optimizer:
    """A copy of the user's optimizer with its second moments; the weights do not change."""
    optimizer, _ = subject.recipe.twin()
    if isinstance(optimizer, SGD):
        return optimizer
    parameters = list(subject.parameters().values())
    start = [p.detach().clone() for p in parameters]
    batch = subject.labelled()
    size = min(subject.batch_size or ROWS, batch.size)
    for k in range(WARM):
        rows = (torch.arange(size) + k * size) % batch.size
        give_gradients(optimizer, subject.loss(batch.slice(rows)))
        optimizer.step()
        with torch.no_grad():
            for p, value in zip(parameters, start, strict=True):
                p.copy_(value)
    return optimizer


def _smaller(subject: Subject, trial: TrialRun | None, limit: float) -> str:
    """The largest learning rate that worked in a run, or the one that theory allows."""
    rate = subject.recipe.lr or 1.0
    if trial is not None:
        for factor, name in SMALLER.items():
            run = tried(trial, name)
            if run is not None and not run.diverged:
                return (
                    f"Use a learning rate of about {factor * rate:g}. The trial run goes well "
                    "at this rate."
                )
    return f"Use a learning rate below {_round_down(limit):g}, or start there and warm up."


def _meaning(rate: float, ratio: float, told: bool, above: bool, trial: TrialRun | None) -> str:
    if not told:
        return (
            "Above this learning rate the loss may oscillate or diverge (by a "
            "second-order approximation)."
        )
    if trial is not None and trial.diverged:
        return (
            f"Your learning rate of {rate:g} is {ratio:.2g} times this limit, and the "
            "trial run diverges."
        )
    if above and trial is not None:
        return (
            f"Your learning rate of {rate:g} is {ratio:.2g} times this limit. Training still "
            "works, because the network moves to a region of lower curvature."
        )
    if above:
        return (
            f"Your learning rate of {rate:g} is {ratio:.2g} times this limit. No trial run "
            "tested this."
        )
    return f"Your learning rate of {rate:g} is below this limit."


def _round_down(value: float) -> float:
    return float(f"{0.95 * value:.1g}")
