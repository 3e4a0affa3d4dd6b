"""Duplicate samples.

A sample that occurs twice counts twice. If the two copies have different labels, they cannot be
learned. A held-out sample that is also a training sample tests nothing. Exact copies are found by
comparing rows; near copies are found by comparing their distance with the distance to the next
sample that is not a copy.

:source: Barz and Denzler (2020), "Do we train on test data? Purging CIFAR of near-duplicates";
    Northcutt, Athalye and Mueller (2021), "Pervasive label errors in test sets destabilize machine
    learning benchmarks".
:kind: exam
"""

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader

from corollary.core import Batch, Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.core.gathering import given_back
from corollary.core.nested import tensors_in
from corollary.errors import NotApplicableError
from corollary.exams.readings import counted, rounded

MANY = 0.05  # of the samples: more than the odd copy of CIFAR (0.03 of its test set)
MOST = 2048  # samples between which distances are taken
# A near copy (noise, another compression, one pixel of shift) is ten times nearer than the nearest
# sample that is not a copy. In d dimensions the (j+1)-th neighbour is that much farther than the
# j-th with probability 10^(-jd): for all j together at most one in nine, on a curve.
JUMP, BY_CHANCE, NEIGHBOURS = 10.0, 1 / 9, 12
ROUNDING = 1e-6  # of the usual distance: what distances in double precision may be off by
UNEXPLAINED = 0.1  # of the variance
FEW, DRAWS = 0.2, 100_000  # of the samples that draws at random would have; draws looked at


class Duplicates(Exam):
    """Copies within the data, with other labels, and between data and held-out data."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Exact and near copies."""
        batch = subject.everything().first(MOST)
        x = _rows(batch)
        if len(x) < 8:
            raise NotApplicableError("this exam needs at least eight samples")
        _, which, counts = x.unique(dim=0, return_inverse=True, return_counts=True)
        copies = int((counts - 1).sum())
        yield self._copies(copies, len(x))
        yield from self._contradictions(batch.target, which, counts)
        yield from self._unexplained(x, batch.target, which, counts)
        if subject.loader is not None:
            yield from self._drawn(subject.loader)
        if subject.held_out is not None and x.shape[1] > 1:  # on a line all are near
            yield self._leak(x, _rows(subject.held_out.first(MOST)))

    def _copies(self, copies: int, n: int) -> Finding:
        many = copies > MANY * n
        return self.finding(
            "Samples occur more than once" if many else "Copies among the samples",
            severity=Severity.LOW if many else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            value=counted(copies),
            unit=f"of {n} samples are copies of another sample",
            expected=f"below {100 * MANY:g} %",
            meaning="Copied samples count more than once, and a random split puts copies "
            "into both the training and the test set."
            if many
            else "Few samples are exact copies.",
            advice="Remove copies before splitting the data, unless they are intended."
            if many
            else "",
        )

    def _contradictions(self, y: object, which: Tensor, counts: Tensor) -> Iterator[Finding]:
        classes = isinstance(y, Tensor) and y.dim() == 1 and not y.is_floating_point()
        if not classes or not bool((counts > 1).any()):
            return
        assert isinstance(y, Tensor)
        low = torch.full_like(counts, int(y.max())).scatter_reduce(0, which, y, "amin")
        high = torch.full_like(counts, int(y.min())).scatter_reduce(0, which, y, "amax")
        wrong = int(counts[low != high].sum())
        if wrong:
            yield self.finding(
                "Equal samples have different labels",
                severity=Severity.MEDIUM if wrong > MANY * len(y) else Severity.LOW,
                evidence=Evidence.CONFIRMED,
                value=counted(wrong),
                unit=f"of {len(y)} samples",
                expected="0",
                meaning="No network can be right on all of these samples.",
                advice="Look at these samples. Either a label is wrong, or the inputs lack a "
                "feature that distinguishes them.",
            )

    def _unexplained(
        self, x: Tensor, y: object, which: Tensor, counts: Tensor
    ) -> Iterator[Finding]:
        """The variance of regression targets among samples whose inputs are equal."""
        if not isinstance(y, Tensor) or not y.is_floating_point() or len(y) != len(x):
            return
        y = y.detach().cpu().double().reshape(len(y), -1)
        means = torch.zeros(len(counts), y.shape[1], dtype=y.dtype).index_add(0, which, y)
        means = means / counts[:, None]
        total = float((y - y.mean(0)).square().sum())
        share = float((y - means[which]).square().sum()) / total if total > 0 else 0.0
        if not share > UNEXPLAINED:
            return
        whole = bool((x == x.round()).all())  # such as categories: repeated on purpose
        yield self.finding(
            "Identical inputs have different targets",
            severity=Severity.LOW if whole else Severity.MEDIUM,
            evidence=Evidence.CONFIRMED,
            value=rounded(100 * share),
            unit="% of the variance of the targets is between samples with equal inputs "
            f"({len(counts)} distinct inputs in {len(x)} samples)",
            expected=f"below {100 * UNEXPLAINED:g} %",
            meaning="Samples with the same input have different targets, and no network can tell "
            "them apart.",
            advice="Find out where different inputs become equal. Common causes are large "
            "numbers (times, ids) rounded to float32 precision before centring, "
            "integer division, or a missing feature.",
            change="- (x.float() - start.float())\n+ (x.double() - start.double()).float()",
            explains=("trainability/*", "learning/*", "generalization/*"),
        )

    def _drawn(self, loader: DataLoader[Any]) -> Iterator[Finding]:
        """How many distinct samples an epoch of the loader has."""
        n, drawn = _epoch(loader)
        distinct = len(set(drawn))
        # Draws with replacement leave out a share of exp(-draws / n).
        usual = n * -math.expm1(-len(drawn) / n) if n else 0.0
        if distinct >= FEW * usual:
            return
        yield self.finding(
            "The sampler draws the same few samples again and again",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            value=counted(distinct),
            unit=f"distinct samples in an epoch, out of {n} in the data set",
            expected=f"about {usual:.0f}",
            meaning=f"An epoch draws {len(drawn)} samples but only {distinct} different ones, "
            "so the rest of the data is never seen.",
            advice="WeightedRandomSampler takes one weight for each sample: "
            "weights = class_weights[labels].",
            change="- WeightedRandomSampler(class_weights, n)\n"
            "+ WeightedRandomSampler(class_weights[labels], n)",
            explains=("soundness/labels", "trainability/*", "learning/*", "generalization/*"),
        )

    def _leak(self, x: Tensor, held: Tensor) -> Finding:
        if x.shape[1] != held.shape[1]:
            raise NotApplicableError("held-out samples have another shape")
        scale, expected = torch.cdist(x[:128], x[-128:]).median(), _by_chance(x)
        x = x.unique(dim=0)
        which = torch.cat([x, held]).unique(dim=0, return_inverse=True)[1]
        copies = torch.isin(which[len(x) :], which[: len(x)])
        k = min(NEIGHBOURS, len(x))
        parts = [torch.cdist(part, x).topk(k, largest=False).values for part in held.split(256)]
        distances = torch.cat(parts).sort(1).values.clamp(min=float(ROUNDING * scale))
        near = (distances[:, 1:] >= JUMP * distances[:, :-1]).any(1) & ~copies
        copied, almost, share = (float(c.float().mean()) for c in (copies, near, copies | near))
        leaks = copied - expected > MANY or almost - BY_CHANCE > MANY
        return self.finding(
            "Held-out samples are in the training data" if leaks else "Held-out samples are new",
            severity=Severity.HIGH if leaks else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            value=rounded(100 * share),
            unit="% of the held-out samples have a copy or a near copy in the training data",
            expected=f"below {100 * MANY:g} % copies and "
            f"{100 * (BY_CHANCE + MANY):.0f} % near copies",
            meaning="The error on these samples is a training error, so the held-out error "
            "is too optimistic."
            if leaks
            else "Hardly any held-out sample has a copy among the training samples.",
            advice="Remove copies first, then split by group (person, document, image), so "
            "that similar samples are on the same side."
            if leaks
            else "",
            explains=("generalization/unseen",) if leaks else (),
        )


def _by_chance(x: Tensor) -> float:
    """The share of samples that equal another one because they are made of few categories."""
    if not bool((x == x.round()).all()):
        return 0.0
    _, counts = x.unique(dim=0, return_counts=True)
    return float(counts[counts > 1].sum()) / len(x)


def _epoch(loader: DataLoader[Any]) -> tuple[int, list[int]]:
    """The size of a loader's data set, and the samples of one epoch; None if they are not known."""
    try:
        n = len(loader.dataset)  # type: ignore[arg-type]
        with given_back(loader):
            drawn = list(islice(loader.sampler, DRAWS))
    except TypeError:
        return 0, []
    return n, [int(i) for i in drawn if isinstance(i, int)]


def _rows(batch: Batch) -> Tensor:
    """All inputs of a sample as one row."""
    named = {k: v for k, v in batch.named.items() if k != "labels"}
    tensors = [t for t in tensors_in((batch.inputs, named)) if t.dim() and len(t) == batch.size]
    if any(t.layout is not torch.strided for t in tensors):
        raise NotApplicableError("the inputs are sparse")
    if not tensors or any(t.is_complex() for t in tensors):
        raise NotApplicableError("the inputs are not real tensors with one entry per sample")
    rows = [t.detach().reshape(len(t), -1).cpu().double() for t in tensors]
    return torch.cat(rows, dim=1)
