r"""Gain of the initial weights.

A layer with weights of variance :math:`v` and fan-in :math:`d` multiplies the mean square of its
input by its gain :math:`v d`; a ReLU loses half of it, so :math:`v d = 2` keeps the size of signals
and gradients (He). For tanh near zero, :math:`v d = 1` does (LeCun, Xavier).

:source: He, Zhang, Ren and Sun (2015), "Delving deep into rectifiers", Section 2.2; Glorot and
    Bengio (2010), "Understanding the difficulty of training deep feedforward neural networks".
:kind: exam
"""

from collections.abc import Iterator

from torch import nn

from corollary.core import Budget, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import trace_of
from corollary.exams.readings import rounded
from corollary.theory.landscape.signal import matrix_weight
from corollary.theory.modules.trace import NORMALISATIONS, RECTIFIERS, SMOOTH

# PyTorch's default has gain 1/3, a sixth of He's, and trains; past ten times either way from the
# gain that keeps the signal, ten layers change it by ten billion.
FAR = 10.0
SAMPLES = 16


class InitialGain(Exam):
    """Fan-in times mean square of each weight."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The layer furthest from the gain that keeps signals."""
        layers = [
            (n, m)
            for n, m in subject.model.named_modules()
            if isinstance(m, nn.Linear | nn.Conv1d | nn.Conv2d | nn.Conv3d)
            and bool((m.weight != 0).any())
        ]
        with subject.borrowed():
            ops = {call.op for call in trace_of(subject, SAMPLES).calls}
        if ops & set(NORMALISATIONS):
            raise NotApplicableError("normalisation layers compensate for the size of the weights")
        hidden = layers[:-1]
        if not hidden:
            raise NotApplicableError("there is no hidden layer that is nn.Linear or nn.Conv")
        good = 2.0 if ops & {*RECTIFIERS, *SMOOTH} else 1.0
        gains = {n: _gain(m) for n, m in hidden}
        name = max(gains, key=lambda n: max(gains[n] / good, good / gains[n]))
        gain = gains[name]
        far = max(gain / good, good / gain) > FAR
        yield self.finding(
            "Weights of the wrong size" if far else "Size of the initial weights",
            severity=Severity.MEDIUM if far else Severity.NONE,
            remedy="fresh start",
            where=name,
            quantity="fan-in × variance",
            value=rounded(gain),
            expected=f"about {good:g} (values from {good / FAR:g} to {good * FAR:g} are fine)",
            meaning=f"This layer {'amplifies' if gain > good else 'attenuates'} the signal far too "
            "much."
            if far
            else "No layer has weights that are far too large or too small. This layer is "
            "furthest from the usual size.",
            advice=f"Initialise the weights with variance {good:g} / fan-in "
            f"(nn.init.{'kaiming' if good == 2 else 'xavier'}_normal_)."
            if far
            else "",
        )


def _gain(module: nn.Module) -> float:
    weight = matrix_weight(module)
    assert weight is not None, "layers with weights only"
    values = weight.detach().abs().cpu().double()
    return float(values[0].numel() * values.square().mean())
