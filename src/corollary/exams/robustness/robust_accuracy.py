r"""Accuracy under attack.

The share of samples that keep their right answer against projected gradient ascent in
:math:`\ell_\infty` balls of growing radius, and at a tenth of the separation of the classes also
against random squares, which need no gradients. An attack may miss a perturbation that exists, so
these are upper bounds, with exact binomial intervals. The lower bound is a proof: at that radius
the remaining samples are certified by bounds through the layers. The exam uses the tightest bounds
that the effort allows, up to branch and bound, which decides every sample of a small ReLU network.
Proofs hold for the network in exact arithmetic and in floating point.

Plainly trained networks on digits, on tables and on points in the plane keep at least half of their
right answers at a tenth of the separation, MNIST networks among them; at a fiftieth nearly all.

:source: Madry, Makelov, Schmidt, Tsipras and Vladu (2018), "Towards deep learning models resistant
    to adversarial attacks"; Andriushchenko, Croce, Flammarion and Hein (2020), "Square attack"; Xu
    et al. (2021), "Fast and complete: enabling complete verification", for the proof.
:kind: exam
:cost: seconds
:claims: iterated_fgsm, adversarial_training, crown_and_intervals
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from corollary.core import (
    Band,
    Budget,
    Count,
    Curve,
    Evidence,
    Exam,
    Figure,
    Finding,
    Level,
    Points,
    Severity,
    Subject,
)
from corollary.errors import InputError, NotApplicableError
from corollary.exams.classifiers import LEVEL, Classifier, classifier, separation, share_read
from corollary.exams.landscapes import affordable
from corollary.exams.trained import need_trained
from corollary.exams.work import clock_of_work
from corollary.theory.robustness.black_box import BlackBoxAttack
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.proving import prove
from corollary.theory.robustness.gradient_attacks import PGD

SAMPLES = 256
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  # of the separation
REFERENCE, TINY = 0.1, 0.02
LOST = 0.5  # of the right answers; see above for what plainly trained networks lose
STEPS, QUERIES = 20, 100
PASSES = len(SHARES) * STEPS + QUERIES // 2
FOR_PROOFS = 0.6  # of the work


class Outcome(NamedTuple):
    """Samples that stay right at each radius, and how many are proved at the reference radius."""

    kept: dict[float, int]
    proved: int = 0
    by: str = ""  # the most expensive proof that was needed
    why_not: str = ""  # or why there is none


class RobustAccuracy(Exam):
    """Samples that survive attacks of growing radius."""

    share = 6.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The curve, and its value at a tenth of the separation."""
        need_trained(subject)
        unit = separation(subject, "linf")
        n = affordable(subject, budget, PASSES, SAMPLES)
        with classifier(subject) as found:
            found.correct(n)  # or there is nothing to attack
            part = found.first(n)
            found_out = _survivors(subject, part, unit, budget)
        right = int(part.right.sum())
        yield self._verdict(found_out, right, len(part.x), unit)

    def _verdict(self, outcome: Outcome, right: int, n: int, unit: float) -> Finding:
        left = outcome.kept
        kept = left[REFERENCE]
        lost = Count(right - kept, right).read(LEVEL)
        lost_soon = Count(right - left[TINY], right).read(LEVEL)
        severity = Severity.NONE
        if lost.low > LOST:
            severity = Severity.HIGH if lost_soon.low > LOST else Severity.MEDIUM
        bad = severity is not Severity.NONE
        return self.finding(
            "Hardly any answers survive a small attack" if bad else "Accuracy under attack",
            severity=severity,
            evidence=Evidence.CONFIRMED,
            value=share_read(kept, n),
            unit=f"% of {n} samples with changes up to ±{REFERENCE * unit:.2g}, a tenth of "
            "the separation of the classes",
            expected=f"at least {50 * right / n:.3g} %, half of the accuracy without attack",
            meaning=f"{right - kept} of {right} correct answers become wrong when each input value "
            f"may change by up to {REFERENCE * unit:.2g}. {_proof(outcome, kept)}",
            advice="Train against such perturbations (corollary.train.Adversarial), or find out "
            "which tiny features the network relies on."
            if bad
            else "",
            claims=("iterated_fgsm", "adversarial_training"),
            figures=(_figure(outcome, right, n, unit),),
            details={
                "separation": unit,
                "kept": {str(k): v for k, v in left.items()},
                "proved": outcome.proved,
                "open": kept - outcome.proved,
                "proof": outcome.by or outcome.why_not,
            },
        )


def _survivors(subject: Subject, found: Classifier, unit: float, budget: Budget) -> Outcome:
    """Samples that are still right at each radius.

    A sample that is fooled stays fooled at larger radii.
    """
    x, y = found.x[found.right], found.y[found.right]
    outcome = Outcome({})
    rng = subject.rng("attack")
    for share in SHARES:
        if len(x):
            attack = PGD(share * unit, steps=STEPS, box=found.box)
            alive = ~attack(found.scores, x, y, rng=rng).fooled
            x, y = x[alive], y[alive]
        if share == REFERENCE and len(x):
            square = BlackBoxAttack(share * unit, queries=QUERIES, box=found.box)
            alive = ~square(found.scores, x, y, rng=rng).fooled
            x, y = x[alive], y[alive]
            outcome, alive = _proved(found, x, y, share * unit, outcome, budget)
            x, y = x[alive], y[alive]
        outcome.kept[share] = len(x)
    return outcome


def _proved(
    found: Classifier, x: Tensor, y: Tensor, eps: float, outcome: Outcome, budget: Budget
) -> tuple[Outcome, Tensor]:
    """The proved samples and the remaining ones; the search for a proof may also fool a sample."""
    everyone = torch.ones(len(x), dtype=torch.bool, device=x.device)
    if len(x) == 0:
        return outcome, everyone
    try:
        certifier = Certifier(found.scores, x, box=found.box)
        with clock_of_work():
            proof = prove(certifier, x, y, eps, seconds=FOR_PROOFS * budget.left, attack=False)
    except (NotApplicableError, InputError) as why:
        return outcome._replace(why_not=str(why)), everyone
    count = int(proof.proved.sum())
    return outcome._replace(proved=count, by=proof.hardest), ~proof.broken


def _proof(outcome: Outcome, kept: int) -> str:
    """A sentence on the proof."""
    if outcome.why_not:
        return f"Nothing is proved about the other answers: {outcome.why_not}."
    if kept == 0:
        return ""
    if outcome.proved == kept:
        return (
            f"All other answers are proved to be stable (by {outcome.by}), so this accuracy is "
            "exact."
        )
    if outcome.proved == 0:
        return "None of the other answers could be proved to be stable with this effort."
    return (
        f"Among the other answers, {outcome.proved} answers are proved to be stable (by "
        f"{outcome.by}), and {kept - outcome.proved} answers are undecided."
    )


def _figure(outcome: Outcome, right: int, n: int, unit: float) -> Figure:
    left = outcome.kept
    radii = [share * unit for share in left]
    read = [Count(k, n).read(LEVEL) for k in left.values()]
    return Figure(
        "Accuracy under attack",
        x="ε (largest change of a value)",
        y="share of samples that stay correct",
        log_x=True,
        marks=(
            Band(radii, [r.low for r in read], [r.high for r in read], label="95 % interval"),
            Curve([r.value for r in read], radii, label="not fooled"),
            *_mark(outcome, n, unit),
            Level(right / n, label="without attack", role="other"),
            Level(
                REFERENCE * unit,
                label="a tenth of the separation of the classes",
                role="other",
                axis="x",
            ),
        ),
    )


def _mark(outcome: Outcome, n: int, unit: float) -> tuple[Points, ...]:
    """The part of the figure that is proved."""
    if outcome.why_not or not outcome.by:
        return ()
    at, share = [REFERENCE * unit], [outcome.proved / n]
    return (Points(at, share, label=f"proved, by {outcome.by}", role="predicted"),)
