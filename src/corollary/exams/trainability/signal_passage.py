r"""Passage of signals.

The mean square of each layer's output, and of the loss's derivative in it, against what mean-field
theory expects of the weights' variances. Over the depth they grow or shrink by a factor a layer; a
gradient that is a hundred times shorter (or longer) at one end than at the other asks for a
hundred different step sizes at once.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2; Schoenholz, Gilmer, Ganguli and
    Sohl-Dickstein (2017), "Deep information propagation".
:kind: exam
:cost: instant
"""

from collections.abc import Iterator

from corollary.core import Budget, Curve, Exam, Figure, Finding, Points, Reading, Severity, Subject
from corollary.errors import CorollaryError
from corollary.exams.landscapes import signal_of
from corollary.theory.landscape.expected_signal import expected_signal
from corollary.theory.landscape.signal import LayerSignal, Signal

SAMPLES = 128
# Factors of a mean square from the first weighted layer to the last. PyTorch's default start
# shrinks it by 6 a ReLU layer, so four hidden layers, which train well, come to 1e3; at 1e4 the
# amplitudes differ by a hundred, at 1e8 by ten thousand, the width of a half-precision number.
FAR, TOO_FAR = 1e4, 1e8


class SignalPassage(Exam):
    """Forward and backward second moments."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """One finding each way, with both measured and expected in a figure."""
        with subject.borrowed() as model:
            signal = signal_of(subject, model, SAMPLES)
        deep = signal.weighted()
        forward = [(h.name, h.forward) for h in deep]
        backward = [(h.name, h.backward * h.width) for h in deep if h.backward is not None]
        figure = _figure(signal)
        yield self._verdict("Signals", forward, figure)
        if backward:
            yield self._verdict("Gradients", backward[::-1], None)

    def _verdict(
        self, what: str, profile: list[tuple[str, float]], figure: Figure | None
    ) -> Finding:
        if len(profile) < 2 or not profile[0][1] > 0:
            return self.finding(f"{what} through the layers", meaning="There is one layer only.")
        ratio = profile[-1][1] / profile[0][1]
        distance = max(ratio, 1 / ratio) if ratio > 0 else float("inf")
        severity = Severity.NONE
        if distance > FAR:
            severity = Severity.HIGH if distance > TOO_FAR else Severity.MEDIUM
        verb = "vanish" if ratio < 1 else "explode"
        rate = ratio ** (1 / (len(profile) - 1))
        return self.finding(
            f"{what} {verb}" if distance > FAR else f"{what} through the layers",
            severity=severity,
            where=profile[-1][0],
            value=Reading(ratio, ratio, ratio),
            unit="times the mean square, first to last"
            if what == "Signals"
            else "times the squared length, last to first",
            expected=f"within {FAR:g} either way",
            meaning=f"It changes by {rate:.3g} a layer over {len(profile)} layers.",
            advice=_advice(what, ratio) if distance > FAR else "",
            figures=() if figure is None else (figure,),
        )


def _advice(what: str, ratio: float) -> str:
    size = "larger" if ratio < 1 else "smaller"
    return (
        f"Start with {size} weights (He's variance 2/d for ReLU, Xavier's for tanh), or add "
        "normalisation or shortcuts."
    )


def _figure(signal: Signal) -> Figure:
    deep = signal.weighted()
    depth = list(range(1, len(deep) + 1))
    marks: list[Points | Curve] = [
        Points(depth, [_positive(h.forward) for h in deep], label="signal, measured")
    ]
    back = [(i, h.backward) for i, h in zip(depth, deep, strict=True) if h.backward]
    if back:
        i, g = zip(*back, strict=True)
        marks.append(Points(i, g, label="gradient, measured", role="other"))
    marks += _expected(signal, deep)
    return Figure(
        "Mean squares through the layers", x="layer with weights", y="mean square", log_y=True,
        marks=tuple(marks),
    )  # fmt: skip


def _expected(signal: Signal, deep: tuple[LayerSignal, ...]) -> list[Curve]:
    try:
        found = {e.name: e.forward for e in expected_signal(signal)}
    except (CorollaryError, ValueError, RuntimeError):
        return []  # theory has no recursion for this graph; the measurement stands alone
    pairs = [(i, found[h.name]) for i, h in enumerate(deep, start=1) if h.name in found]
    if len(pairs) < 2:
        return []
    i, q = zip(*pairs, strict=True)
    return [Curve(q, i, label="signal, mean-field theory", role="predicted")]


def _positive(value: float) -> float:
    return value if value > 0 else float("nan")
