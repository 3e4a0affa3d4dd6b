r"""Alignment of next-token targets.

A causal language model reads tokens up to position :math:`t` and has to predict the token at
:math:`t + 1`. The shift by one is made once: by the data set, or by the loss (as the models of
Hugging Face do with ``labels``). If it is made twice, the model has to predict the token after the
next one. If it is not made at all, the model has to predict the token it reads, and simply copies
it. The gradients of the loss show which target each output is compared with, and the data shows
which input token that is.

:source: Radford et al. (2019), "Language models are unsupervised multitask learners", Section 2, on
    the factorisation into next tokens.
:kind: exam
"""

from collections.abc import Iterator

from torch import Tensor

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.loss_shares import ignored_classes
from corollary.exams.places import asked_offset
from corollary.exams.readings import counted, rounded
from corollary.exams.soundness.causality import looks_ahead

SAMPLES = 16
MOST = 0.5  # of the rows: padding that ends them, and not a token that is left out somewhere
EXPLAINS = ("trainability/*", "learning/*", "generalization/*", "function/*", "soundness/causality")


class AskedPlaces(Exam):
    """How far ahead is the token that each position has to predict?"""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The exam is for token inputs whose targets are tokens of the same sequence."""
        batch = subject.labelled(SAMPLES)
        with subject.borrowed():
            offset = asked_offset(subject, batch)
        if offset is None:
            raise NotApplicableError("the targets are not the tokens of the input, shifted or not")
        yield from self._end(subject)
        ahead = looks_ahead(subject)
        twice = offset > 1 and ahead is not True
        copied = offset < 1 and ahead is False
        yield self.finding(
            "The labels are shifted twice"
            if twice
            else "The labels are not shifted"
            if copied
            else "Each position predicts the next token"
            if offset == 1
            else "The targets are the input",
            severity=Severity.HIGH if twice or copied else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            quantity="distance from a position to the token it has to predict",
            value=counted(offset),
            unit="positions ahead",
            expected="1, if each output reads only positions up to its own",
            meaning="The targets are already shifted, and the loss shifts them again. Every "
            "position therefore has to predict a token after the next one."
            if twice
            else "Each position has to predict a token that the network has already read. "
            "The network learns to copy, its loss falls to 0, and it cannot generate "
            "text."
            if copied
            else "Inputs, targets and loss agree on the positions.",
            advice="Shift the labels once. If the loss shifts the labels itself, pass labels "
            "equal to the input ids; otherwise pass targets x[:, 1:]."
            if twice
            else "Shift the labels by one: inputs x[:, :-1] and targets x[:, 1:] (next token)."
            if copied
            else "",
            change="- labels = ids[:, 1:]\n+ labels = ids"
            if twice
            else "- x, y = ids, ids\n+ x, y = ids[:, :-1], ids[:, 1:]"
            if copied
            else "",
            explains=EXPLAINS if twice or copied else (),
        )

    def _end(self, subject: Subject) -> Iterator[Finding]:
        """Whether the loss leaves out the token that ends a sequence."""
        found = end_left_out(subject)
        if found is None:
            return
        token, share = found
        yield self.finding(
            "The end of a sequence is not learned",
            severity=Severity.MEDIUM,
            evidence=Evidence.CONFIRMED,
            value=rounded(100 * share),
            unit=f"% of the rows end with a target {token} that the loss ignores",
            expected="0 %: the first end of each row counts",
            meaning=f"Token {token} follows the last token of a row, and the loss ignores this "
            "token as padding (ignore_index). The network is never trained to predict the "
            "end, so generated text does not stop.",
            advice="Give padding its own token (pad_token different from eos_token). Or set the "
            f"labels after the first token {token} of a row to -100, so that only the first "
            f"token {token} counts in the loss.",
            change=f"- nn.CrossEntropyLoss(ignore_index={token})\n"
            "+ labels[after_the_first_end] = -100\n+ nn.CrossEntropyLoss()",
        )


def end_left_out(subject: Subject) -> tuple[int, float] | None:
    """A token that fills rows after their ends and that the loss ignores, and the share of rows.

    If another token ends every row, as it should, the network learns the end before the padding.
    """
    batch = subject.all_labelled()
    x = next((t for t in batch.tensors() if t.dim() == 2 and not t.is_floating_point()), None)
    y = batch.target
    if x is None or not isinstance(y, Tensor) or y.shape != x.shape:
        return None
    for token in ignored_classes(subject):
        last = (y == token) & (x != token)  # what stands before the first of them
        rows = last.any(1)
        share = float(rows.cpu().double().mean())
        if share > MOST and len(x[last].unique()) > 2:
            return token, share
    return None
