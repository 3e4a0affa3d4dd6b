r"""Spectra of the weights.

No data is needed. If a weight matrix :math:`W` is random and not trained, the eigenvalues of
:math:`WW^\top` follow the law of Marchenko and Pastur, and the largest one the law of Tracy and
Widom. Eigenvalues above it are counted as learned directions, with a known rate of false alarms.
For the tail a power law is fitted by maximum likelihood. The fit is accepted only if data drawn
from it deviate as much from their own fit (p-value above 0.1) and if the tail is clearly heavier
than an exponential. Martin and Mahoney saw exponents from 2 to 6 in well-trained networks, and
smaller ones in networks that generalise better. That is an observation on many networks, not a
theorem, and networks that have learned random labels have heavy tails too: the exponent is shown,
but raises no alarm. Alarms are heuristics: a layer in which one direction dominates all others, a
layer whose norm is far from those of the other layers, and a single weight that is a spike by
itself.

:source: Martin and Mahoney (2021), "Implicit self-regularization in deep neural networks";
    Clauset, Shalizi and Newman (2009), "Power-law distributions in empirical data"; Baik, Ben Arous
    and Péché (2005), "Phase transition of the largest eigenvalue for nonnull complex sample
    covariance matrices".
:kind: exam
:cost: seconds
:claims: marchenko_pastur, spike_transition
"""

from collections.abc import Iterator, Sequence
from statistics import median

import torch
from torch import nn

from corollary.core import (
    Budget,
    Curve,
    Evidence,
    Exam,
    Figure,
    Finding,
    Level,
    Mark,
    Points,
    Severity,
    Subject,
)
from corollary.core.figure import Role
from corollary.exams.layer_spectra import FALSE_ALARMS, layer_spectra_of
from corollary.exams.readings import between, counted, roughly, rounded
from corollary.exams.trained import need_trained
from corollary.theory.generalization.weight_spectra.marchenko_pastur import MarchenkoPastur
from corollary.theory.generalization.weight_spectra.portrait import Portrait, TestedTail

DRAWS = 100  # of the test of a tail; p-values are known to 0.05
# Dense and convolutional networks trained on digits by SGD and Adam with steps of 0.01 to 0.1 and
# 0.001 to 0.01 have a largest eigenvalue of up to 130 times the edge of the noise, a stable rank of
# 4 and more where it is above 30 times, norms within 4 times of the median of their layers, and no
# weight above 0.8 of what makes a spike by itself.
DROWNS, RANK = 100.0, 3.0
OUT_OF_LINE = 10.0
STICKS_OUT, ALARMING = 1.0, 3.0
SEEN = (2.0, 6.0)  # exponents of well-trained networks, by Martin and Mahoney


class WeightSpectra(Exam):
    """Tails, learned directions, and layers with unusual norms."""

    share = 2.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Spikes and norms come first, because the tails take all the remaining time."""
        spectra = layer_spectra_of(subject, budget)
        yield self._directions(spectra.portraits, spectra.too_large)
        if subject.batch is not None and subject.batch.target is not None:
            need_trained(subject)  # what a start looks like is no verdict on what was learned
        for portrait in spectra.portraits:
            if portrait.above_noise > DROWNS and portrait.stable_rank < RANK:
                yield self._drowning(portrait)
            if portrait.largest_entry > STICKS_OUT:
                yield self._single_weight(portrait)
        if len(spectra.portraits) > 2:
            yield self._norms(spectra.portraits, _normalised(subject.model))
        tails = _tails(spectra.portraits, subject, budget)
        if tails:
            yield self._tail(tails)

    def _directions(self, portraits: Sequence[Portrait], too_large: Sequence[str]) -> Finding:
        total = sum(p.spikes.count for p in portraits)
        most = max(portraits, key=lambda p: (p.spikes.count, p.above_noise))
        layers = f"{len(portraits)} layer{'s' if len(portraits) > 1 else ''}"
        missing = (
            f" These layers are too large for the budget: {', '.join(too_large)}."
            if too_large
            else ""
        )
        return self.finding(
            "Learned directions",
            where=most.name if total else "",
            quantity="eigenvalues above the noise",
            value=counted(most.spikes.count if total else 0),
            unit=f"({total} in {layers})" if total else "",
            expected="0 at a random start",
            meaning=(
                "In this weight matrix, the number of directions that stand out from noise is "
                f"the largest of {layers}. Noise alone would give such a direction with "
                f"probability {FALSE_ALARMS:g}."
                if total
                else f"In {layers} no direction stands out from noise. The weights are those of "
                "a random initialisation, or have hardly moved since."
            )
            + missing,
            claims=("marchenko_pastur", "spike_transition"),
            figures=(_scree(most),),
            details={
                p.name: {"spikes": p.spikes.count, "above_noise": p.above_noise} for p in portraits
            },
        )

    def _drowning(self, found: Portrait) -> Finding:
        return self.finding(
            "One direction dominates a weight matrix",
            severity=Severity.MEDIUM,
            evidence=Evidence.CONFIRMED,
            where=found.name,
            quantity="stable rank",
            value=rounded(found.stable_rank),
            expected=f"above {RANK:g}, or no eigenvalue {DROWNS:g} times above the noise",
            meaning=f"The largest eigenvalue is {roughly(found.above_noise)} times above the noise "
            "and is a large part of the sum of all eigenvalues. By a rule of thumb, this "
            "happens after training with too large a learning rate or on noisy labels.",
            advice="Train again with a smaller learning rate or with weight decay, and check the "
            "labels.",
            figures=(_scree(found),),
        )

    def _single_weight(self, found: Portrait) -> Finding:
        alarming = found.largest_entry > ALARMING
        return self.finding(
            "One weight is far larger than the others",
            severity=Severity.MEDIUM if alarming else Severity.LOW,
            evidence=Evidence.CONFIRMED,
            where=found.name,
            quantity="largest weight / size at which one weight exceeds the noise",
            value=rounded(found.largest_entry),
            expected=f"below {STICKS_OUT:g}",
            meaning="One entry of this matrix is so large that it alone stands out from the noise.",
            advice="Look at this weight. A flipped bit, a wrong conversion or an exploding "
            "training step can leave such a value.",
        )

    def _norms(self, portraits: Sequence[Portrait], normalised: bool) -> Finding:
        norms = {p.name: p.spectral_norm for p in portraits}
        middle = median(norms.values())
        name = max(norms, key=lambda n: max(norms[n] / middle, middle / norms[n]))
        ratio = norms[name] / middle
        large, small = ratio > OUT_OF_LINE, ratio < 1 / OUT_OF_LINE
        severity = Severity.MEDIUM if large and not normalised else Severity.LOW
        return self.finding(
            "A layer has an unusual norm" if large or small else "Norms of the layers",
            severity=severity if large or small else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            where=name,
            quantity="spectral norm / median over the layers",
            value=rounded(ratio),
            expected=f"from {1 / OUT_OF_LINE:g} to {OUT_OF_LINE:g}",
            meaning=f"The norm of this layer is {norms[name]:.2g}, and the median norm over the "
            "layers is "
            f"{middle:.2g}{'. Normalisation layers may compensate for this' if normalised else ''}."
            if large or small
            else "No layer is far larger or smaller than the others. This layer is the "
            "furthest from the median.",
            advice="Compare the initialisation, learning rate and weight decay of this layer with "
            "those of the other layers."
            if large or small
            else "",
            details=norms,
        )

    def _tail(self, tails: Sequence[tuple[Portrait, TestedTail]]) -> Finding:
        heavy = [(p, t) for p, t in tails if t.heavy]
        shown, tail = min(heavy or tails, key=lambda pair: pair[1].fit.alpha)
        fit, many = tail.fit, f"{len(tails)} layer{'s' if len(tails) > 1 else ''}"
        return self.finding(
            "Heavy tails" if heavy else "No heavy tail",
            where=shown.name if heavy else "",
            quantity="exponent of the tail" if heavy else "layers with a power law",
            value=between(fit.alpha, *fit.interval()) if heavy else counted(0),
            unit="" if heavy else f"of {len(tails)}",
            expected=f"{SEEN[0]:g} to {SEEN[1]:g} in well-trained networks, by observation",
            meaning=f"In {len(heavy)} of {many}, the largest eigenvalues pass the tests of a power "
            "law. The tail of this layer is the heaviest. It has been observed, but not "
            "proved, that such networks generalise."
            if heavy
            else "No layer's largest eigenvalues pass the tests of a power law, so an exponent "
            "fitted to them would mean nothing.",
            figures=(_exponents(tails), _survival(shown, tail)),
            details={p.name: _numbers(p, t) for p, t in tails},
        )


def _tails(
    portraits: Sequence[Portrait], subject: Subject, budget: Budget
) -> list[tuple[Portrait, TestedTail]]:
    """Tails with their tests, as far as the budget goes, smallest layers first."""
    rng, found = subject.rng("tails"), []
    for portrait in sorted(portraits, key=lambda p: len(p.operator)):
        if (tail := portrait.tail(draws=DRAWS, rng=rng)) is not None:
            found.append((portrait, tail))
    order = [p.name for p in portraits]
    return sorted(found, key=lambda pair: order.index(pair[0].name))


def _normalised(model: nn.Module) -> bool:
    return any("Norm" in type(m).__name__ for m in model.modules())


def _numbers(portrait: Portrait, tail: TestedTail) -> dict[str, float]:
    norms = portrait.log_norms
    return {
        "alpha": tail.fit.alpha,
        "error": tail.fit.error,
        "start": tail.fit.start,
        "tail": tail.fit.tail,
        "p_value": tail.p_value,
        "not_heavier_than_exponential": tail.heavier,
        "against_lognormal": tail.lognormal,
        "stable_rank": portrait.stable_rank,
        "spectral_norm": portrait.spectral_norm,
        "weighted_alpha": norms.weighted_alpha if norms else float("nan"),
        "log_alpha_norm": norms.alpha if norms else float("nan"),
    }


def _scree(found: Portrait) -> Figure:
    """Eigenvalues by rank, compared with the eigenvalues of noise."""
    p = len(found.values)
    rank = torch.arange(1, p + 1, dtype=torch.float64)
    values = found.values.flip(0)
    shown = values > 0  # the axis is logarithmic
    x, y = rank[shown].tolist(), values[shown].tolist()
    marks: list[Mark] = [Points(x, y, label=f"layer {found.name}")]
    if found.spikes.variance > 0:
        noise = MarchenkoPastur(p, found.n, found.spikes.variance).quantile(1 - (rank - 0.5) / p)
        marks.append(Curve(noise.tolist(), rank.tolist(), label="noise", role="predicted"))
        marks.append(Level(found.spikes.ceiling, label="end of the noise"))
    title = "Eigenvalues and noise"
    return Figure(title, x="rank", y="λ", marks=tuple(marks), log_x=True, log_y=True)


def _exponents(tails: Sequence[tuple[Portrait, TestedTail]]) -> Figure:
    marks: list[Mark] = []
    kinds: tuple[tuple[bool, str, Role], ...] = (
        (True, "power law", "measured"),
        (False, "no power law, fit only", "other"),
    )
    for heavy, label, role in kinds:
        chosen = [(i + 1, t.fit) for i, (_, t) in enumerate(tails) if t.heavy is heavy]
        if chosen:
            at, fits = zip(*chosen, strict=True)
            low, high = zip(*(f.interval() for f in fits), strict=True)
            alphas = [f.alpha for f in fits]
            marks.append(Points(at, alphas, label=label, role=role, low=low, high=high))
    marks += [Level(value, label=f"{value:g}, observed", role="other") for value in SEEN]
    return Figure("Exponents of the tails", x="layer", y="α", marks=tuple(marks))


def _survival(found: Portrait, tail: TestedTail) -> Figure:
    """The share of eigenvalues above each value, and the fit."""
    values = found.operator[found.operator > 0]
    share = torch.arange(len(values), 0, -1, dtype=torch.float64) / len(values)
    x = torch.logspace(0, 1, 20, dtype=torch.float64).log10() * (values[-1] - tail.fit.start)
    x = x + tail.fit.start
    alpha, above = f"α = {tail.fit.alpha:.2f}", tail.fit.survival(x)
    fit = Curve(above.tolist(), x.tolist(), label=alpha, role="predicted")
    marks = (Points(values.tolist(), share.tolist(), label=f"layer {found.name}"), fit)
    return Figure(
        "Tail of the spectrum",
        x="λ",
        y="share of eigenvalues that are larger",
        marks=marks,
        log_x=True,
        log_y=True,
    )
