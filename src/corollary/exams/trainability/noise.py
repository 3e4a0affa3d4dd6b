r"""Gradient noise scale and batch size.

The noise scale :math:`\operatorname{tr}\Sigma / |G|^2` is the batch size at which noise and signal
of the gradient are equal. Steps with much smaller batches are mostly noise, and much larger batches
add little information. The noise scale grows during training, so its value at the start is only a
lower bound for later.

:source: McCandlish, Kaplan, Amodei et al. (2018), "An empirical model of large-batch training".
:kind: exam
:cost: seconds
"""

import math
from collections.abc import Iterator

from corollary.core import Budget, Exam, Finding, Subject
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import affordable
from corollary.exams.readings import between
from corollary.theory.landscape.curvature import noise_scale
from corollary.train.loss_landscape import landscape_of

SAMPLES, GROUPS = 512, 32
PASSES = 2  # each sample is in one group on average


class Noise(Exam):
    """The gradient noise scale against the user's batch size."""

    share = 4.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The critical batch size with its interval."""
        one = sum(p.numel() * p.element_size() for p in subject.parameters().values())
        if GROUPS * one > budget.bytes:
            raise NotApplicableError("the gradients need more memory than the limit allows")
        n = affordable(subject, budget, PASSES, SAMPLES, fewest=GROUPS)
        batch = subject.labelled(n)
        if batch.size < GROUPS:
            raise NotApplicableError(f"this exam needs at least {GROUPS} samples, got {batch.size}")
        found = noise_scale(landscape_of(subject, n), groups=GROUPS, rng=subject.rng("noise"))
        scale, size = found.scale, subject.batch_size
        if not math.isfinite(scale.value):
            raise NotApplicableError("the gradient is too small to be distinguished from its noise")
        larger = size is not None and size > 10 * scale.high > 0
        yield self.finding(
            "Gradient noise scale",
            value=between(scale.value, scale.low, scale.high),
            unit="samples per batch",
            meaning=f"At this stage of training, batches of {size} average out most of the "
            "gradient noise. The noise grows as training goes on."
            if larger
            else "At this stage of training, a step with a batch of this size makes half the "
            "progress of a step with the full gradient.",
        )
