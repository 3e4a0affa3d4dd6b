"""Causes, each with the symptoms that follow from it.

A finding can explain other findings. A softmax over one unit makes the gradient vanish, keeps the
loss constant and makes the outputs constant, and only the softmax has to be changed. Exams can name
what they explain (``explains``); the table below covers the other exams. If two findings explain
each other, the finding of the earlier question is the cause.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from corollary.core import Evidence, Finding, Severity
from corollary.examine.questions import turn

LEARNING = ("learning/*", "generalization/*", "function/*", "robustness/*")
RUN = ("trainability/trial_run", "trainability/what_helps", *LEARNING)
START = ("trainability/units", "trainability/rank_collapse")
EXPLAINS: dict[str, tuple[str, ...]] = {
    "soundness/finite": ("*",),
    "soundness/inputs": (
        *("trainability/*", "soundness/head_and_loss", "soundness/loss_and_targets"),
        *LEARNING,
    ),
    "soundness/labels": ("trainability/*", *LEARNING),
    "soundness/loss_reduction": ("trainability/*", *LEARNING),
    "soundness/parameters": ("trainability/*", *LEARNING),
    "soundness/batch_norm": RUN,
    "soundness/determinism": ("generalization/*", "robustness/*", "trainability/what_helps"),
    "soundness/causality": LEARNING,
    "trainability/initial_gain": ("trainability/signal_passage", *START, *RUN),
    "trainability/units": (*RUN, "trainability/signal_passage", "trainability/rank_collapse"),
    "trainability/gradient_reach": ("trainability/*", *LEARNING),
    "trainability/signal_passage": (*START, "trainability/initial_gain", *RUN),
    "trainability/rank_collapse": RUN,
    "trainability/copied_units": RUN,
    "trainability/recurrent_radius": RUN,
    "trainability/largest_step": RUN,
    "trainability/trial_run": ("learning/*", "function/*", "robustness/*"),
    "generalization/memorisation": ("trainability/trial_run", "generalization/unseen"),
    "generalization/unseen": ("trainability/trial_run",),
    "soundness/batch_independence": ("trainability/*", *LEARNING),
    "soundness/head_and_loss": ("trainability/what_helps", "trainability/trial_run"),
    "soundness/loss_and_targets": ("trainability/what_helps", "trainability/trial_run"),
    "soundness/loss_arguments": ("trainability/*", "soundness/loss_and_targets", *LEARNING),
    "soundness/double_softmax": ("trainability/*", *LEARNING),
    "soundness/ownership": ("trainability/*", *LEARNING),
    "function/linearity": LEARNING,
    "function/features_read": LEARNING,
}


@dataclass(frozen=True)
class Cause:
    """A finding to act on, and the symptoms that follow from it."""

    finding: Finding
    symptoms: tuple[Finding, ...]


def causes_of(findings: Sequence[Finding]) -> tuple[Cause, ...]:
    """Causes, the most severe first; every alarm is a cause or a symptom of one.

    Example:
        >>> dead = Finding("trainability/units", "Dead units", Severity.HIGH)
        >>> stuck = Finding("trainability/trial_run", "The loss stays", Severity.HIGH)
        >>> [(c.finding.title, [s.title for s in c.symptoms]) for c in causes_of([stuck, dead])]
        [('Dead units', ['The loss stays'])]
    """
    loud = sorted((f for f in findings if f.severity is not Severity.NONE), key=_rank)
    root: dict[int, Finding] = {}
    for finding in loud:
        root[id(finding)] = next(
            (other for other in loud if _explains(other, finding, loud)), finding
        )
    for finding in loud:  # what explains a symptom explains what follows from it
        while root[id(root[id(finding)])] is not root[id(finding)]:
            root[id(finding)] = root[id(root[id(finding)])]
    causes = [f for f in loud if root[id(f)] is f]
    found = (
        Cause(cause, tuple(f for f in loud if root[id(f)] is cause and f is not cause))
        for cause in causes
    )
    return tuple(sorted(found, key=_weight))


def _weight(cause: Cause) -> int:
    """Give each cause the severity of its worst symptom, and sort the most severe causes first."""
    return -max(f.severity.rank for f in (cause.finding, *cause.symptoms))


def _rank(finding: Finding) -> tuple[int, int, int]:
    """Severe and confirmed findings first, then in the order of the questions."""
    seen = finding.evidence is Evidence.CONFIRMED
    return -finding.severity.rank, not seen, turn(finding.exam.split("/")[0])


def _explains(cause: Finding, symptom: Finding, order: Sequence[Finding]) -> bool:
    loud = cause.severity.rank >= Severity.MEDIUM.rank
    if cause is symptom or not loud or not _implies(cause, symptom):
        return False
    if not _implies(symptom, cause):
        return True
    first, second = ((*_rank(f)[1:], _at(order, f)) for f in (cause, symptom))
    return first < second


def _implies(cause: Finding, symptom: Finding) -> bool:
    if cause.exam == symptom.exam:
        return False
    patterns = cause.explains or EXPLAINS.get(cause.exam, ())
    return any(fnmatchcase(symptom.exam, pattern) for pattern in patterns)


def _at(order: Sequence[Finding], finding: Finding) -> int:
    return next(i for i, f in enumerate(order) if f is finding)
