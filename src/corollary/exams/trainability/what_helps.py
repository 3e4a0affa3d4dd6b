r"""What would help.

If training goes badly, changes are tried one at a time, each with the same weights, batches and
number of steps: without dropout, without weight decay, with another learning rate, other scales,
another activation. The change with the fewest errors points at the cause. If several changes help
equally, the smallest one is named. Each change is an experiment in which a single factor is varied;
no threshold on gradients or activations can replace it.

:source: Zeller (1999), "Yesterday, my program worked. Today, it does not. Why?", on finding the
    cause by trying changes; Smith (2018), "A disciplined approach to neural network
    hyper-parameters", Part 1.
:kind: exam
:cost: seconds
"""

from collections.abc import Iterator

import torch

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.change import Change
from corollary.exams.helping import goes_badly, helping_runs, smallest
from corollary.exams.remedies import compared
from corollary.exams.runs import Run
from corollary.exams.scales import float_inputs
from corollary.exams.trial_run import TrialRun, trial_run_of


class WhatHelps(Exam):
    """Changed runs compared with the user's own."""

    share = 4.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The smallest change that helps most, if the run goes badly."""
        for x in float_inputs(subject.everything()).values():
            if not bool(torch.isfinite(x).all()):
                raise NotApplicableError("some inputs are NaN or infinite; fix them first")
        trial = trial_run_of(subject, budget)
        if not goes_badly(trial):
            yield self.finding(
                "No change was tried",
                meaning="The trial run goes well enough. Changes are tried only if it goes badly.",
            )
            return
        helping = helping_runs(trial)
        if not helping:
            yield self.finding(
                "No single change helps",
                meaning="The trial run goes badly, and no single change makes it better. "
                "Perhaps more than one thing is wrong, or the inputs do not "
                "determine the targets.",
            )
            return
        change, run = smallest(trial, helping)
        yield self._found(trial, change, run, [c.name for c, _ in helping if c is not change])

    def _found(self, trial: TrialRun, change: Change, run: Run, others: list[str]) -> Finding:
        also = f" These changes also help: {', '.join(others[:3])}." if others else ""
        return self.finding(
            change.title(trial),
            severity=Severity.HIGH if trial.fails else Severity.MEDIUM,
            evidence=Evidence.CONFIRMED,
            where=change.where(trial),
            meaning=f"{change.meaning(trial)} {compared(trial, run)}{also}",
            advice=change.advice(trial),
            change=change.diff(trial),
            explains=EXPLAINS,
            details={"also": others},
        )


EXPLAINS = (
    *("trainability/trial_run", "trainability/largest_step", "trainability/conditioning"),
    *("learning/*", "function/*", "generalization/*", "robustness/*"),
)
