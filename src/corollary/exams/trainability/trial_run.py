r"""A short training run with your settings.

A copy of the network is trained for about a hundred steps with your optimizer, learning rate and
batch size, in train mode. A second run repeats one small batch many times. Whether the loss falls
says more about a network than anything else. The loss to beat is the loss of the best constant
answer: the entropy of the classes, or the variance of the targets.

:source: Goodfellow, Bengio and Courville (2016), Deep Learning, Section 11.5, on fitting a tiny
    data set; Karpathy (2019), "A recipe for training neural networks".
:kind: exam
:cost: seconds
"""

import math
from collections.abc import Iterator

from corollary.core import (
    Budget,
    Curve,
    Evidence,
    Exam,
    Figure,
    Finding,
    Level,
    Mark,
    Severity,
    Subject,
)
from corollary.core.subject import TAKES_WHOLE
from corollary.exams.readings import rounded
from corollary.exams.runs import Run
from corollary.exams.trial_run import TrialRun, trial_run_of

SAME = 0.05  # of the spread that targets ask for: the outputs are a constant
CONSTANT = 0.9  # of the risk by chance


class TrialRunExam(Exam):
    """Does the loss fall?"""

    share = 4.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The training run, and the run on a single batch."""
        trial = trial_run_of(subject, budget)
        yield self._run(trial)
        yield self._one_batch(trial)
        yield from self._constant(trial)

    def _run(self, trial: TrialRun) -> Finding:
        run, recipe = trial.run, trial.subject.recipe
        how = f"{run.optimizer}, batches of {trial.batch_size}"
        if recipe.assumed:
            how += f" ({recipe.assumed} is assumed)"
        if not trial.faithful:
            how += f", fewer than your {trial.subject.batch_size} because the effort is limited"
        stuck = not (run.learned or trial.knew or trial.diverged)
        short = stuck and not (trial.telling or trial.fails)
        whole = "all of your" if trial.complete else ""
        if trial.diverged:
            title, meaning = "Training diverges", self._divergence(run)
        elif short:
            title = "A few steps of training"
            meaning = (
                f"The loss goes from {run.start:.3g} to {run.end:.3g} in {len(run.losses)} "
                "steps. So few steps with batches of this size do not show whether the network "
                "learns."
            )
        elif stuck:
            title = "The network does not learn" if trial.fails else "The loss has not fallen yet"
            meaning = (
                f"After {whole} {len(run.losses)} steps, the loss is {run.end:.3g}. This is no "
                f"better than the loss of {_aim(run)}, {run.aim:.3g}."
            ).replace("  ", " ")
        else:
            title = (
                "The loss falls"
                if run.learned
                else ("The network has already learned these samples")
            )
            meaning = (
                f"The loss goes from {run.start:.3g} to {run.end:.3g} in {len(run.losses)} steps."
            )
        severity = Severity.NONE
        if trial.diverged or trial.cannot_learn:
            severity = Severity.HIGH
        elif stuck and not short:
            severity = Severity.MEDIUM if trial.stuck else Severity.LOW
        ratio = run.end / run.aim if math.isfinite(run.end) and run.aim > 0 else math.inf
        return self.finding(
            title,
            severity=severity,
            evidence=Evidence.CONFIRMED,
            quantity=f"final loss / loss of {_aim(run)}",
            value=rounded(ratio) if math.isfinite(ratio) else None,
            expected="below 1",
            meaning=f"{meaning} Trained with {how}.",
            advice=_advice(trial) if severity.rank >= Severity.MEDIUM.rank else "",
            figures=(_figure(run),),
            details={"start": run.start, "end": run.end, "constant": run.constant, "steps": how},
        )

    def _constant(self, trial: TrialRun) -> Iterator[Finding]:
        """Whether the trained network gives all samples the same answer."""
        risk, share = trial.run.risk, _told_apart(trial)
        if risk is None or trial.knew or not share < SAME:
            return
        if risk.value < CONSTANT * risk.chance or not (trial.complete or trial.fails):
            return
        whole = bool(trial.subject.memo.get(TAKES_WHOLE))
        yield self.finding(
            "The outputs collapse to a constant",
            severity=Severity.MEDIUM,
            evidence=Evidence.CONFIRMED,
            quantity="spread of the outputs over samples",
            value=rounded(share),
            unit="of the spread of the targets",
            expected=f"above {SAME:g}",
            meaning=f"After {trial.steps} steps the network ignores its input: it gives the same "
            f"output for all samples ({risk.in_words(risk.value)}).",
            advice="Look for a term of the loss that outweighs the error, and give it less "
            "weight. An example is a divergence that is a sum over dimensions, next "
            "to an error that is a mean over pixels (posterior collapse)."
            if whole
            else "Look for dead ReLU units, a regularisation that outweighs the error, or an "
            "input that does not reach the output.",
            explains=("trainability/what_helps", *("learning/*", "function/*", "generalization/*"))
            if whole
            else (),
        )

    def _divergence(self, run: Run) -> str:
        if not run.finite:
            return f"The loss is no longer finite after {len(run.losses)} steps."
        return f"The loss rises from {run.start:.3g} to {run.end:.3g} in {len(run.losses)} steps."

    def _one_batch(self, trial: TrialRun) -> Finding:
        one, plain = trial.one_batch, trial.plain
        share = one.end / one.start if one.start > 0 and one.finite else math.nan
        fails = trial.cannot_learn and not trial.diverged
        if plain is None:
            meaning = f"The loss on one batch goes from {one.start:.3g} to {one.end:.3g}."
        elif not fails:
            better = plain.learned and plain.end < one.end
            meaning = (
                f"In {len(one.losses)} steps your optimizer reaches a loss of {one.end:.3g}"
                + (f", {plain.optimizer} to {plain.end:.3g}." if better else ".")
            )
        else:
            meaning = (
                "Trained on the same few samples again and again, the network keeps a loss "
                f"of {one.end:.3g}. The output of the network does not depend on these samples "
                "as it should."
            )
        own = not fails and trial.not_by_heart
        severity = Severity.HIGH if fails else Severity.NONE
        if own:  # within the steps there are; without a plan more may be meant
            flat = trial.complete or not one.falling
            severity = Severity.MEDIUM if flat and not trial.diverged else Severity.LOW
        return self.finding(
            "The network cannot memorise one batch"
            if fails
            else "Your optimizer does not memorise one batch"
            if own
            else "One batch memorised"
            if one.learned
            else "A few steps on one batch",
            severity=severity,
            evidence=Evidence.CONFIRMED,
            quantity="final loss / initial loss",
            value=rounded(share) if math.isfinite(share) else None,
            expected="near 0",
            meaning=meaning,
            advice="Find out where the gradient is cut off from the weights, or the input from "
            "the output. A network that is wired correctly memorises a few samples."
            if fails
            else "Use another learning rate or optimizer. With a suitable choice, the network "
            "memorises a few samples in a hundred steps."
            if own
            else "",
        )


def _told_apart(trial: TrialRun) -> float:
    """Standard deviation of trained outputs over samples, for numbers relative to the targets."""
    after = trial.aftermath
    if after.target is None or trial.run.risk is None:
        return math.nan
    if trial.run.risk.classes:
        return math.sqrt(after.spread) if math.isfinite(after.spread) else math.nan
    rows = after.target.cpu().double().reshape(len(after.target), -1)
    asked = float((rows - rows.mean(0)).square().mean())
    return math.sqrt(after.spread / asked) if asked > 0 and after.spread >= 0 else math.nan


def _aim(run: Run) -> str:
    return "a constant answer" if run.constant <= run.start else "the start"


def _advice(trial: TrialRun) -> str:
    if trial.diverged:
        return "Use a smaller learning rate, and scale inputs and targets to size 1."
    return (
        "First fix the causes that other findings name; if there are none, check that inputs and "
        "targets belong together, and try more steps or a larger network."
    )


def _figure(run: Run) -> Figure:
    shown = [loss for loss in run.losses if math.isfinite(loss)]
    marks: list[Mark] = [Curve(shown, label="loss of each batch")]
    if math.isfinite(run.constant):
        marks.append(Level(run.constant, label="constant answer"))
    steep = len(shown) > 1 and min(shown) > 0 and max(shown) > 100 * min(shown)
    return Figure("A short training", x="step", y="loss", log_y=steep, marks=tuple(marks))
