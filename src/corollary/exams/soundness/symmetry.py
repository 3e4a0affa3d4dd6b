"""Symmetries a network claims.

A network over sets must not care about the order of their elements. A module claims that by its
name (Deep Sets, PointNet, set transformers) or by an attribute ``symmetry = "permutation"`` (its
outputs stay) or ``"equivariance"`` (they move along). The elements are shuffled, and the outputs
compared.

:source: Zaheer et al. (2017), "Deep sets", Theorem 2 and Lemma 3.
:kind: exam
:cost: instant
"""

import re
from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Batch, Budget, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import rounded

SAMPLES = 8
_CLAIMING = re.compile(r"deep_?sets?|set_?transformer|point_?net|permutation_?invariant", re.I)
# Sums in another order differ by rounding, some units in the last place of float32.
TOLERANCE = 1e-4


class Symmetry(Exam):
    """Shuffles the elements of each sample."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """For modules that claim to treat their input as a set."""
        claimed = getattr(subject.model, "symmetry", None)
        if claimed is None and _CLAIMING.search(subject.name):
            claimed = "permutation"
        if claimed not in ("permutation", "equivariance"):
            raise NotApplicableError("the module claims no symmetry")
        batch = subject.data(SAMPLES)
        x = batch.tensors()[0]
        if x.dim() < 3 or x.shape[1] < 2:
            raise NotApplicableError("the inputs are not sets of at least two elements")
        order = torch.randperm(x.shape[1], generator=subject.rng("symmetry"))
        with subject.borrowed(), torch.no_grad():
            y = subject.output(batch)
            shuffled = subject.output(_shuffled(batch, x, order))
        expected = y if claimed == "permutation" else y[:, order]
        yield self._verdict(claimed, expected, shuffled)

    def _verdict(self, claimed: str, expected: Tensor, got: Tensor) -> Finding:
        scale = float(expected.double().pow(2).mean().sqrt()) or 1.0
        gap = float((expected - got).abs().max()) / scale
        broken = gap > TOLERANCE
        return self.finding(
            "Claimed symmetry is broken" if broken else "Claimed symmetry holds",
            severity=Severity.HIGH if broken else Severity.NONE,
            value=rounded(gap),
            unit="of the outputs' size",
            expected="0 up to rounding",
            meaning="The order of a set's elements changes the answer, and it should not."
            if broken
            else "The order of a set's elements does not change the answer.",
            advice="Pool over the elements by sum, mean or maximum, and treat each one alike "
            "before that."
            if broken
            else "",
        )


def _shuffled(batch: Batch, x: Tensor, order: Tensor) -> Batch:
    return batch.with_inputs(x[:, order], *batch.tensors()[1:])
