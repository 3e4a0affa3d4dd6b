r"""Signals and gradients through the layers.

The exam compares the mean square of the output of each layer, and of the derivative of the loss
with respect to it, with the values that mean-field theory predicts from the variances of the
weights. Both grow or shrink by a factor per layer. If gradients are a hundred times shorter (or
longer) at one end than at the other, no single learning rate works for all layers.

Layers that read the same tensor (query, key and value of attention, the branches of a gate) are
parallel and count as one layer, with the largest of their values. Where residual connections bypass
layers, some layers may get little signal, so the best layer of the last third decides.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2; Schoenholz, Gilmer, Ganguli and
    Sohl-Dickstein (2017), "Deep information propagation".
:kind: exam
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from torch import Tensor, nn

from corollary.core import Budget, Curve, Exam, Figure, Finding, Points, Severity, Subject
from corollary.errors import CorollaryError, NotApplicableError
from corollary.exams.landscapes import signal_of, trace_of
from corollary.exams.readings import rounded
from corollary.exams.small_step import small_step
from corollary.theory.landscape.expected_signal import expected_signal
from corollary.theory.landscape.signal import LayerSignal, Signal

SAMPLES, FEW = 128, 16
# Factors of a mean square from the first weighted layer to the last. PyTorch's default start
# shrinks it by 6 a ReLU layer, so four hidden layers, which train well, come to 1e3; at 1e4 the
# amplitudes differ by a hundred, at 1e8 by ten thousand, the width of a half-precision number.
FAR, TOO_FAR = 1e4, 1e8


class SignalPassage(Exam):
    """Forward and backward second moments."""

    remedy = "fresh start"

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """One finding per direction, with measured and expected values in a figure."""
        with subject.borrowed() as model:
            # The slope of a sigmoid is a quarter at most: no usual weights make up for it.
            squashed = bool(trace_of(subject, FEW).of("sigmoid"))
            self.remedy = "rectifiers" if squashed else "fresh start"
            read = _watched(model)
            if any(not bool(p.any()) for p in subject.parameters().values() if p.dim() > 1):
                _stepped(subject)  # a head or a branch that starts at zero is soon away from it
            signal = signal_of(subject, model, SAMPLES)
        levels = _levels(signal, read)
        if len(levels) < 2:
            raise NotApplicableError("there are no two layers with weights, one after the other")
        forward = [max((h.forward, h.name) for h in level) for level in levels]
        backward = [
            max((h.backward * h.width, h.name) for h in level if h.backward is not None)
            for level in levels
            if any(h.backward is not None for h in level)
        ]
        found = self._verdict("Signals", forward, _figure(signal))
        yield replace(found, details=_along(signal))
        if len(backward) > 1:
            yield self._verdict("Gradients", backward[::-1], None)

    def _verdict(
        self, what: str, profile: list[tuple[float, str]], figure: Figure | None
    ) -> Finding:
        (first, _), (last, name) = profile[0], profile[-1]
        if not first > 0:
            said = (
                f"The values are zero from layer {profile[0][1]} on, so there is nothing "
                "to compare."
            )
            return self.finding(f"{what} through the layers", meaning=said)
        steps, ratio = _best_off([value / first for value, _ in profile])
        distance = max(ratio, 1 / ratio) if ratio > 0 else float("inf")
        severity = Severity.NONE
        if distance > FAR:
            severity = Severity.HIGH if distance > TOO_FAR else Severity.MEDIUM
        verb = "vanish" if ratio < 1 else "explode"
        rate = ratio ** (1 / steps)
        ratio = last / first if distance > FAR else ratio
        return self.finding(
            f"{what} {verb}" if distance > FAR else f"{what} through the layers",
            severity=severity,
            remedy=self.remedy,
            where=name if distance > FAR else "",
            quantity=f"mean square in {'last' if what == 'Signals' else 'first'} layer / in "
            f"{'first' if what == 'Signals' else 'last'} layer",
            value=rounded(ratio),
            expected=f"{1 / FAR:g} to {FAR:g}",
            meaning=f"Each of the {len(profile)} layers multiplies the mean square by {rate:.2g}"
            + (". One learning rate cannot suit all layers." if distance > FAR else "."),
            advice=_advice(ratio, self.remedy) if distance > FAR else "",
            figures=() if figure is None else (figure,),
        )


def _stepped(subject: Subject) -> None:
    try:
        for _ in range(2):
            small_step(subject, SAMPLES)
    except NotApplicableError:
        return  # without targets there is no step to make


def _along(signal: Signal) -> dict[str, dict[str, float]]:
    """Root mean squares of signal and gradient at each layer with weights."""
    layers = signal.weighted()
    return {
        "signal": {h.name: math.sqrt(h.forward) for h in layers},
        "gradient": {h.name: math.sqrt(h.backward) for h in layers if h.backward is not None},
    }


def _best_off(ratios: list[float]) -> tuple[int, float]:
    """For the last third of the layers: the ratio nearest to one, and how many steps it is away."""
    far = range(len(ratios) - max(1, len(ratios) // 3), len(ratios))
    steps = min(far, key=lambda i: abs(math.log(max(ratios[i], 1e-300))))
    return steps, ratios[steps]


def _watched(model: nn.Module) -> dict[str, Tensor]:
    """The inputs of each call of a leaf module, by the name of its signal; filled by forward."""
    read: dict[str, Tensor] = {}
    calls: dict[str, int] = {}

    def hook(name: str) -> Callable[..., None]:
        def see(_module: nn.Module, inputs: tuple[object, ...], _output: object) -> None:
            calls[name] = count = calls.get(name, 0) + 1
            if inputs and isinstance(inputs[0], Tensor):
                read[name if count == 1 else f"{name}#{count}"] = inputs[0]

        return see

    for name, module in model.named_modules():
        if not [*module.children()]:
            module.register_forward_hook(hook(name or "(model)"))
    return read


def _levels(signal: Signal, read: dict[str, Tensor]) -> list[list[LayerSignal]]:
    """Layers with weights in order; consecutive layers that read the same tensor form one level."""
    levels: list[list[LayerSignal]] = []
    before: Tensor | None = None
    for layer in signal.weighted():
        x = read.get(layer.name)
        if levels and x is not None and x is before:
            levels[-1].append(layer)
        else:
            levels.append([layer])
        before = x
    return levels


def _advice(ratio: float, remedy: str) -> str:
    size = "larger" if ratio < 1 else "smaller"
    if remedy == "rectifiers":
        return (
            f"Use ReLU instead of sigmoids between the layers. Or start with {size} weights, "
            "and add normalisation or residual connections."
        )
    return (
        f"Start with {size} weights (He's variance 2/d for ReLU, Xavier's for tanh), or add "
        "normalisation or residual connections."
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
        "Mean squares through the layers",
        x="layer with weights",
        y="mean square",
        log_y=True,
        marks=tuple(marks),
    )


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
