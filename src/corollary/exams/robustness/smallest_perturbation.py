r"""Smallest adversarial perturbation, bounded by attack and proof.

For each of some inputs that are classified right: an attack gives a perturbation that changes the
answer (an upper bound on the smallest one), and bounds through the layers give a radius within
which no perturbation does (a lower bound). The truth lies in between; the medians over the inputs
are shown, with the gap.

Plainly trained networks have a median attack of at least a quarter of the separation in the
Euclidean norm, and of an eighth in the largest change of a value (digits, MNIST, tables, points in
the plane): below a tenth and a twentieth a network is more fragile than its data.

:source: Moosavi-Dezfooli, Fawzi and Frossard (2016), "DeepFool"; Zhang, Weng, Chen, Hsieh and
    Daniel (2018), "Efficient neural network robustness certification with general activation
    functions".
:kind: exam
:cost: seconds
:claims: linear_flip, crown_and_intervals, lipschitz_margin
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from corollary.core import (
    Budget,
    Evidence,
    Exam,
    Figure,
    Finding,
    Points,
    Reading,
    Severity,
    Subject,
)
from corollary.errors import InputError, NotApplicableError
from corollary.exams.classifiers import Classifier, classifier, separation
from corollary.exams.landscapes import affordable
from corollary.exams.trained import need_trained
from corollary.exams.work import clock_of_work
from corollary.theory.robustness.balls import Norm
from corollary.theory.robustness.certificates.certifier import Certifier, Method
from corollary.theory.robustness.certificates.clock import now
from corollary.theory.robustness.certificates.lipschitz import lipschitz_certificate
from corollary.theory.robustness.certificates.proving import NAMES as CERTIFICATES
from corollary.theory.robustness.flip import DeepFool

SAMPLES = 32
STEPS, HALVINGS = 30, 8
FRAGILE = {"l2": 0.1, "linf": 0.05}  # of the separation; see above
BROKEN = 5.0  # times more fragile still
WORDS = {"l2": "Euclidean length", "linf": "largest change of a value"}
METHODS: tuple[Method, ...] = ("crown-ibp", "crown", "alpha-crown")
NAMES = {**CERTIFICATES, "lipschitz": "norms of the layers"}


class Between(NamedTuple):
    """Certified radii and sizes of attacks (infinite where none succeeded), by input."""

    certified: Tensor
    attacked: Tensor
    by: str  # the certificate, or why there is none


class SmallestPerturbation(Exam):
    """Upper and lower bounds on the smallest perturbation."""

    share = 8.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """One finding per norm."""
        need_trained(subject)
        norms: tuple[Norm, ...] = ("l2", "linf")
        n = max(8, affordable(subject, budget, 12 * STEPS, SAMPLES))
        for norm in norms:
            unit = separation(subject, norm)
            share = budget.left / len(norms)
            with classifier(subject) as found:
                some = found.correct(min(n, SAMPLES))
                with clock_of_work():
                    between = _between(some, norm, share)
                yield self._verdict(between, norm, unit)

    def _verdict(self, found: Between, norm: Norm, unit: float) -> Finding:
        low, high = float(found.certified.median()), float(found.attacked.median())
        share = high / unit
        severity = Severity.NONE
        if share < FRAGILE[norm]:
            severity = Severity.HIGH if share < FRAGILE[norm] / BROKEN else Severity.MEDIUM
        bad = severity is not Severity.NONE
        proof = (
            f"A proof by {NAMES[found.by]} shows that no perturbation below "
            f"{100 * low / unit:.2g} % of the separation changes this answer."
            if found.by in NAMES
            else f"No lower bound is proved, because {found.by}."
        )
        return self.finding(
            f"Small perturbations change the answers ({_sign(norm)})"
            if bad
            else f"Smallest perturbation ({_sign(norm)})",
            severity=severity,
            evidence=Evidence.CONFIRMED,
            value=_reading(low, high),
            unit=f"{WORDS[norm]}, median of {len(found.attacked)} inputs",
            expected=f"above {FRAGILE[norm] * unit:.2g}, {100 * FRAGILE[norm]:g} % of the "
            "separation of the classes",
            meaning=f"A perturbation of {100 * share:.2g} % of the separation changes the "
            f"answer for the median sample. {proof}",
            advice="Train against perturbations (corollary.train.Adversarial), or remove "
            "input features with tiny values."
            if bad
            else "",
            claims=("linear_flip", "crown_and_intervals", "lipschitz_margin"),
            figures=(_figure(found, norm),),
            details={"separation": unit, "certificate": found.by, "certified": low, "attack": high},
        )


def _between(found: Classifier, norm: Norm, seconds: float) -> Between:
    start = now()
    attack = DeepFool(norm, steps=STEPS, box=found.box)(found.scores, found.x, found.y)
    sizes = torch.where(attack.fooled, attack.size(norm), math.inf).cpu().double()
    try:
        certifier = Certifier(found.scores, found.x, norm=norm, box=found.box)
    except (NotApplicableError, InputError) as why:
        return Between(torch.zeros_like(sizes), sizes, str(why))
    reach = sizes.nan_to_num(posinf=0.0).amax().clamp_min(1e-12)  # also where no attack succeeded
    most = torch.where(torch.isfinite(sizes), sizes, reach).to(found.x)
    best, by = torch.zeros_like(sizes), "lipschitz"
    if norm == "l2":
        try:
            best = lipschitz_certificate(certifier).radius(found.x, found.y).cpu().double()
        except NotApplicableError:
            pass
    for method in METHODS:
        trial = certifier.trial_seconds(found.x, found.y, most, method)
        if start + 0.6 * seconds < now() + (HALVINGS + 1) * trial:
            break
        radius = (
            certifier.radius(found.x, found.y, method, most=most, halvings=HALVINGS).cpu().double()
        )
        if bool((radius > best).any()):
            best, by = torch.maximum(best, radius), method
    return Between(best, sizes, by)


def _reading(low: float, high: float) -> Reading:
    if not math.isfinite(high):
        return Reading(math.inf, float(f"{low:.2g}"), math.inf)
    return Reading(*(float(f"{v:.3g}") for v in (high, low, high)))


def _sign(norm: Norm) -> str:
    return {"l2": "ℓ₂", "linf": "ℓ∞"}[norm]


def _figure(found: Between, norm: Norm) -> Figure:
    order = found.attacked.argsort()
    attack, proof = found.attacked[order], found.certified[order]
    known = torch.isfinite(attack)
    place = list(range(1, len(order) + 1))
    marks = [Points(place, proof.tolist(), label="excluded by proof up to here", role="predicted")]
    if bool(known.any()):
        some = [p for p, k in zip(place, known.tolist(), strict=True) if k]
        marks.append(
            Points(
                some,
                attack[known].tolist(),
                label="an attack succeeds",
                low=proof[known].tolist(),
                high=attack[known].tolist(),
            )
        )
    return Figure(
        "The smallest perturbation lies between the attack and the proof",
        x="input, in the order of its attack",
        y=f"‖δ‖ ({WORDS[norm]})",
        marks=tuple(marks),
    )
