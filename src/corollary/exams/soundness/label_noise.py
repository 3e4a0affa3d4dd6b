r"""Labels that contradict their neighbours.

Samples that lie close together mostly have the same label. If nearly all nearest neighbours of a
sample agree on another label, the label of the sample is wrong, or the sample lies where classes
overlap. The share of such samples is counted; by Cover and Hart no rule can do better than about
half the error of the nearest neighbour, so if many labels are contradicted all over the data, no
network will be right on them either. The finding lists the samples.

:source: Cover and Hart (1967), "Nearest neighbor pattern classification", Theorem 1; Northcutt,
    Jiang and Chuang (2021), "Confident learning: estimating uncertainty in dataset labels".
:kind: exam
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.class_targets import class_numbers
from corollary.exams.readings import rounded
from corollary.exams.trials import trial_of

SAMPLES, FEWEST = 2048, 100
NEAR, AGREE = 10, 8  # neighbours, and those that agree: by chance 0.05 of coin tosses do
# Of the samples. On digits and other separable data less than 0.5 % are contradicted. Overlapping
# classes have their contradictions at their borders; labels that are wrong at random leave no
# neighbourhood in which all labels agree.
SOME, MANY, PURE = 0.01, 0.1, 0.5
# Labels that differ in the clearest neighbourhoods, beside the least clear ones, and how clear.
HEAVY, FLAT, MOST = 0.2, 0.75, 0.6
TELLS = 0.8  # of the errors by chance: above, neighbours say little about labels here
LISTED = 20


class LabelNoise(Exam):
    """Compares each label with the labels of the nearest samples."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The share of contradicted labels."""
        batch = subject.all_labelled().first(SAMPLES)
        labels = class_numbers(batch.target)
        if labels is None or labels.dim() != 1:
            raise NotApplicableError("there is not one class per sample")
        floats = [t for t in batch.tensors() if t.is_floating_point()]
        if not floats or len(labels) < FEWEST or any(t.is_sparse for t in floats):
            raise NotApplicableError(
                f"this exam needs at least {FEWEST} samples with floating-point inputs"
            )
        x = torch.cat([t.detach().reshape(len(t), -1).cpu().double() for t in floats], 1)
        if not bool(torch.isfinite(x).all()):
            raise NotApplicableError("some inputs are not finite")
        said, votes = _voted(_standardised(x), labels)
        chance = 1 - float(labels.bincount().max()) / len(labels)
        if float((said != labels).cpu().double().mean()) > TELLS * chance:
            raise NotApplicableError("samples that lie close together do not share their labels")
        wrong = (said != labels) & (votes >= AGREE)
        share, pure = (
            float(wrong.cpu().double().mean()),
            float((votes == NEAR).cpu().double().mean()),
        )
        noisy = share > MANY and pure < PURE
        heavy = _heavy(said != labels, votes)
        if not noisy and heavy is not None and _network_errs(subject, budget):
            yield self._everywhere(heavy)
            return
        yield self.finding(
            "Many labels contradict their neighbours"
            if noisy
            else "Some labels contradict their neighbours"
            if share > SOME
            else "Labels agree with their neighbours",
            severity=Severity.MEDIUM if noisy else Severity.LOW if share > SOME else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            value=rounded(100 * share),
            unit=f"% of the labels differ from the labels of at least {AGREE} of the {NEAR} "
            "nearest neighbours",
            expected=f"below {100 * SOME:g} %",
            meaning="Either these labels are wrong, or the classes overlap near these samples. No "
            "network can be right on both these samples and their neighbours."
            + (" Such samples occur all over the data." if noisy else "")
            if share > SOME
            else "Hardly any label contradicts the labels around it.",
            advice=f"Look at samples {_listed(wrong)}. Correct their labels or remove the samples."
            if share > SOME
            else "",
            details={"samples": wrong.nonzero()[:, 0].tolist()[:200], "pure": pure},
        )

    def _everywhere(self, share: float) -> Finding:
        return self.finding(
            "Many labels are wrong, all over the data",
            severity=Severity.MEDIUM,
            evidence=Evidence.CONFIRMED,
            value=rounded(100 * share),
            unit="% of the labels differ from most of their neighbours, even where the "
            "neighbours agree best",
            expected=f"below {100 * HEAVY:g} %",
            meaning="If classes overlap, labels contradict each other only at the borders of the "
            "classes. In this data, labels contradict each other everywhere, and a short "
            "training run makes as many errors on held-back samples. This indicates label "
            "noise.",
            advice="Check where the labels come from (annotators, a join by the wrong key, a "
            "shifted column). Correct the labels, or train with fewer steps and a "
            "loss that tolerates noise (label_smoothing=0.1).",
        )


def _heavy(differs: Tensor, votes: Tensor) -> float | None:
    """The share of labels that differ where neighbours agree best, if it is as high elsewhere.

    Overlapping classes contradict each other where neighbours do not agree; labels that are wrong
    at random do so everywhere.
    """
    order = votes.argsort(descending=True, stable=True)
    quarter = len(votes) // 4
    sure, unsure = order[:quarter], order[-quarter:]
    best, worst = (float(differs[rows].cpu().double().mean()) for rows in (sure, unsure))
    agree = float(votes[sure].cpu().double().mean()) / NEAR
    return best if agree > MOST and best > HEAVY and best > FLAT * worst else None


def _network_errs(subject: Subject, budget: Budget) -> bool:
    """Whether the network finds the classes, too, and is wrong as often on held-back samples."""
    try:
        rest = trial_of(subject, budget).rest
    except NotApplicableError:
        return False
    reading = rest.reading()
    return reading.low > HEAVY and reading.high < rest.chance


def _standardised(x: Tensor) -> Tensor:
    """Features standardised if their scales differ; otherwise unchanged.

    Standard deviations within a factor of ten of their median count as the same scale.
    """
    spread = x.std(0, unbiased=False)
    varied = spread[spread > 0]
    if len(varied) == 0:
        raise NotApplicableError("all samples are the same")
    middle = varied.median()
    alike = bool(((varied > middle / 10) & (varied < middle * 10)).cpu().double().mean() > 0.5)
    if alike and float(varied.max()) < 10 * float(middle):
        return x
    return (x - x.mean(0)) / spread.clamp(min=1e-30)


def _voted(x: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """The most frequent label among the nearest neighbours, and how many neighbours have it."""
    classes, which = labels.unique(return_inverse=True)
    said, votes = [], []
    for start in range(0, len(x), 256):
        part = torch.cdist(x[start : start + 256], x)
        rows = torch.arange(len(part))
        part[rows, rows + start] = torch.inf
        near = part.topk(NEAR, largest=False).indices
        counts = torch.nn.functional.one_hot(which[near], len(classes)).sum(1)
        best = counts.max(1)
        said.append(classes[best.indices])
        votes.append(best.values)
    return torch.cat(said), torch.cat(votes)


def _listed(wrong: Tensor) -> str:
    found = wrong.nonzero()[:, 0].tolist()
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    return ", ".join(map(str, found[:LISTED])) + more
