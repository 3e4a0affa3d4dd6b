"""Find the changes that help if training goes badly, and the smallest of them."""

import math

from corollary.exams.change import Change
from corollary.exams.helping_changes import CHANGES
from corollary.exams.remedies import tried
from corollary.exams.runs import ENOUGH, Run
from corollary.exams.trial_run import LEAST, TrialRun, planned_steps
from corollary.exams.wiring_mistakes import WIRING

WRONG = 0.1  # one answer in ten, or a tenth of the variance: with less there is little to gain
AS_GOOD = 0.75  # of the gain of the best change
# Of the errors: a run is blamed only beside one that errs that little. Whatever makes learning
# faster (other scales, weights or rates) gains a factor of two to four where nothing is wrong.
FEWER, MUCH_FEWER = 1 / 2, 1 / 5
HALF = 0.5  # of the errors of a constant answer
SLOW = 1e5  # steps; training that needs more to halve its loss is not under way


def helping_runs(trial: TrialRun) -> list[tuple[Change, Run]]:
    """Changes that clearly improve the user's run, smallest first; each is tried once.

    The search ends after a change that no other could clearly beat.
    """
    if "helping" not in trial.subject.memo:
        found: list[tuple[Change, Run]] = []
        whole = trial.complete or trial.fails or (trial.telling and too_slow(trial))
        for change in CHANGES if whole else WIRING:
            run = _helping(trial, change)
            if run is not None:
                found.append((change, run))
                if _left(trial, run) <= (1 - AS_GOOD) * _left(trial, trial.run):
                    break
        trial.subject.memo["helping"] = found
    helping: list[tuple[Change, Run]] = trial.subject.memo["helping"]
    return helping


def goes_badly(trial: TrialRun) -> bool:
    """Whether the run fails, is far too slow, or was run completely and ends with many errors."""
    if trial.fails or (trial.telling and too_slow(trial)):
        return True
    risk = trial.run.risk
    if risk is None or trial.knew or not risk.value > WRONG:
        return False
    return trial.complete or _under_way(trial)


def _under_way(trial: TrialRun) -> bool:
    """Whether part of the training, at little work, ends with half the errors of a constant answer.

    Then more steps may be enough, and only wiring mistakes are searched for.
    """
    enough = len(trial.run.losses) >= ENOUGH and trial.allowed > LEAST
    return enough and HALF < trial.run.wrong < math.inf


def too_slow(trial: TrialRun) -> bool:
    """Whether the loss is too slow to be halved in the planned steps, or in a hundred thousand."""
    if trial.knew or trial.run.learned or not math.isfinite(trial.run.after):
        return False
    gone = trial.run.start - trial.run.after
    needed = trial.steps * 0.5 * trial.run.start / gone if gone > 0 else math.inf
    return needed > (planned_steps(trial.subject) or SLOW)


def _helping(trial: TrialRun, change: Change) -> Run | None:
    """The changed run, if the change applies and is clearly better than the user's run."""
    if not change.applies(trial) or (change.only_faster and _well_on_its_way(trial)):
        return None
    run = tried(trial, change.name)
    if run is None or not trial.needs(run):
        return None
    risk, other = trial.run.risk, run.risk
    if risk is not None and other is not None and trial.run.finite:
        share = MUCH_FEWER if trial.run.learned and not change.alike else FEWER
        return run if other.value < share * risk.value else None
    return run


def _well_on_its_way(trial: TrialRun) -> bool:
    """Whether the run halves the errors of a constant answer.

    Then faster learning fixes no fault.
    """
    return trial.run.learned and trial.run.wrong < HALF


def smallest(trial: TrialRun, helping: list[tuple[Change, Run]]) -> tuple[Change, Run]:
    """The first change that improves the run nearly as much as the best change."""
    left = {change.name: _left(trial, run) for change, run in helping}
    own, best = _left(trial, trial.run), min(left.values())
    enough = own - AS_GOOD * (own - best) if math.isfinite(own) else best + 0.25
    return next((c, run) for c, run in helping if left[c.name] <= enough)


def _left(trial: TrialRun, run: Run) -> float:
    """Errors of a run, or its loss relative to the user's initial loss if errors are not known."""
    if run.risk is not None and trial.run.risk is not None:
        return run.risk.value if run.finite else math.inf
    return run.end / abs(trial.run.aim or 1.0) if run.finite else math.inf
