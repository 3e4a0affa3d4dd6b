"""What counts as a mistake: wrong answers of a classifier, squared errors of a regression."""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from corollary.core import Batch, Count, Reading, Sample, Subject
from corollary.errors import CorollaryError, NotApplicableError
from corollary.exams.class_targets import as_classes, classes_last
from corollary.exams.loss_shares import ignored_classes
from corollary.exams.places import loss_shift
from corollary.exams.readings import between
from corollary.exams.target_use import exchanged, need_scores
from corollary.theory.generalization.deviations import hoeffding_deviation

LEVEL = 0.95  # of every interval of a risk
ROWS = 256  # samples passed at a time
MANY = 100  # classes: of more, single ones are not told
# Standard deviations by which targets are shifted to ask the loss, columns that are, and the share
# of a loss that counts as no difference.
OFF, COLUMNS, ROUNDING = 0.3, 8, 1e-3


@dataclass(frozen=True)
class Risk:
    """The risk of each sample, and the risk of the best constant answer."""

    each: Tensor  # share of wrong answers, or squared error in units of the targets' variance
    chance: float
    classes: bool
    of_class: dict[int, tuple[int, float]] = field(default_factory=dict)  # answers, share wrong

    @property
    def value(self) -> float:
        """The mean."""
        return float(self.each.mean())

    def reading(self) -> Reading:
        """The mean with an interval for the expected risk, if the samples were not trained on.

        Exact (Clopper and Pearson) for one answer per sample, Hoeffding's for a share of answers,
        Student's for squared errors.
        """
        n = len(self.each)
        if self.classes and bool(((self.each == 0) | (self.each == 1)).all()):
            return Count(int(self.each.sum()), n).read(LEVEL)
        if self.classes:
            half = hoeffding_deviation(n, 1 - LEVEL)
            return Reading(self.value, max(0.0, self.value - half), min(1.0, self.value + half))
        return Sample(self.each.tolist()).read(LEVEL)

    def said(self) -> Reading:
        """The same in the units of a finding: per cent of answers, or shares of the variance."""
        factor = 100 if self.classes else 1
        r = self.reading()
        return between(factor * r.value, factor * r.low, factor * r.high)

    @property
    def unit(self) -> str:
        """The unit of :meth:`said`."""
        return "% of answers wrong" if self.classes else "× variance (squared error)"

    def in_words(self, value: float) -> str:
        """A risk as a phrase of a sentence."""
        return f"{100 * value:.2g} % wrong" if self.classes else f"{value:.2g} of the variance"


def risk_of(subject: Subject, batch: Batch) -> Risk:
    """The risk of the module in its current state and mode.

    Raises:
        NotApplicableError: if outputs and targets are not of a known kind.
    """
    if not isinstance(batch.target, Tensor) or batch.target.dim() == 0:
        raise NotApplicableError("expected one target per sample, got none")
    signs = _signs(batch.target)
    labels = (batch.target > 0).long() if signs else as_classes(batch.target)
    batch = replace(batch, target=_marked(subject, labels))
    parts, targets, cut, numbers = [], [], None, False
    with torch.no_grad():
        for start in range(0, batch.size, ROWS):
            part = batch.slice(slice(start, min(start + ROWS, batch.size)))
            raw = subject.call(part)
            output, target = _aligned(subject, raw, part)
            output = classes_last(subject, output, target)
            numbers = numbers or start == 0 and _as_numbers(output, batch.target, target)
            target = target.to(output.dtype) if numbers else target
            if start == 0 and output.numel() == target.numel():
                cut = 0.0 if signs else _cut(subject, output, part.target)
            if start == 0 and output.dim() == 2 and target.dim() == 1 and not numbers:
                need_scores(subject, output, target.clamp(min=0))
            if start == 0 and target.is_floating_point():
                _need_same_units(subject, raw, output, target)
            parts.append(_mistakes(output.cpu(), target.cpu(), cut))
            targets.append(target.cpu())
    classes = not (numbers or batch.target.is_floating_point())
    wrong, target = torch.cat(parts), torch.cat(targets)
    if not bool(torch.isfinite(wrong).all()):
        raise NotApplicableError("the outputs are not finite")
    if not classes:
        each = wrong.reshape(len(wrong), -1).mean(1)
        return Risk(each / _variance(batch.target), 1.0, classes)
    counted = (target >= 0).reshape(len(target), -1)  # -100 marks what does not count
    chance = _chance(target)
    if not chance > 0:
        raise NotApplicableError("all labels are the same, so there is nothing to learn")
    each = (wrong.reshape(len(wrong), -1) * counted).sum(1) / counted.sum(1).clamp(
        min=1
    ).cpu().double()
    return Risk(each, chance, classes, _of_class(wrong, target))


def _marked(subject: Subject, target: Tensor) -> Tensor:
    """Class numbers, negative where the loss ignores a class."""
    if target.is_floating_point():
        return target
    for c in ignored_classes(subject):
        target = target.masked_fill(target == c, -100)
    return target


def _signs(target: Tensor) -> bool:
    """Whether the targets are -1 and 1, as losses with a margin take two classes."""
    return target.numel() == len(target) and target.unique().tolist() == [-1, 1]


def _as_numbers(output: Tensor, every: Tensor, target: Tensor) -> bool:
    """Whether one output predicts integers that are not two classes; these are then numbers."""
    one = output.numel() == target.numel() and not target.is_floating_point()
    return one and bool(((every < 0) | (every > 1)).any()) and bool((every >= 0).all())


def _need_same_units(subject: Subject, raw: Any, output: Tensor, target: Tensor) -> None:
    """Refuse outputs that are not estimates of the targets, such as logarithms of rates.

    Then the loss at the targets is larger than at their mean, or than at targets of which one
    column is shifted; or it is the same for targets that are shifted or stretched, as for ranks.
    """
    if output.numel() != target.numel():
        return
    mean, spread = target.mean(0), target.std(0, unbiased=False)
    rows = (OFF * spread).reshape(-1)
    shifts = (
        sign * torch.zeros_like(rows).index_fill_(0, torch.tensor([c]), 1.0) * rows
        for c in range(0, len(rows), max(1, len(rows) // COLUMNS))
        for sign in (1.0, -1.0)
    )
    by = target - mean
    others = [mean.expand_as(target), mean + 2 * by, mean + 10 * by, mean + 1000 * by]
    others += [target + rows.reshape(mean.shape)]
    others += [target + shift.reshape(mean.shape) for shift in shifts]
    try:
        at, off, stretched, near, far, shifted, *moved = (
            float(subject.loss_of_raw(exchanged(raw, output, t.reshape(output.shape)), target))
            for t in (target, *others)
        )
    except (CorollaryError, RuntimeError, ValueError, TypeError, IndexError):
        return
    if at - far > 1000 * (at - near) > 0:
        return  # it falls like minus a square: a term has the wrong sign
    tolerance = ROUNDING * max(abs(at), abs(off))
    flat = min(abs(stretched - at), abs(shifted - at)) <= ROUNDING * tolerance
    if flat or any(at > other + tolerance for other in (off, stretched, *moved)):
        raise NotApplicableError("outputs and targets are different kinds of quantity")


def _cut(subject: Subject, output: Tensor, target: Tensor) -> float | None:
    """The threshold of a single output between two classes, where the loss is the same for both."""
    for cut in (0.0, 0.5):
        at = torch.full_like(output, cut)
        try:
            zero, one = (
                float(subject.loss_of(at, torch.full_like(target, c).to(output))) for c in (0, 1)
            )
        except (CorollaryError, RuntimeError, ValueError, TypeError, IndexError):
            continue
        if math.isclose(zero, one, rel_tol=1e-3):
            return cut
    return None


def predicted(output: Tensor, target: Tensor, cut: float | None = None) -> Tensor:
    """The predicted class of each output, in the shape of the target.

    Args:
        output: Scores of the classes, or one number for two of them.
        target: Numbers of classes.
        cut: A single number above it means class 1; if None, probabilities are distinguished from
        logits by their range.
    """
    if output.numel() == target.numel() and bool(((target == 0) | (target == 1)).all()):
        flat = output.reshape(target.shape)
        if cut is None:
            cut = 0.5 if bool(((flat >= 0) & (flat <= 1)).all()) else 0.0
        return (flat > cut).to(target.dtype)
    if output.shape[:-1] == target.shape:
        return output.argmax(-1)
    if output.dim() == target.dim() + 1 and output[:, 0].shape == target.shape:
        return output.argmax(1)
    raise NotApplicableError(
        f"an output of shape {tuple(output.shape)} does not fit labels of shape "
        f"{tuple(target.shape)}"
    )


def _mistakes(output: Tensor, target: Tensor, cut: float | None) -> Tensor:
    if output.is_complex():
        raise NotApplicableError("expected real outputs, got complex ones")
    if target.is_floating_point():
        if output.numel() != target.numel():
            raise NotApplicableError(
                f"an output of shape {tuple(output.shape)} does not match a target of shape "
                f"{tuple(target.shape)}"
            )
        return (output.reshape(target.shape).cpu().double() - target.cpu().double()).square()
    wrong = (predicted(output, target, cut) != target).cpu().double()
    return _guessing(wrong, output, target, cut)


def _guessing(wrong: Tensor, output: Tensor, target: Tensor, cut: float | None) -> Tensor:
    """The same mistakes, with ties between the highest scores counted as a random guess.

    A network that gives all classes the same score is right as often as a guess, whichever class
    comes first.
    """
    if output.numel() == target.numel():
        tied = output.reshape(target.shape) == (math.nan if cut is None else cut)
        return torch.where(tied, 0.5, wrong)
    scores = output if output.shape[:-1] == target.shape else output.movedim(1, -1)
    best = scores == scores.amax(-1, keepdim=True)
    count = best.sum(-1)
    inside = best.gather(-1, target.clamp(0, scores.shape[-1] - 1)[..., None])[..., 0]
    return torch.where(count > 1, 1 - inside / count.clamp(min=1).cpu().double(), wrong)


def _of_class(wrong: Tensor, target: Tensor) -> dict[int, tuple[int, float]]:
    """The number of answers and the share of wrong ones per class; empty for very many classes."""
    classes, which = target.unique(return_inverse=True)
    if len(classes) > MANY:
        return {}
    n = torch.bincount(which.flatten())
    share = torch.bincount(which.flatten(), wrong.flatten()) / n
    pairs = zip(classes.tolist(), n.tolist(), share.tolist(), strict=True)
    return {c: (count, lost) for c, count, lost in pairs if c >= 0}


def _aligned(subject: Subject, raw: object, batch: Batch) -> tuple[Tensor, Tensor]:
    """Outputs and their targets; the loss may shift its labels itself."""
    output, target = subject.pick(raw), batch.target
    if output.dim() != 3 or target.dim() != 2 or target.is_floating_point():
        return output, target
    if "loss shift" not in subject.memo:
        with torch.enable_grad():
            subject.memo["loss shift"] = loss_shift(subject, raw, batch)
    shift = subject.memo["loss shift"] or 0
    if output.shape[:-1] != target.shape or shift <= 0:
        return output, target
    return output[:, :-shift], target[:, shift:]


def _chance(target: Tensor) -> float:
    counts = target[target >= 0].unique(return_counts=True)[1]
    return 1 - float(counts.max()) / float(counts.sum()) if len(counts) else 0.0


def _variance(target: Tensor) -> float:
    rows = target.cpu().double().reshape(len(target), -1)
    variance = float((rows - rows.mean(0)).square().mean())
    if not variance > 0:
        raise NotApplicableError("all targets are the same, so there is nothing to learn")
    return variance
