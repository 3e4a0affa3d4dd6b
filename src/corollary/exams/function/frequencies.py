r"""Frequencies between samples.

The outputs along segments between samples, minus the straight line between their ends, are written
as a sum of sines. The exam gives the share of energy at each frequency, in waves per segment.
Networks start with low frequencies and learn them first. For new samples it matters how fast the
function changes between neighbours: if the output midway between a sample and its nearest neighbour
is no closer to their outputs than that of any other point (its squared distance from their mean is
then 1.5 times the spread of the outputs), the samples do not determine the function between them.

:source: Rahaman et al. (2019), "On the spectral bias of neural networks"; Xu, Zhang, Luo, Xiao and
    Ma (2020), "Frequency principle: Fourier analysis sheds light on deep neural networks";
    Schoenholz et al. (2017), "Deep information propagation" (the chaotic phase).
:kind: exam
:claims: ridge_tubes
"""

from collections.abc import Iterator

import torch
from scipy.fft import dst
from torch import Tensor

from corollary.core import Band, Budget, Curve, Exam, Figure, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import affordable, affordable_points
from corollary.exams.probes import Probe, pairs, probe_of, segments, spread
from corollary.exams.readings import rounded
from corollary.theory.geometry.intrinsic_dimension import neighbours

SAMPLES, SEGMENTS, POINTS = 256, 16, 64
FEW, COARSE = 4, 32  # segments and points of a network that is much work
INDEPENDENT = 1.5  # of the spread: the distance if the middle had nothing to do with the ends
TOO_FAST = 0.5  # of that; networks that train well have less than a tenth


class Frequencies(Exam):
    """Sine transform along segments, and the middle between neighbours."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The mean frequency, and how well neighbours predict the output between them."""
        probe = probe_of(subject, affordable(subject, budget, 2.0, SAMPLES))
        few = affordable_points(subject, budget, SEGMENTS * POINTS, FEW * COARSE)
        with subject.borrowed():
            y = probe.values(probe.x)
            size = spread(y)
            if size <= probe.rounding() ** 2 * float(y.square().sum(1).mean()):
                raise NotApplicableError("all samples have the same output up to rounding")
            yield self._between_neighbours(_roughness(probe) / size)
            a, b = pairs(probe, SEGMENTS if few > POINTS * FEW else FEW, "frequencies")
            energy = _energy(segments(probe, a, b, min(POINTS, few // len(a))))
        if energy is not None:
            yield self._spectrum(energy)

    def _between_neighbours(self, rough: float) -> Finding:
        share = rough / INDEPENDENT
        fast = share > TOO_FAST
        return self.finding(
            "The output oscillates between neighbouring samples"
            if fast
            else "Smoothness between neighbouring samples",
            severity=Severity.MEDIUM if fast else Severity.NONE,
            remedy="fresh start",
            quantity="distance of the output from the mean of its two neighbours",
            value=rounded(100 * share),
            unit="% of the distance for unrelated outputs",
            expected=f"below {100 * TOO_FAST:g} %",
            meaning="Midway between a sample and its nearest neighbour the output has little "
            "to do with the outputs of these two samples. Answers to new samples are "
            "therefore not supported by the data."
            if fast
            else "Midway between a sample and its nearest neighbour the output is close to "
            "the mean of the outputs of these two samples.",
            advice="Use smaller weights or lower input frequencies, add weight decay, or "
            "collect samples that lie closer together."
            if fast
            else "",
        )

    def _spectrum(self, energy: Tensor) -> Finding:
        mean = energy.mean(0)
        waves = torch.arange(1, len(mean) + 1, dtype=mean.dtype) / 2
        return self.finding(
            "Frequencies along segments between samples",
            quantity="mean frequency",
            value=rounded(float((waves * mean).sum())),
            unit="waves per segment",
            expected="low frequencies, which networks learn first",
            meaning=f"{100 * float(mean[waves <= 2].sum()):.0f} % of the nonlinear part has at "
            "most two waves per segment.",
            claims=("ridge_tubes",),
            figures=(_figure(waves, energy),),
        )


def _roughness(probe: Probe) -> float:
    """Mean square distance between the output midway to the nearest sample and the mean of both."""
    x = probe.x.unique(dim=0)
    if len(x) < 2:
        raise NotApplicableError("all samples are the same")
    near = x[neighbours(x, 1)[1][:, 0]]
    ends = (probe.values(x) + probe.values(near)) / 2
    return float((probe.values((x + near) / 2) - ends).square().sum(1).mean())


def _energy(y: Tensor) -> Tensor | None:
    """Shares of energy at 1/2, 1, 3/2, ... waves, one row per segment; None if all are straight."""
    t = torch.linspace(0, 1, y.shape[1], dtype=y.dtype)[:, None]
    rest = (y - (y[:, :1] + t * (y[:, -1:] - y[:, :1])))[:, 1:-1]  # zero at both ends
    power = torch.from_numpy(dst(rest.numpy(), type=1, axis=1, norm="ortho")).square().sum(2)
    straight = power.sum(1) <= 1e-10 * y.square().sum((1, 2))
    if bool(straight.all()):
        return None
    power = power[~straight]
    return power / power.sum(1, keepdim=True)


def _figure(waves: Tensor, energy: Tensor) -> Figure:
    shown = slice(0, 32)
    x = waves[shown].tolist()
    low, high = (energy.quantile(q, dim=0)[shown].clamp(min=1e-12).tolist() for q in (0.1, 0.9))
    marks = (
        Band(x, low, high, label="middle 80 % of the segments"),
        Curve(energy.mean(0)[shown].clamp(min=1e-12).tolist(), x, label="mean"),
    )
    return Figure(
        "Frequencies between samples",
        x="waves per segment",
        y="share of energy",
        log_x=True,
        log_y=True,
        marks=marks,
    )
