"""Symmetries that a network claims to have.

The output of a network on sets must not depend on the order of the elements. A network is treated
as one if you say so (``symmetry=``), by its name (Deep Sets, PointNet, set transformers), or by an
attribute ``symmetry = "permutation"`` (the outputs stay the same) or ``"equivariance"`` (the
outputs are permuted in the same way). The elements are shuffled, and the outputs are compared. For
images, the answer may be required to stay the same when they are shifted by a pixel, reflected or
rotated. Here the layers need not have the symmetry, because the network can learn it from the data,
so the share of answers that change is reported.

:source: Zaheer et al. (2017), "Deep sets", Theorem 2 and Lemma 3.
:kind: exam
"""

import re
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from corollary.core import Batch, Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import rounded

SAMPLES = 8
_CLAIMING = re.compile(r"deep_?sets?|set_?transformer|point_?net|permutation_?invariant", re.I)
# Sums in another order differ by rounding, some units in the last place of float32.
TOLERANCE = 1e-4


MOVES: dict[str, Callable[[Tensor], Tensor]] = {
    "translation": lambda x: x.roll(1, -1),
    "reflection": lambda x: x.flip(-1),
    "rotation": lambda x: x.rot90(1, (-2, -1)),
}
IMAGES = 64
MANY = 0.1  # of the answers: more than the errors that a good classifier makes anyway


class Symmetry(Exam):
    """Shuffles the elements of each sample."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The exam is for modules that claim to treat their input as a set."""
        claimed = subject.symmetry or getattr(subject.model, "symmetry", None)
        if claimed is None and _CLAIMING.search(subject.name):
            claimed = "permutation"
        if claimed in MOVES:
            yield self._images(subject, claimed)
            return
        if claimed not in ("permutation", "equivariance"):
            raise NotApplicableError("no symmetry is claimed; pass symmetry= to test one")
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

    def _images(self, subject: Subject, wanted: str) -> Finding:
        batch = subject.data(IMAGES)
        x = batch.tensors()[0]
        if x.dim() < 3 or not x.is_floating_point():
            raise NotApplicableError(
                f"{wanted} is for images, and the inputs have {x.dim() - 1} dimensions"
            )
        with subject.borrowed(), torch.no_grad():
            y = subject.output(batch)
            moved = subject.output(batch.with_inputs(MOVES[wanted](x), *batch.tensors()[1:]))
            one_class = y.dim() == 2 and y.shape[1] > 1
            changed = (
                float((y.argmax(1) != moved.argmax(1)).cpu().double().mean())
                if one_class
                else float((y - moved).norm() / (y - y.mean(0)).norm().clamp(min=1e-30))
            )
        many = changed > MANY
        return self.finding(
            f"Answers change under {wanted}" if many else f"Answers are stable under {wanted}",
            severity=Severity.LOW if many else Severity.NONE,
            value=rounded(100 * changed),
            unit="% of the answers change" if one_class else "% of the spread of the outputs",
            expected=f"below {100 * MANY:g} %",
            meaning=f"The network does not have the {wanted} symmetry you asked for, or has not "
            "learned it yet."
            if many
            else f"The network has the {wanted} symmetry you asked for, on these samples.",
            advice=f"Augment the training data by {wanted}s, or use layers that have the symmetry."
            if many
            else "",
        )

    def _verdict(self, claimed: str, expected: Tensor, got: Tensor) -> Finding:
        scale = float(expected.cpu().double().pow(2).mean().sqrt()) or 1.0
        gap = float((expected - got).abs().max()) / scale
        broken = gap > TOLERANCE
        return self.finding(
            "Claimed symmetry is broken" if broken else "Claimed symmetry holds",
            severity=Severity.HIGH if broken else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            quantity="change of the output",
            value=rounded(gap),
            unit="times the size of the outputs",
            expected="0 up to rounding",
            meaning="The order of the elements of a set changes the answer, but should not."
            if broken
            else "The order of the elements of a set does not change the answer.",
            advice="Treat all elements in the same way, and then pool over the elements by sum, "
            "mean or maximum."
            if broken
            else "",
        )


def _shuffled(batch: Batch, x: Tensor, order: Tensor) -> Batch:
    return batch.with_inputs(x[:, order], *batch.tensors()[1:])
