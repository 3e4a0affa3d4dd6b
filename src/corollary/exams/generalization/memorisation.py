r"""Learning and memorising.

The same short training is run twice: with the labels as they are, and with the labels shuffled over
the samples, where only memorising helps. The speed of each is the decrease of the loss, relative to
the loss of a constant answer and averaged over the run. If the labels have structure, the run with
true labels is faster. The network finds no connection between inputs and labels if it learns the
true labels no faster than shuffled labels (also in your own training) and does no better than a
constant on the held-back half of the samples. Speed alone does not prove this, because a large
network memorises as fast as it learns. A network that learns shuffled labels fast is large enough
to learn anything. Bounds that count parameters or labelings say nothing about such a network.

:source: Zhang, Bengio, Hardt, Recht and Vinyals (2017), "Understanding deep learning requires
    rethinking generalization"; Arpit et al. (2017), "A closer look at memorization in deep
    networks".
:kind: exam
:cost: seconds
:claims: random_labels
"""

from collections.abc import Iterator

import torch

from corollary.core import Band, Budget, Curve, Evidence, Exam, Figure, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.constant_answers import constant_loss
from corollary.exams.readings import between, rounded
from corollary.exams.trial_run import trial_run_of, unchanged
from corollary.exams.trials import lost, relabelled, trial_of

SHUFFLES = 3
# Times the fastest of the shuffled runs. Labels without meaning have up to 1.15 by chance, and
# healthy networks that memorise fast 1.2: those the samples kept back acquit.
SAME = 1.3
SLOW = 0.05  # of the loss gone on average: too little to compare


class Memorisation(Exam):
    """Speed of learning the labels, and of learning shuffled labels."""

    share = 8.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """How many times faster the labels are learned than shuffled labels."""
        found = trial_of(subject, budget)
        trial, n = found.trial, found.trial.train.size
        curves = []
        for i in range(SHUFFLES):
            order = torch.randperm(n, generator=subject.rng("shuffle", str(i)))
            with subject.borrowed():
                curves.append(trial.run(order))
        base = min(found.losses[0], constant_loss(subject, trial.train))
        true, *shuffled = (_speed(curve, base) for curve in (found.losses, *curves))
        if true < SLOW and max(shuffled) < SLOW:
            raise NotApplicableError(
                f"within {trial.steps} steps the network learns hardly anything, neither with "
                "these labels nor with shuffled labels"
            )
        nothing = true < SAME * max(shuffled) and lost(found) and _as_you_train(subject, budget)
        yield self._compared(true, shuffled, nothing, _figure(found.losses, curves))
        yield self._capacity(shuffled, trial.steps, n)

    def _compared(
        self, true: float, shuffled: list[float], nothing: bool, figure: Figure
    ) -> Finding:
        slowest, fastest = (max(end(shuffled), SLOW) for end in (min, max))
        mean = max(sum(shuffled) / len(shuffled), SLOW)
        slow = true < SAME * fastest
        same = slow and nothing
        return self.finding(
            "The labels are learned no faster than shuffled labels"
            if same
            else "Speed of learning, compared with shuffled labels",
            severity=Severity.MEDIUM if same else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            value=between(true / mean, true / fastest, true / slowest)
            if fastest > slowest
            else rounded(true / mean),
            unit="times as fast as shuffled labels",
            expected=f"above {SAME:g}; less is fine if held-out samples are predicted well",
            meaning="The network finds no connection between inputs and labels and can only "
            "memorise the samples."
            if same
            else (
                "Learning and memorising are about equally fast. The error on held-back samples "
                "shows whether the network learns or memorises."
                if slow
                else "The network finds something in the inputs that predicts the labels."
            ),
            advice="Check that inputs and labels are in the same order, and that the inputs "
            "are loaded correctly."
            if same
            else "",
            claims=("random_labels",),
            figures=(figure,),
        )

    def _capacity(self, shuffled: list[float], steps: int, n: int) -> Finding:
        mean = sum(shuffled) / len(shuffled)
        ends = (100 * max(end(shuffled), 0.0) for end in (min, max))
        return self.finding(
            "Capacity for shuffled labels",
            quantity=f"mean decrease of the loss over {steps} steps",
            value=between(100 * max(mean, 0.0), *ends) if mean > 1e-3 else rounded(0.0),
            unit="% of the loss of a constant answer",
            meaning=f"This is how fast the network memorises {n} samples with shuffled labels. The "
            "number says little about new samples.",
            claims=("random_labels",),
        )


def _as_you_train(subject: Subject, budget: Budget) -> bool:
    """Whether the user's own training also learns shuffled labels as fast as the true ones."""
    try:
        trial = trial_run_of(subject, budget)
        data = subject.all_labelled()
        order = torch.randperm(data.size, generator=subject.rng("shuffle"))
        other = trial.with_change(unchanged, relabelled(data, order))
    except (NotApplicableError, RuntimeError, ValueError):
        return True  # nothing more is known
    base = min(trial.run.start, trial.run.constant)
    return _speed(trial.run.losses, base) < SAME * max(_speed(other.losses, base), SLOW)


def _speed(losses: list[float], base: float) -> float:
    """The mean decrease of the loss over the run, relative to the loss of a constant answer."""
    gone = [max(0.0, 1 - loss / base) for loss in losses] if base > 0 else [0.0]
    return sum(gone) / len(gone)


def _figure(true: list[float], shuffled: list[list[float]]) -> Figure:
    steps = list(range(min(map(len, shuffled))))
    columns = [[curve[i] for curve in shuffled] for i in steps]
    marks = (
        Curve(true, label="original labels"),
        Band(
            steps,
            list(map(min, columns)),
            list(map(max, columns)),
            label="shuffled labels",
            role="other",
        ),
    )
    return Figure("Learning and memorising", x="step", y="loss of a batch", marks=marks)
