"""The weight of each class in the data, in the loss, and in what the network learns."""

import math
from dataclasses import replace

import torch

from corollary.core import Batch, Budget, Subject
from corollary.errors import NotApplicableError
from corollary.exams.class_targets import class_numbers
from corollary.exams.loss_shares import share_of_loss
from corollary.exams.risks import Risk
from corollary.exams.trial_run import trial_run_of, unchanged

IGNORED = -100  # the label that torch's losses leave out
GAIN = 0.1  # of the answers of a class: what balance must gain


def gain_of_balance(subject: Subject, budget: Budget, ignored: int | None) -> str:
    """Errors of the trial run averaged over the classes, compared with balanced classes.

    Returns a sentence if balancing removes half of the errors, otherwise an empty string.

    Args:
        subject: The subject that is examined.
        budget: The budget of the trial run.
        ignored: The class of padding, to be left out; None to draw all classes equally often.
    """
    try:
        trial = trial_run_of(subject, budget)
        changed = _without(subject, ignored) if ignored is not None else _balanced(subject)
        run = trial.with_change(unchanged, changed)
    except (NotApplicableError, RuntimeError, ValueError, IndexError):
        return ""
    before, after = (_class_errors(r.risk, ignored) for r in (trial.run, run))
    if not (after < 0.5 * before and before - after > GAIN):
        return ""
    what = "with padding left out" if ignored is not None else "with equally frequent classes"
    return (
        f"After {trial.steps} steps of training, the error rate averaged over the classes is "
        f"{100 * before:.0f} %. In a run {what}, this error rate is {100 * after:.0f} %."
    )


def _class_errors(risk: Risk | None, ignored: int | None) -> float:
    """The share of wrong answers, averaged over the classes; NaN if it is not known."""
    if risk is None:
        return math.nan
    shares = [wrong for c, (_, wrong) in risk.of_class.items() if c != ignored]
    return sum(shares) / len(shares) if shares else math.nan


def _balanced(subject: Subject) -> Batch:
    """As many samples as before, drawn so that all classes have the same share of the loss."""
    batch = subject.all_labelled()
    target = class_numbers(batch.target)
    if target is None or target.dim() != 1:
        raise NotApplicableError("the targets are not one class per sample")
    classes, which, counts = target.unique(return_inverse=True, return_counts=True)
    shares = share_of_loss(subject, classes)
    shares = counts.cpu().double() if shares is None else shares.clamp(min=1e-12)
    chosen = torch.multinomial(
        1 / shares[which], batch.size, True, generator=subject.rng("balance")
    )
    return batch.slice(chosen)


def _without(subject: Subject, ignored: int) -> Batch:
    """The same samples, with one class replaced by -100, which torch's losses ignore."""
    batch = subject.all_labelled()
    return replace(batch, target=batch.target.masked_fill(batch.target == ignored, IGNORED))


def padding_in_words(subject: Subject, frequent: int) -> str:
    """Whether the most frequent label is padding: the same token up to the end of the rows."""
    batch = subject.all_labelled()
    x = next((t for t in batch.tensors() if t.shape == batch.target.shape), None)
    if x is None or x.is_floating_point() or x.dim() != 2:
        return ""
    there = batch.target == frequent
    token = x[there].unique()
    ends = bool((there[:, 1:] >= there[:, :-1]).all())  # once it begins it goes on
    if len(token) != 1 or not ends:
        return ""
    share = float(there.cpu().double().mean())
    return (
        f"{100 * share:.0f} % of the labels are {frequent}, all at the end of rows where the "
        f"input is {int(token)}. This label is padding, so most of the loss comes from padding."
    )
