"""Dead and saturated units.

A ReLU unit that outputs zero for every sample gets no gradient and never changes. A saturated tanh
or sigmoid unit gets almost no gradient. With zero initial biases a unit is dead only if all samples
lie on one side of its hyperplane, which hardly happens for more than a few samples.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4; Glorot and Bengio (2010),
    "Understanding the difficulty of training deep feedforward neural networks".
:kind: exam
:claims: threshold_gradient, sigmoid_derivatives
"""

from collections.abc import Callable, Iterator

from corollary.core import Budget, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import trace_of
from corollary.exams.readings import rounded
from corollary.theory.modules.trace import Call, dead_share, saturated_share

SAMPLES = 256
MANY, MOST = 0.5, 0.9  # half of a layer idle is a waste, nine tenths a bottleneck


class Units(Exam):
    """The shares of dead and of saturated units."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The worst layer of each kind."""
        with subject.borrowed():
            trace = trace_of(subject, SAMPLES)
            end = trace.last(subject.pick(trace.output))
        inner = [
            call for call in trace.calls if call is not end
        ]  # a sigmoid at the end may be sure
        kinds = {
            "Dead units": _shares(inner, dead_share),
            "Saturated units": _shares(inner, saturated_share),
        }
        if not any(kinds.values()):
            raise NotApplicableError("there is no ReLU, tanh or sigmoid between layers")
        for title, shares in kinds.items():
            if shares:
                yield self._worst(title, *max(shares))

    def _worst(self, title: str, share: float, where: str) -> Finding:
        severity = Severity.NONE
        if share > MANY:
            severity = Severity.HIGH if share > MOST else Severity.MEDIUM
        dead = title.startswith("Dead")
        return self.finding(
            title,
            severity=severity,
            remedy="fresh start",
            where=where,
            value=rounded(100 * share),
            unit="% of the layer",
            expected=f"below {100 * MANY:.0f} %",
            meaning="No layer has a larger share of such units."
            if share <= MANY
            else (
                "These units output 0 for every sample and get no gradient."
                if dead
                else "These units are on the flat part of their activation and get hardly "
                "any gradient."
            ),
            advice=""
            if share <= MANY
            else (
                "Initialise the biases with zeros and centre the inputs, or use a leaky activation."
                if dead
                else "Initialise with smaller weights, or normalise the inputs of this layer."
            ),
            claims=("threshold_gradient",) if dead else ("sigmoid_derivatives",),
        )


def _shares(calls: list[Call], share: Callable[[Call], float | None]) -> list[tuple[float, str]]:
    found = [(share(call), call.name) for call in calls]
    return [(value, name) for value, name in found if value is not None]
