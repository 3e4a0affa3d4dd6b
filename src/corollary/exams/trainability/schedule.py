r"""Learning-rate schedule over the planned steps.

A schedule counts steps or epochs. The exam computes its learning rates for the planned training
without training. A warm-up that is longer than the training never reaches the given learning rate;
a schedule that is stepped per batch although it counts epochs ends far too early. Both are reported
if the same training goes clearly better at the constant rate.

:source: Goyal et al. (2017), "Accurate, large minibatch SGD", Section 2.2, on warm-up; Goodfellow,
    Bengio and Courville (2016), Deep Learning, Section 8.3.1, on sufficient conditions for rates.
:kind: exam
:cost: seconds
"""

import math
import warnings
from collections.abc import Iterator

from corollary.core import Budget, Curve, Evidence, Exam, Figure, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import rounded
from corollary.exams.remedies import tried
from corollary.exams.runs import Run
from corollary.exams.trial_run import TrialRun, trial_run_of

LOW = 0.2  # of the learning rate that was given: it has not arrived
OVER, MOST = 1e-3, 0.5  # of the highest rate, and of the steps below that
STEPS = 20_000  # that are played through
NOISE = 3.0  # standard deviations of the mean loss


class Schedule(Exam):
    """Learning rates of all planned steps."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Whether the learning rate reaches its target value, and whether it falls too soon."""
        given, rates = _played(subject)
        top = max(rates)
        late = top < LOW * given
        over = sum(rate < OVER * top for rate in rates) / len(rates)
        wrong = late or over > MOST
        better = _better(trial_run_of(subject, budget)) if wrong else ""
        yield self.finding(
            "The warm-up is longer than the training"
            if late
            else "The schedule ends too soon"
            if wrong
            else "Schedule of the learning rate",
            severity=(Severity.MEDIUM if better else Severity.LOW) if wrong else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            quantity="highest learning rate of the run",
            value=rounded(top),
            expected=f"about {given:g}",
            meaning=(
                f"In the planned {len(rates)} steps the learning rate never exceeds {top:.2g}. "
                f"This is too small compared with your learning rate of {given:g}. {better}"
                if late
                else f"During {100 * over:.0f} % of the planned steps the learning rate is "
                f"below a thousandth of its maximum. {better}"
                if wrong
                else "The learning rate reaches the value that was set, and does not fall to "
                "0 too soon."
            ).strip(),
            advice=f"End the warm-up after a tenth of the {len(rates)} steps, or train "
            "longer. Count the length of the warm-up in optimizer steps."
            if late
            else "Call scheduler.step() once per epoch, or stretch the schedule over all steps "
            "of the training."
            if wrong
            else "",
            explains=("trainability/*", "learning/*") if better else (),
            figures=(
                Figure(
                    "Learning rate", x="step", y="learning rate", marks=(Curve(rates, label="lr"),)
                ),
            ),
        )


def _played(subject: Subject) -> tuple[float, list[float]]:
    """The learning rate that the optimizer was given, and those of all planned steps."""
    recipe = subject.recipe
    if recipe.scheduler is None or recipe.optimizer is None:
        raise NotApplicableError("there is no schedule")
    n = recipe.steps if recipe.schedule_moves_each_step else recipe.epochs
    if n is None or n < 2:
        raise NotApplicableError(
            "this exam needs the planned length of training; pass steps or epochs"
        )
    optimizer, scheduler = recipe.twin()
    assert scheduler is not None, "there is one"
    rates = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(min(n, STEPS)):
            rates.append(float(optimizer.param_groups[0]["lr"]))
            try:
                scheduler.step()
            except (TypeError, ValueError):
                raise NotApplicableError(
                    "the schedule depends on measured values, so it cannot be computed "
                    "without training"
                ) from None
    group = optimizer.param_groups[0]
    given = float(group.get("initial_lr", group["lr"]))
    if not (given > 0 and all(map(math.isfinite, rates)) and max(rates) > 0):
        raise NotApplicableError("the learning rates are not positive")
    return given, rates


def _better(trial: TrialRun) -> str:
    """A sentence on the run at the constant rate; empty if it is not clearly better."""
    run = tried(trial, "constant rate")
    if run is None or run.diverged or not run.finite:
        return ""
    gain = trial.run.end - run.end
    clear = gain > NOISE * math.hypot(_error(trial.run), _error(run))
    if not trial.run.finite or not (clear and gain > 0.05 * abs(trial.run.end)):
        return ""
    return (
        f"After {trial.steps} steps the loss is {trial.run.end:.3g}; at the constant learning "
        f"rate it is {run.end:.3g}."
    )


def _error(run: Run) -> float:
    """Standard error of the mean loss at the end."""
    last = run.losses[-max(2, len(run.losses) // 5) :]
    mean = sum(last) / len(last)
    return math.sqrt(sum((v - mean) ** 2 for v in last) / (len(last) - 1) / len(last))
