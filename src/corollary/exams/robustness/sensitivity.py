r"""Slope of the margin, observed and proved.

The slope of the margin with respect to the inputs is at least the steepest gradient found and at
most the product of the norms of the layers. A margin m cannot vanish within a distance of m divided
by the slope, so the upper bound is a certificate for each input at no extra cost; if it lies far
above the observed slope, smaller norms would tighten it.

:source: Szegedy et al. (2014), "Intriguing properties of neural networks", Section 4.3; Tsuzuku,
    Sato and Sugiyama (2018), "Lipschitz-margin training".
:kind: exam
:claims: lipschitz_margin, gradient_norm
"""

import math
from collections.abc import Iterator

import torch

from corollary.core import Budget, Exam, Finding, Reading, Severity, Subject
from corollary.errors import InputError, NotApplicableError
from corollary.exams.classifiers import Classifier, classifier, separation
from corollary.exams.trained import need_trained
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.lipschitz import lipschitz_certificate
from corollary.theory.robustness.scores import margins

SAMPLES = 64
LOOSE = 1000.0  # times the steepest slope seen: the proof says nothing any more


class Sensitivity(Exam):
    """The slope of the margin."""

    share = 2.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The slope, between the steepest gradient and the product of norms."""
        need_trained(subject)
        unit = separation(subject, "l2")
        with classifier(subject) as found:
            some = found.correct(SAMPLES)
            low, margin = _steepest(some)
            high, radius, why = _proved(some)
        if not low > 0:
            raise NotApplicableError("the margin has no gradient")
        loose = not high <= LOOSE * low
        yield self.finding(
            "Slope of the margin",
            severity=Severity.LOW if loose and not why else Severity.NONE,
            value=Reading(*(float(f"{v:.3g}") for v in (low, low, max(low, high)))),
            unit="logits per unit of Euclidean distance (from the largest observed slope to "
            "the proved maximum)",
            expected=f"within a factor of {LOOSE:g}",
            meaning=why
            or f"No perturbation below {100 * radius / unit:.2g} % of the separation of the "
            "classes can change the answer for an input with the median margin, "
            f"{margin:.2g}.",
            advice="Smaller norms of the layers (weight decay, spectral or orthogonal "
            "normalisation) would make the proof stronger."
            if loose and not why
            else "",
            claims=("lipschitz_margin",),
            details={"margin": margin, "certified": radius, "separation": unit},
        )


def _steepest(found: Classifier) -> tuple[float, float]:
    """The largest gradient of a margin, and the median margin."""
    x = found.x.clone().requires_grad_(True)
    gap = margins(found.scores(x), found.y)
    if gap.grad_fn is None:
        return 0.0, float(gap.median())
    (g,) = torch.autograd.grad(gap.sum(), x, allow_unused=True)
    slope = 0.0 if g is None else float(g.flatten(1).cpu().double().norm(dim=1).max())
    return slope, float(gap.detach().median())


def _proved(found: Classifier) -> tuple[float, float, str]:
    """A bound on the slope of every margin and the median radius, or why there is none."""
    try:
        certificate = lipschitz_certificate(Certifier(found.scores, found.x, norm="l2"))
    except (NotApplicableError, InputError) as why:
        return math.inf, 0.0, str(why)
    pairs = certificate.pairs
    steepest = certificate.constant if pairs is None else float(pairs.max())
    return steepest, float(certificate.radius(found.x, found.y).median()), ""
