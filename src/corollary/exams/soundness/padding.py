"""Padding and masks.

Sequences of different lengths are padded to the same length, and a mask marks the padding. The
content of the padding must not matter. It is replaced by other tokens, and the outputs at all other
positions are compared.

:source: Vaswani et al. (2017), "Attention is all you need", Section 3.2.3, on masking; Devlin et
    al. (2019), "BERT", Section 3.
:kind: exam
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Batch, Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import rounded

SAMPLES = 8
MASKS = ("attention_mask", "mask", "padding_mask", "src_key_padding_mask", "key_padding_mask")
PADDED = 4  # a quarter of the positions becomes padding
# A masked score is a large negative number, whose exponential is zero: nothing is left of it but a
# difference of kernels, some units in the last place.
TOLERANCE = 1e-4


class Padding(Exam):
    """Change the masked inputs and compare the other outputs."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The exam is for modules that take a mask by name next to token ids or sequences."""
        batch = subject.data(SAMPLES)
        name = next((m for m in MASKS if isinstance(batch.named.get(m), Tensor)), None)
        if name is None:
            raise NotApplicableError("no input is named like a mask")
        mask = batch.named[name]
        sequences = {
            k: v
            for k, v in batch.named.items()
            if isinstance(v, Tensor) and v.shape[:2] == mask.shape and k not in (name, "labels")
        }
        if mask.dim() != 2 or mask.shape[1] < PADDED or not sequences:
            raise NotApplicableError("there is no sequence that the mask belongs to")
        cut = mask.shape[1] - mask.shape[1] // PADDED
        ones_count = not name.endswith("key_padding_mask")
        with subject.borrowed(), torch.no_grad():
            one = subject.output(_padded(batch, name, sequences, cut, ones_count, 0))
            two = subject.output(_padded(batch, name, sequences, cut, ones_count, 1))
        if one.dim() > 1 and one.shape[1] == mask.shape[1]:
            one, two = one[:, :cut], two[:, :cut]
        scale = float((one.cpu().double() - one.cpu().double().mean()).abs().max()) or 1.0
        gap = float((one - two).cpu().double().abs().max()) / scale
        leaks = gap > TOLERANCE
        yield self.finding(
            "Padding changes the answers" if leaks else "Padding does not matter",
            severity=Severity.HIGH if leaks else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            where=name,
            quantity="change of the outputs",
            value=rounded(gap) if leaks else None,
            unit="times the spread of the outputs",
            expected="0",
            meaning="Changing tokens at masked positions changes the outputs at other positions."
            if leaks
            else "Changing tokens at masked positions does not change the outputs.",
            advice="Pass the mask to every attention layer, pool only over positions that are not "
            "padding, and check whether 0 or 1 means padding."
            if leaks
            else "",
            explains=("generalization/*", "learning/*") if leaks else (),
        )


def _padded(
    batch: Batch, name: str, sequences: dict[str, Tensor], cut: int, ones: bool, shift: int
) -> Batch:
    """The batch with its last positions masked and filled with values of other samples."""
    mask = batch.named[name].clone()
    mask[:, cut:] = 0 if ones else 1
    changed = {name: mask}
    for key, x in sequences.items():
        other = x.clone()
        other[:, cut:] = x[:, cut:].roll(shift, 0).flip(1) if shift else x[:, cut:]
        changed[key] = other
    return Batch(batch.inputs, batch.named | changed, batch.target)
