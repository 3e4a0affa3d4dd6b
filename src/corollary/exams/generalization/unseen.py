r"""Error on held-back samples.

The risk on the training samples is optimistic, because the network was fitted to them. On n samples
that it has not seen, the number of errors is binomial, so the exact interval of Clopper and Pearson
holds for every network. If the user passes such samples (``held_out``), they are used. If not, the
network is trained briefly on one half of the samples (from new weights if it has learned them
already), and tested on the other half. A network that has learned the first half and does no better
than a constant on the other half has memorised; the most common cause is labels that do not belong
to their inputs.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.1; Clopper and Pearson (1934), "The
    use of confidence or fiducial limits"; Langford (2005), "Tutorial on practical prediction theory
    for classification".
:kind: exam
:cost: seconds
:claims: empirical_risk, hoeffding
"""

from collections.abc import Iterator

from corollary.core import Budget, Evidence, Exam, Figure, Finding, Level, Points, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import between
from corollary.exams.risks import Risk, risk_of
from corollary.exams.trial_run import trial_run_of
from corollary.exams.trials import RATE, Outcome, lost, no_better, trial_of

WIDE = 0.1  # a gap of one answer in ten, or of a tenth of the variance
KNOWN = 0.5  # of the risk by chance: who is below has learned its own half
RENAMED = 0.5  # of the errors: half of them are gone when the classes are renamed


class Unseen(Exam):
    """Training risk against the risk on held-back samples."""

    share = 7.0  # before the others that need the trial

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The gap on held-out samples, or after a short run on half of the samples."""
        fresh = subject.fresh()
        if fresh is not None:
            with subject.borrowed():
                seen, unseen = risk_of(subject, subject.labelled()), risk_of(subject, fresh)
            yield self._held_out(seen, unseen)
            if seen.value > KNOWN * seen.chance:  # not trained yet: the trial run is
                yield from self._after_training(subject, budget)
            return
        yield self._split(trial_of(subject, budget))

    def _held_out(self, seen: Risk, unseen: Risk) -> Finding:
        risk = unseen.reading()
        wide = risk.low - seen.value > WIDE
        factor = 100 if seen.classes else 1
        ends = [factor * (end - seen.value) for end in (risk.value, risk.low, risk.high)]
        return self.finding(
            "The network does worse on samples it has not seen"
            if wide
            else "Gap to held-out samples",
            severity=Severity.MEDIUM if wide else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            value=between(*ends),
            unit="points more errors than on the training samples"
            if seen.classes
            else "of the variance more than on the training samples",
            expected=f"below {factor * WIDE:g}",
            meaning=f"{seen.in_words(seen.value)} on the training samples; "
            f"{unseen.in_words(unseen.value)} on {len(unseen.each)} held-out samples "
            f"(with 95 % confidence, at most {unseen.in_words(risk.high)} on new "
            "samples).",
            advice="Collect more data or augment it, add weight decay, or stop earlier."
            if wide
            else "",
            claims=("empirical_risk", "hoeffding"),
            figures=(_figure(seen, unseen),),
            details={"train": seen.value, "held_out": risk.value, "chance": unseen.chance},
        )

    def _after_training(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Held-out samples after the trial run, if the run has learned the training samples."""
        try:
            trial = trial_run_of(subject, budget)
        except NotApplicableError:
            return
        own, held = trial.run.risk, trial.aftermath.held_risk
        if own is None or held is None or own.value > KNOWN * own.chance:
            return
        renamed = trial.aftermath.renamed_risk()
        if renamed < KNOWN * held.chance and renamed < RENAMED * held.value:
            yield self._renumbered(held, renamed)
            return
        lost = no_better(held)
        yield self.finding(
            "What the network learns is wrong on held-out data" if lost else "Held-out data",
            severity=Severity.MEDIUM if lost else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            value=held.said(),
            unit=f"{held.unit} on {len(held.each)} held-out samples after the trial run",
            expected=f"below {held.in_words(held.chance)}, the value of the best constant answer",
            meaning=f"After {trial.steps} steps: {own.in_words(own.value)} on the training "
            f"data, {held.in_words(held.value)} on held-out data"
            + (", no better than a constant answer." if lost else "."),
            advice="Look for a difference between training and held-out data: a feature that "
            "reveals the label in training only (data leakage), different preprocessing, a "
            "different numbering of the classes, or far too few samples."
            if lost
            else "",
        )

    def _renumbered(self, held: Risk, renamed: float) -> Finding:
        return self.finding(
            "The classes of the held-out data are numbered differently",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            value=held.said(),
            unit=f"{held.unit} on held-out samples after the trial run",
            expected=f"with the class labels in another order: {held.in_words(renamed)}",
            meaning="The trained network separates the held-out classes, but these classes have "
            f"other numbers than in training: {held.in_words(held.value)} with their "
            f"numbers, {held.in_words(renamed)} after renumbering.",
            advice="Use the same mapping from class names to class numbers (class_to_idx) "
            "for training and test data. Do not rely on the order in which folders or "
            "names are listed.",
            change="+ assert test_data.class_to_idx == train_data.class_to_idx",
            explains=("generalization/*",),
        )

    def _split(self, found: Outcome) -> Finding:
        own, rest = found.train, found.rest
        knows = own.value < KNOWN * own.chance
        nothing = knows and lost(found)
        start = "weights drawn anew" if found.trial.fresh else "the weights of the network"
        return self.finding(
            "What the network learns does not generalise"
            if nothing
            else "Error on held-back samples",
            severity=Severity.MEDIUM if nothing else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            value=rest.said(),
            unit=f"{rest.unit} on {len(rest.each)} held-back samples",
            expected=f"below {rest.in_words(rest.chance)}, the value of the best constant answer",
            meaning=_meaning(own, rest, knows, nothing),
            advice="Check that inputs and labels are in the same order. If they are, the "
            "inputs may say nothing about the labels, or many more samples are needed."
            if nothing
            else "",
            claims=("empirical_risk",),
            figures=(_figure(own, rest),),
            details={
                "train": own.value,
                "kept_back": rest.value,
                "chance": rest.chance,
                "steps": len(found.losses),
                "adam": RATE,
                "start": start,
            },
        )


def _meaning(own: Risk, rest: Risk, knows: bool, nothing: bool) -> str:
    if nothing:
        return (
            "A short training run learns one half of the samples "
            f"({own.in_words(own.value)}). On the other half the network does no better than "
            "a constant answer."
        )
    if not knows:
        return (
            "A short training run does not even learn the half of the samples that it trains "
            f"on ({own.in_words(own.value)}). It therefore says little about other samples."
        )
    return (
        f"After a short training run on half of the samples ({own.in_words(own.value)}), the "
        "network does better than a constant answer on the other half."
        if rest.reading().high < rest.chance
        else "More samples are needed to tell whether the network does better than a "
        "constant answer."
    )


def _figure(seen: Risk, unseen: Risk) -> Figure:
    r = unseen.reading()
    marks = (
        Points([0.0], [seen.value], label="training samples", role="other"),
        Points(
            [1.0], [r.value], low=[r.low], high=[r.high], label="held-back samples, 95 % interval"
        ),
        Level(unseen.chance, label="best constant answer"),
    )
    y = "share of wrong answers" if seen.classes else "squared error / variance"
    return Figure(
        "Risk on seen and unseen samples", x="held back (1) or trained on (0)", y=y, marks=marks
    )
