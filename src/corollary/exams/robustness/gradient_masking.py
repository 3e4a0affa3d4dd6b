r"""Whether the attacks can be trusted.

Attacks follow gradients. A network can be easy to fool and yet hide its gradients, by rounding, by
outputs that are saturated, by random answers or by a rugged surface; then it only looks robust. The
exam looks for four signs: gradients that are exactly zero; an attack without gradients that
succeeds where gradient-based attacks fail; many more successes with many more steps; and inputs
that cannot be fooled even if every change is allowed. The attacks are compared at the smallest
radius at which some of them succeed.

:source: Athalye, Carlini and Wagner (2018), "Obfuscated gradients give a false sense of security",
    Section 3; Carlini et al. (2019), "On evaluating adversarial robustness".
:kind: exam
:cost: seconds
:claims: random_directions, iterated_fgsm
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Budget, Count, Evidence, Exam, Finding, Severity, Subject
from corollary.exams.classifiers import LEVEL, Classifier, classifier, separation, share_read
from corollary.exams.landscapes import affordable
from corollary.exams.trained import need_trained
from corollary.theory.robustness.black_box import BlackBoxAttack
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.theory.robustness.scores import margins

SAMPLES = 128
SHARES = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0)  # of the separation: the first that tells is taken
TELLS = 0.3  # share of inputs that some attack has to fool, for a comparison of attacks to tell
FEW, MANY, QUERIES = 10, 60, 100
EVERYTHING = 10.0  # separations: farther than the samples are from each other
ZERO = 0.05  # share of vanishing gradients; a healthy network has none but by chance
LEVEL_OF_SIGN = 0.99  # of the test that one attack succeeds more often than another
PASSES = len(SHARES) * (FEW + QUERIES // 2) + 2 * MANY


class GradientMasking(Exam):
    """Signs of hidden gradients."""

    share = 6.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Findings on random answers, vanishing gradients, stronger and unbounded attacks."""
        need_trained(subject)
        unit = separation(subject, "linf")
        n = affordable(subject, budget, PASSES, SAMPLES)
        with classifier(subject) as found:
            some = found.correct(n)
            if _is_random(some):
                yield self._random(some)
                return
            gradients = _gradients(some)
            yield self._zeros(some, gradients)
            if not bool(gradients.any()):
                return  # the rest would say the same once more
            yield from self._attacks(subject, some, unit)

    def _random(self, found: Classifier) -> Finding:
        return self.finding(
            "Answers are random",
            severity=Severity.MEDIUM,
            evidence=Evidence.CONFIRMED,
            meaning="Two calls with the same inputs give different scores, so every step of "
            "an attack follows the gradient of a different network.",
            advice="Attack the average over the noise, and certify it by randomised smoothing "
            "(corollary.theory.robustness.certificates.smoothing.Smoothed).",
        )

    def _zeros(self, found: Classifier, gradients: Tensor) -> Finding:
        zero = int((gradients == 0).sum())
        share = Count(zero, len(gradients)).read(LEVEL)
        bad = share.low > ZERO
        return self.finding(
            "Gradients vanish" if bad else "Gradients of the margin",
            severity=Severity.HIGH if bad else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            value=share_read(zero, len(gradients)),
            unit="% of the inputs have a gradient of zero",
            expected="0 %",
            meaning="Attacks that follow gradients do not move, so robustness measured with such "
            "attacks means nothing."
            if bad
            else "No gradient is zero, so gradient-based attacks can work.",
            advice=_cure(found) if bad else "",
        )

    def _attacks(self, subject: Subject, found: Classifier, unit: float) -> Iterator[Finding]:
        rng = subject.rng("masking")
        f, x, y, box = found.scores, found.x, found.y, found.box
        for eps in (share * unit for share in SHARES):
            few = PGD(eps, steps=FEW, box=box)(f, x, y, rng=rng).fooled
            blind = BlackBoxAttack(eps, queries=QUERIES, box=box)(f, x, y, rng=rng).fooled
            if float((few | blind).cpu().double().mean()) >= TELLS:
                break
        many = few.clone()
        if not bool(few.all()):
            many[~few] = PGD(eps, steps=MANY, box=box)(f, x[~few], y[~few], rng=rng).fooled
        yield self._blind(many, blind)
        yield self._steps(few, many)
        far = PGD(EVERYTHING * unit, steps=MANY, box=box, restarts=3)(f, x, y, rng=rng).fooled
        yield self._everything(far)

    def _blind(self, seeing: Tensor, blind: Tensor) -> Finding:
        only, other = int((blind & ~seeing).sum()), int((seeing & ~blind).sum())
        bad = only + other > 0 and Count(only, only + other).read(LEVEL_OF_SIGN).low > 0.5
        return self.finding(
            "Attacks without gradients are stronger than gradient-based attacks"
            if bad
            else "Attacks with and without gradients",
            severity=Severity.HIGH if bad else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            value=share_read(only, len(seeing)),
            unit="% of the inputs are fooled only by random search",
            expected=f"{100 * other / len(seeing):.3g} %, the share of inputs that only "
            "gradient-based attacks fool",
            meaning="Random search finds adversarial perturbations that gradient-based "
            "attacks miss."
            if bad
            else "Gradient-based attacks find adversarial perturbations that random search misses.",
            advice="Do not trust gradient-based attacks on this network. Look for a layer "
            "that oscillates or has jumps, and measure robust accuracy with random "
            "search."
            if bad
            else "",
            claims=("random_directions",),
        )

    def _steps(self, few: Tensor, many: Tensor) -> Finding:
        more = int((many & ~few).sum())
        bad = Count(more, len(few)).read(LEVEL).low > 0.1
        return self.finding(
            "Attacks with more steps are stronger" if bad else "Steps of the attack",
            severity=Severity.LOW if bad else Severity.NONE,
            value=share_read(more, len(few)),
            unit=f"% of the inputs are fooled by {MANY} steps but not by {FEW}",
            expected="at most 10 %",
            meaning=f"An attack of {FEW} steps is too weak for this network."
            if bad
            else f"{FEW} steps fool nearly all inputs that {MANY} steps fool.",
            advice=f"Report robust accuracy with {MANY} steps or more." if bad else "",
            claims=("iterated_fgsm",),
        )

    def _everything(self, fooled: Tensor) -> Finding:
        left = int((~fooled).sum())
        bad = Count(left, len(fooled)).read(LEVEL).low > ZERO
        return self.finding(
            "Attacks fail even at a very large radius"
            if bad
            else "Attacks with a very large radius",
            severity=Severity.MEDIUM if bad else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            value=share_read(left, len(fooled)),
            unit="% of the inputs are not fooled at ten times the usual distance of the classes",
            expected="0 %",
            meaning="Inputs of other classes lie within this radius, but the gradients do not lead "
            "to these inputs."
            if bad
            else "At this radius every input can be fooled, as expected.",
            advice="Look for layers that cut off the gradient (clipping, rounding, saturation)."
            if bad
            else "",
        )


def _is_random(found: Classifier) -> bool:
    with torch.no_grad():
        first, second = found.scores(found.x), found.scores(found.x)
    return not torch.allclose(first, second, rtol=1e-3, atol=1e-5, equal_nan=True)


def _gradients(found: Classifier) -> Tensor:
    """Largest entries of the margin's gradient, one per input."""
    x = found.x.clone().requires_grad_(True)
    out = found.scores(x)
    if out.grad_fn is None:
        return torch.zeros(len(x))
    (g,) = torch.autograd.grad(margins(out, found.y).sum(), x, allow_unused=True)
    return torch.zeros(len(x)) if g is None else g.flatten(1).abs().amax(1)


def _cure(found: Classifier) -> str:
    with torch.no_grad():
        out = found.scores(found.x)
    total = out.sum(-1) if out.dim() == 2 else out
    if out.dim() == 2 and bool((out >= 0).all()) and bool((total - 1).abs().max() < 1e-3):
        return "Return logits instead of probabilities: the softmax is saturated here."
    return (
        "Find the operation that cuts off the gradient (rounding, thresholds, detach). Replace "
        "it by a differentiable operation, at least for the attack."
    )
