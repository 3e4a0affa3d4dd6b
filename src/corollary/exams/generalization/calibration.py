r"""Calibration.

Of answers given with probability 0.8, eight in ten should be right. The calibration error is the
mean distance between confidence and accuracy, here over bins of equal size. The plain estimate is
biased upwards, because the accuracy of a bin is noisy. For comparison, its value under perfect
calibration is simulated and shown. Dividing the logits by one number, the temperature, removes most
of the error. The temperature is fitted on one half of the samples and evaluated on the other half.
Training samples say little about calibration, so held-out samples are used if there are any.

:source: Guo, Pleiss, Sun and Weinberger (2017), "On calibration of modern neural networks"; Kumar,
    Liang and Ma (2019), "Verified uncertainty calibration"; Vovk, Gammerman and Shafer (2005),
    "Algorithmic learning in a random world" (conformal sets).
:kind: exam
"""

import math
from collections.abc import Iterator

import torch
from scipy.stats import betabinom
from torch import Tensor
from torch.nn import functional as F

from corollary.core import Budget, Evidence, Exam, Figure, Finding, Level, Points, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.labelled_scores import scores_of
from corollary.exams.readings import between, rounded
from corollary.exams.risks import risk_of
from corollary.exams.trained import need_trained
from corollary.exams.trials import LEARNED

BINS, DRAWS, FEWEST = 10, 200, 100
FAR = 0.05  # beyond what chance explains: five answers in a hundred
MISS, LEVEL = 0.1, 0.95  # of the conformal sets, and of the interval of their coverage


class Calibration(Exam):
    """Confidence against accuracy, the best temperature, and conformal sets."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """On held-out samples if there are any."""
        need_trained(subject)
        held = subject.held_out is not None
        batch = subject.fresh() or subject.labelled()
        with subject.borrowed(), torch.no_grad():
            scores, labels = scores_of(subject, batch)
        if scores.dim() != 2 or len(scores) < FEWEST:
            raise NotApplicableError(
                f"this exam is for classifiers and needs at least {FEWEST} samples"
            )
        logits = scores.cpu().double()
        confidence, said = logits.softmax(1).max(1)
        right = (said == labels).cpu().double()
        error, (low, high) = _error(confidence, right), _by_chance(confidence, subject)
        half = len(logits) // 2
        warmth = temperature(logits[:half], labels[:half])
        after = _error((logits[half:] / warmth).softmax(1).amax(1), right[half:])
        final = held and _knows(subject)
        yield self._judged(error, (low, high), warmth, after, final, _figure(confidence, right))
        yield self._sets(logits, labels, half, held)

    def _judged(
        self,
        error: float,
        chance: tuple[float, float],
        warmth: float,
        after: float,
        held: bool,
        figure: Figure,
    ) -> Finding:
        off = error - chance[1] > FAR
        sure = "overconfident" if warmth > 1 else "underconfident"
        seen = "" if held else " It is not known whether the network was trained on these samples."
        return self.finding(
            "The network is not calibrated" if off else "Calibration",
            severity=(Severity.MEDIUM if held else Severity.LOW) if off else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            quantity="gap between confidence and accuracy",
            value=rounded(100 * error),
            unit="percentage points",
            expected=f"{100 * chance[0]:.2g} to {100 * chance[1]:.2g} by chance",
            meaning=f"The network is {sure}. If the logits are divided by a temperature of "
            f"{warmth:.2g}, the gap on the other half of the samples is {100 * after:.2g} "
            f"percentage points.{seen}"
            if off
            else f"Confidence and accuracy agree as well as chance allows.{seen}",
            advice=f"Divide the logits by {warmth:.2g} before the softmax when you need "
            "probabilities."
            if off
            else "",
            change=f"+ logits = logits / {warmth:.2g}" if off else "",
            figures=(figure,),
        )

    def _sets(self, logits: Tensor, labels: Tensor, half: int, held: bool) -> Finding:
        """Conformal sets, whose coverage is exact for samples that were not trained on."""
        p = logits.softmax(1)
        scores = 1 - p[torch.arange(half), labels[:half]]
        k = min(half, math.ceil((half + 1) * (1 - MISS)))
        threshold = scores.sort().values[k - 1]
        sets = 1 - p[half:] <= threshold
        covered = float(sets[torch.arange(len(p) - half), labels[half:]].cpu().double().mean())
        # With k of n calibration scores below, coverage of new samples is Beta(k, n + 1 - k), so
        # how many of m sets hold their label is beta-binomial: the interval is exact.
        m, mean = len(p) - half, k / (half + 1)
        low, high = (float(end) / m for end in betabinom.interval(LEVEL, m, k, half + 1 - k))
        kept = low <= covered <= high
        return self.finding(
            "Conformal sets",
            quantity="coverage",
            value=between(100 * mean, 100 * low, 100 * high),
            unit=f"% (measured: {100 * covered:.3g} %"
            + (")" if kept else ", which exchangeable samples do not explain)"),
            expected=f"{100 * (1 - MISS):g} %",
            meaning="A conformal set contains all classes with a probability above "
            f"{1 - float(threshold):.2g}. On average, it contains "
            f"{float(sets.cpu().double().sum(1).mean()):.2g} classes."
            + (
                "" if held else " The guarantee is for samples that the network was not trained on."
            ),
        )


def _knows(subject: Subject) -> bool:
    """Whether the network has learned its data; while training goes on, nothing is final."""
    with subject.borrowed(), torch.no_grad():
        risk = risk_of(subject, subject.labelled())
    return risk.value < LEARNED * risk.chance


def temperature(logits: Tensor, labels: Tensor) -> float:
    """The temperature of maximum likelihood, found by Newton's method in its logarithm.

    Example:
        >>> z = torch.tensor([[4.0, 0.0]] * 10, dtype=torch.float64)
        >>> y = torch.tensor([0] * 7 + [1] * 3)  # right in 7 of 10: logits should be ln(7/3)
        >>> round(temperature(z, y), 3)  # 4 / ln(7/3)
        4.721
    """
    t = torch.zeros((), dtype=torch.float64, requires_grad=True)
    for _ in range(50):
        loss = F.cross_entropy(logits.detach() / t.exp(), labels)
        (slope,) = torch.autograd.grad(loss, t, create_graph=True)
        (bend,) = torch.autograd.grad(slope, t)
        step = float(slope.detach()) / max(abs(float(bend)), 1e-6)
        with torch.no_grad():
            t -= max(-0.5, min(0.5, step))
        if abs(step) < 1e-10:
            break
    return float(t.detach().exp())


def _error(confidence: Tensor, right: Tensor) -> float:
    order = confidence.argsort()
    gaps = [
        (len(part), float((confidence[part] - right[part]).mean().abs()))
        for part in order.chunk(BINS)
    ]
    return sum(n * gap for n, gap in gaps) / len(confidence)


def _by_chance(confidence: Tensor, subject: Subject) -> tuple[float, float]:
    """The middle 95 % of the error of a network that is calibrated perfectly."""
    rng = subject.rng("calibration")
    drawn = torch.rand(DRAWS, len(confidence), generator=rng, dtype=torch.float64)
    errors = sorted(_error(confidence, (row < confidence).cpu().double()) for row in drawn)
    return errors[int(0.025 * DRAWS)], errors[int(0.975 * DRAWS)]


def _figure(confidence: Tensor, right: Tensor) -> Figure:
    parts = confidence.argsort().chunk(BINS)
    x = [float(confidence[part].mean()) for part in parts]
    y = [float(right[part].mean()) for part in parts]
    wide = [1.96 * math.sqrt(max(v * (1 - v), 1e-9) / len(parts[0])) for v in y]
    low = [max(0.0, v - w) for v, w in zip(y, wide, strict=True)]
    high = [min(1.0, v + w) for v, w in zip(y, wide, strict=True)]
    marks = (
        Points(x, y, low=low, high=high, label="accuracy, 95 %"),
        Points(x, x, label="perfect calibration", role="predicted"),
        Level(1.0, label="always right", role="other"),
    )
    return Figure("Confidence and accuracy", x="confidence", y="accuracy", marks=marks)
