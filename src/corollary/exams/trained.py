"""Whether a network has learned anything yet; without that, many exams do not apply."""

from corollary.core import Subject
from corollary.errors import NotApplicableError
from corollary.exams.modes import steady
from corollary.exams.risks import risk_of

SAMPLES = 256
# Of the errors of the best constant answer. Networks at their start have 0.9 and more; a
# classifier that is right twice as often as chance on ten classes has 0.89.
UNTRAINED = 0.85


def need_trained(subject: Subject) -> None:
    """Raise for a network that does hardly better than a constant answer.

    Raises:
        NotApplicableError: if the network has not been trained, or this cannot be determined.
    """
    if "trained" not in subject.memo:
        with subject.borrowed() as model, steady(model):
            risk = risk_of(subject, subject.labelled(SAMPLES))
        subject.memo["trained"] = risk.value < UNTRAINED * risk.chance
    if not subject.memo["trained"]:
        raise NotApplicableError(
            "the network does hardly better than a constant answer; train it first, then examine "
            "it again"
        )


def is_trained(subject: Subject) -> bool:
    """Whether the network does better than a constant answer.

    False if this cannot be determined.
    """
    try:
        need_trained(subject)
    except NotApplicableError:
        return False
    return True
