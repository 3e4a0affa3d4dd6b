"""Decides which findings are reported: medium and high severity need a confirmation.

A finding that an exam marks *confirmed* rests on a checked identity or on a run. A finding that is
only *predicted* is tested by the trial run. It is confirmed if the training goes clearly better
with its remedy, or if the training fails and no other change is known to help. Otherwise it becomes
a remark.
"""

from dataclasses import replace

from corollary.core import Budget, Evidence, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.helping import helping_runs
from corollary.exams.remedies import tried, try_remedy
from corollary.exams.runs import ENOUGH
from corollary.exams.trial_run import TrialRun, trial_run_of

# What is usual at the start of networks that train well: remarks, unless the run learns nothing.
EARLY = (
    "learning/kernel_rank",
    "trainability/rank_collapse",
    "trainability/initial_gain",
    "function/frequencies",
)
# Changes that suit one batch size and not another.
RECIPE = (
    *("a tenth of the rate", "a hundredth of the rate", "ten times the rate", "plain Adam"),
    *("a hundred times the rate", "no momentum", "larger batches", "divided loss", "constant rate"),
)
TOO_SHORT = "No training run has confirmed this, because {} steps with batch size {} are too few."


def confirmed(finding: Finding, subject: Subject, budget: Budget) -> Finding:
    """The finding with the severity that its evidence supports."""
    loud = finding.severity.rank >= Severity.MEDIUM.rank
    if not loud or finding.evidence is Evidence.CONFIRMED:
        return finding
    try:
        trial = trial_run_of(subject, budget)
    except NotApplicableError as why:
        return _remark(finding, f"No training run has confirmed this: {why}.")
    if not (trial.telling or trial.fails or _compares(trial, finding)):
        return _remark(finding, TOO_SHORT.format(trial.steps, trial.batch_size))
    wanted = finding.remedy and not (finding.exam in EARLY and trial.run.learned)
    seen = try_remedy(trial, finding.remedy) if wanted else ""
    if not seen and trial.fails and not (wanted and _explained_by_another(trial, finding.remedy)):
        seen = _failure(trial)
    if not seen:
        return _remark(finding, "This change alone does not help." if trial.fails else "")
    return replace(
        finding, evidence=Evidence.CONFIRMED, meaning=f"{finding.meaning} {seen}".strip()
    )


def _compares(trial: TrialRun, finding: Finding) -> bool:
    """Whether a run with a smaller batch size than the user's can be compared with a changed run.

    The result of such a run says little about the user's learning rate. Compared with a run on the
    same batches and with different wiring, it shows which of the two is better.
    """
    long = len(trial.run.losses) >= ENOUGH
    return long and finding.remedy != "" and finding.remedy not in RECIPE


def _explained_by_another(trial: TrialRun, remedy: str) -> bool:
    """Whether the remedy was tried without success while another change helps."""
    return tried(trial, remedy) is not None and bool(helping_runs(trial))


def _remark(finding: Finding, why: str) -> Finding:
    said = why or "The loss of a short training run still falls as it should."
    return replace(finding, severity=Severity.LOW, meaning=f"{finding.meaning} {said}".strip())


def _failure(trial: TrialRun) -> str:
    if trial.diverged:
        return f"A training run of {len(trial.run.losses)} steps diverges."
    if trial.cannot_learn:
        return (
            f"In {trial.steps} steps of training the network learns nothing. It does not even "
            "memorise a single batch."
        )
    return (
        f"After {trial.steps} steps of training, the loss is still as large as the loss of a "
        "constant answer."
    )
