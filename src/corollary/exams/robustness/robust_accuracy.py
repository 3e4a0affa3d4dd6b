r"""Accuracy under attack.

The share of samples that keep their right answer against projected gradient ascent in
:math:`\ell_\infty` balls of growing radius, and at a tenth of the separation of the classes also
against random squares, which ask for no gradients. What no attack has found may still exist: these
are upper bounds, with exact binomial intervals.

Plainly trained networks on digits, on tables and on points in the plane keep at least half of their
right answers at a tenth of the separation, MNIST networks among them; at a fiftieth nearly all.

:source: Madry, Makelov, Schmidt, Tsipras and Vladu (2018), "Towards deep learning models resistant
    to adversarial attacks"; Andriushchenko, Croce, Flammarion and Hein (2020), "Square attack".
:kind: exam
:cost: seconds
:claims: iterated_fgsm, adversarial_training
"""

from collections.abc import Iterator

from corollary.core import (
    Band,
    Budget,
    Count,
    Curve,
    Exam,
    Figure,
    Finding,
    Level,
    Severity,
    Subject,
)
from corollary.exams.classifiers import LEVEL, Classifier, classifier, separation, share_read
from corollary.exams.landscapes import affordable
from corollary.theory.robustness.black_box import BlackBoxAttack
from corollary.theory.robustness.gradient_attacks import PGD

SAMPLES = 256
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  # of the separation
REFERENCE, TINY = 0.1, 0.02
LOST = 0.5  # of the right answers; see above for what plainly trained networks lose
STEPS, QUERIES = 20, 100
PASSES = len(SHARES) * STEPS + QUERIES // 2


class RobustAccuracy(Exam):
    """Survivors of attacks at growing radii."""

    share = 6.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The curve, and its value at a tenth of the separation."""
        unit = separation(subject, "linf")
        n = affordable(subject, budget, PASSES, SAMPLES)
        with classifier(subject) as found:
            found.correct(n)  # or there is nothing to attack
            part = found.first(n)
            left = _survivors(subject, part, unit, budget)
        right = int(part.right.sum())
        yield self._verdict(left, right, len(part.x), unit)

    def _verdict(self, left: dict[float, int], right: int, n: int, unit: float) -> Finding:
        kept = left[REFERENCE]
        lost = Count(right - kept, right).read(LEVEL)
        lost_soon = Count(right - left[TINY], right).read(LEVEL)
        severity = Severity.NONE
        if lost.low > LOST:
            severity = Severity.HIGH if lost_soon.low > LOST else Severity.MEDIUM
        bad = severity is not Severity.NONE
        return self.finding(
            "Hardly any answer survives a small attack" if bad else "Accuracy under attack",
            severity=severity,
            value=share_read(kept, n),
            unit=f"% of {n} samples at ±{REFERENCE * unit:.2g}, a tenth of the separation",
            expected=f"at least {50 * right / n:.3g} %, half of what is right without attack",
            meaning=f"Of {right} right answers {right - kept} can be changed by moving no value "
            f"by more than {REFERENCE * unit:.2g}.",
            advice="Train against such perturbations (corollary.train.Adversarial), or look which "
            "features of tiny size the network relies on."
            if bad
            else "",
            claims=("iterated_fgsm", "adversarial_training"),
            figures=(_figure(left, right, n, unit),),
            details={"separation": unit, "kept": {str(k): v for k, v in left.items()}},
        )


def _survivors(
    subject: Subject, found: Classifier, unit: float, budget: Budget
) -> dict[float, int]:
    """Samples that are still right at each radius; who falls in a ball falls in all larger ones."""
    x, y = found.x[found.right], found.y[found.right]
    left: dict[float, int] = {}
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
        left[share] = len(x)
    return left


def _figure(left: dict[float, int], right: int, n: int, unit: float) -> Figure:
    radii = [share * unit for share in left]
    read = [Count(k, n).read(LEVEL) for k in left.values()]
    return Figure(
        "Accuracy under attack",
        x="ε (largest change of a value)",
        y="share of samples that stay right",
        log_x=True,
        marks=(
            Band(radii, [r.low for r in read], [r.high for r in read], label="95 % interval"),
            Curve([r.value for r in read], radii, label="not fooled"),
            Level(right / n, label="without attack", role="other"),
            Level(REFERENCE * unit, label="a tenth of the separation", role="other", axis="x"),
        ),
    )
