"""More parameters than samples.

A network with more trainable parameters than numbers to fit can reach zero loss on any labels, so
the training loss alone says nothing about what it has learned. The measurement is the number of
parameters divided by the number of values to fit.

:source: Zhang, Bengio, Hardt, Recht and Vinyals (2017), "Understanding deep learning requires
    rethinking generalization".
:kind: exam
"""

from collections.abc import Iterator

from corollary.core import Budget, Exam, Finding, Reading, Severity, Subject
from corollary.errors import NotApplicableError


class ManyParameters(Exam):
    """Trainable parameters against samples."""

    share = 0.1  # relative to an exam with one forward pass

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """One ratio."""
        count = sum(p.numel() for p in subject.parameters().values())
        if count == 0:
            raise NotApplicableError("the module has no trainable parameters")
        ratio = count / subject.labelled().size
        many = ratio > 1  # from 1 on, any labels of points in general position can be fitted
        yield self.finding(
            "More parameters than samples" if many else "Fewer parameters than samples",
            severity=Severity.LOW if many else Severity.NONE,
            where="the whole network",
            value=Reading(ratio, ratio, ratio),
            unit="parameters per sample",
            expected="below 1, otherwise the training loss alone says nothing",
            meaning="The network can fit any labels."
            if many
            else "The network cannot fit every labelling.",
            advice="Measure its error on data that were not used for training." if many else "",
        )
