r"""Features that the output depends on.

The squared derivative of the outputs with respect to an input feature is averaged over samples and
outputs and multiplied by the variance of the feature. To first order, this is how much of the
change of the output is due to the feature. A feature whose derivative is zero at all samples is not
read at all; if it varies from sample to sample, a slice, a mask or a stride has cut it off. If one
feature accounts for nearly everything, check whether it leaks the target. For token ids, the token
at each position is replaced by the token of another sample, and the outputs are compared.

:source: Simonyan, Vedaldi and Zisserman (2014), "Deep inside convolutional networks: visualising
    image classification models and saliency maps"; Sobol and Kucherenko (2009), "Derivative based
    global sensitivity measures".
:kind: exam
"""

import math
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from corollary.core import (
    Batch,
    Budget,
    Evidence,
    Exam,
    Figure,
    Finding,
    HeatMap,
    Points,
    Severity,
    Subject,
)
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import affordable
from corollary.exams.linear_reference import predict_targets
from corollary.exams.readings import counted, rounded
from corollary.exams.scales import float_inputs
from corollary.exams.small_step import small_step
from corollary.exams.trial_run import trial_run_of
from corollary.exams.work import seconds_per_sample

SAMPLES, DIRECTIONS, FEWEST = 128, 8, 2  # combinations of the outputs that are differentiated
POSITIONS = 64  # of token ids that are looked at
MOST_ROWS = 1024  # numbers of a sample that a linear model is given
FEW = 16  # samples below which a feature is not said to be ignored
# A tenth of the features ignored is more than the odd one; ReLU networks at the start ignore none.
MANY = 0.1
MOST = 0.95  # of all sensitivity in one of several features


class FeaturesRead(Exam):
    """Sensitivity to each input feature."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """One finding per input, with an alarm for features that vary but are not read."""
        rows = affordable(subject, budget, FEWEST, SAMPLES, fewest=FEW)
        fit = int(budget.left / (rows * seconds_per_sample(subject) + 1e-12))  # passes
        batch, directions = subject.data(rows), max(FEWEST, min(DIRECTIONS, fit))
        positions = max(POSITIONS // 8, min(POSITIONS, 3 * fit))  # each is a pass forward
        floats = {k: x for k, x in float_inputs(batch).items() if x.dim() > 1}
        ids = _ids(batch)
        if batch.size < FEW or not (floats or ids):
            raise NotApplicableError(
                f"this exam needs {FEW} samples with several features each, or sequences of tokens"
            )
        unread: list[Tensor] = []
        with subject.borrowed():
            x = list(floats.values())
            slopes = _slopes(subject, batch, x, directions) if x else []
            if any(bool((s == 0).any()) for s in slopes):
                slopes = _slopes_later(subject, batch, x, slopes, directions)
            blind = floats and not any(bool(s.any()) for s in slopes)
            if blind and any(_moves(subject, batch, t, torch.tensor(True)) for t in x):
                raise NotApplicableError(
                    "the output changes with the input, but its derivative is zero, as in "
                    "quantised networks and in networks with step functions"
                )
            for of, slope in zip(x, slopes, strict=True):
                zero = (slope == 0) & (of.detach().cpu().double().var(0, unbiased=False) > 0)
                unread.append(zero & (not _moves(subject, batch, of, zero)))
            effects = (
                [] if floats else [_effects(subject, batch, of, positions) for of in ids.values()]
            )
        for name, slope, ignored in zip(floats, slopes, unread, strict=True):
            told = self._told(subject, budget, floats[name], ignored)
            yield self._features(name, floats[name], slope, ignored, told)
        for name, effect in zip(ids, effects, strict=False):
            told = self._told(subject, budget, ids[name][:, : len(effect)], effect == 0)
            yield self._positions(name, effect, told)

    def _told(self, subject: Subject, budget: Budget, x: Tensor, unread: Tensor) -> bool:
        """Whether errors remain, and the unread features say something about the targets."""
        return (
            bool(unread.any()) and _errors_left(subject, budget) and _they_tell(subject, x, unread)
        )

    def _features(self, name: str, x: Tensor, slope: Tensor, unread: Tensor, told: bool) -> Finding:
        variance = x.detach().cpu().double().var(0, unbiased=False)
        varies = variance > 0
        sensitivity = slope * variance
        ignored = int(unread.sum())
        share = ignored / max(int(varies.sum()), 1)
        if share > MANY:
            n = int(varies.sum())
            return self._ignored(name, ignored, n, "features", sensitivity, told)
        total, top = float(sensitivity.sum()), sensitivity.flatten().argmax()
        most = float(sensitivity.flatten()[top]) / total if total > 0 else 0.0
        alone = most > MOST and int(varies.sum()) >= 4
        read = float(sensitivity.sum().square() / sensitivity.square().sum()) if total > 0 else 0.0
        place = _place(int(top), x.shape[1:])
        return self.finding(
            "The network reads one feature only" if alone else "Features it reads",
            severity=Severity.LOW if alone else Severity.NONE,
            where=name,
            quantity="effective number",
            value=rounded(read),
            unit=f"of {int(varies.sum())} features",
            expected="more than one" if alone else "",
            meaning=f"To first order, feature {place} accounts for {100 * most:.0f} % of the "
            "change of the output"
            + ("." if not ignored else f"; {ignored} features are not read."),
            advice=f"Check that feature {place} does not reveal the target (data leakage)."
            if alone
            else "",
            figures=(_figure(sensitivity),),
            details={"largest_share": most, "feature": place, "ignored": ignored},
        )

    def _positions(self, name: str, effect: Tensor, told: bool) -> Finding:
        effect = effect[~effect.isnan()]
        ignored, n = int((effect == 0).sum()), len(effect)
        if ignored / n > MANY:
            return self._ignored(name, ignored, n, "positions", effect, told)
        read = float(effect.sum().square() / effect.square().sum()) if bool(effect.any()) else 0.0
        return self.finding(
            "Positions it reads",
            where=name,
            quantity="effective number",
            value=rounded(read),
            unit=f"of {n} positions",
            meaning=f"Replacing a token changes the output at all positions except {ignored}."
            if ignored
            else "Replacing a token changes the output at every position.",
            figures=(_figure(effect),),
        )

    def _ignored(
        self, name: str, ignored: int, n: int, what: str, effect: Tensor, told: bool
    ) -> Finding:
        blind = ignored == n
        return self.finding(
            "The network does not read its input"
            if blind
            else f"The network does not read some {what}",
            severity=Severity.HIGH if blind else Severity.MEDIUM,
            evidence=Evidence.CONFIRMED if blind or told else Evidence.PREDICTED,
            where=name,
            value=counted(ignored),
            unit=f"of {n} {what} that differ between samples",
            expected="0",
            meaning=f"The output does not depend on these {what} for any sample."
            + (f" A linear model predicts the targets from these {what} alone." if told else ""),
            advice="Look for a slice, a mask or a stride that removes these values, or for "
            "dead units.",
            figures=(_figure(effect),),
        )


def _slopes(subject: Subject, batch: Batch, floats: list[Tensor], directions: int) -> list[Tensor]:
    """Mean square derivative of random combinations of the outputs, in each feature."""
    marked = {id(x): x.detach().clone().requires_grad_(True) for x in floats}
    tensors = [marked.get(id(t), t) for t in batch.tensors()]
    output = subject.output(batch.with_inputs(*tensors))
    if output.is_complex() or not output.requires_grad or output.dim() == 0:
        raise NotApplicableError("the output has no derivative with respect to the inputs")
    leaves, rng = list(marked.values()), subject.rng("features read")
    total = [torch.zeros(x.shape[1:], dtype=torch.float64) for x in leaves]
    for _ in range(directions):
        signs = torch.randint(2, output.shape, generator=rng).to(output) * 2 - 1
        found = torch.autograd.grad(
            output, leaves, signs, retain_graph=True, allow_unused=True, materialize_grads=True
        )
        for t, g in zip(total, found, strict=True):
            t += g.detach().cpu().double().square().mean(0) / directions
    return total


def _slopes_later(
    subject: Subject, batch: Batch, floats: list[Tensor], before: list[Tensor], directions: int
) -> list[Tensor]:
    """The same after two small training steps, so that zero initial weights hide no feature."""
    try:
        for _ in range(2):
            small_step(subject, SAMPLES)
    except NotApplicableError:
        return before  # without targets there is no step to make
    after = _slopes(subject, batch, floats, directions)
    return [a + b for a, b in zip(before, after, strict=True)]


def _moves(subject: Subject, batch: Batch, x: Tensor, which: Tensor) -> bool:
    """Whether the output changes when samples take these features of each other.

    It may while the derivative is zero: links of a graph, codes, thresholds.
    """
    if not bool(which.any()):
        return False
    other = torch.where(which.to(x.device), x.roll(1, 0), x)
    tensors = [other if t is x else t for t in batch.tensors()]
    with torch.no_grad():
        before, after = subject.output(batch), subject.output(batch.with_inputs(*tensors))
    return not torch.equal(before, after)


def _errors_left(subject: Subject, budget: Budget) -> bool:
    """Whether a trial run leaves errors that more inputs could remove; true if there is none."""
    try:
        return trial_run_of(subject, budget).run.wrong > MANY
    except NotApplicableError:
        return True


def _they_tell(subject: Subject, x: Tensor, unread: Tensor) -> bool:
    """Whether the features that are not read say something about the targets."""
    target = subject.data(len(x)).target
    rows = x.detach()[:, unread].reshape(len(x), -1)
    if not x.is_floating_point():
        rows = F.one_hot(rows, int(rows.max()) + 1).reshape(len(x), -1)
    every = max(1, rows.shape[1] // MOST_ROWS)
    return predict_targets(rows[:, ::every].cpu().double().cpu(), target)


def _ids(batch: Batch) -> dict[str, Tensor]:
    """Inputs that are sequences of integers, except the labels."""
    named = {f"input {i}": v for i, v in enumerate(batch.inputs)} | batch.named
    return {
        k: v
        for k, v in named.items()
        if k != "labels"
        and isinstance(v, Tensor)
        and v.dim() == 2
        and not v.is_floating_point()
        and bool((v != v[:1]).any())
    }


def _effects(subject: Subject, batch: Batch, x: Tensor, positions: int) -> Tensor:
    """Mean square change of the output when a position takes the token of another sample."""
    effects = []
    with torch.no_grad():
        before = subject.output(batch).cpu().double()
        for position in range(min(x.shape[1], positions)):
            other = x.clone()
            other[:, position] = x[:, position].roll(1)
            if torch.equal(other, x):
                effects.append(torch.tensor(math.nan))  # such as padding: nothing to compare
                continue
            tensors = [other if t is x else t for t in batch.tensors()]
            after = subject.output(batch.with_inputs(*tensors)).cpu().double()
            effects.append((after - before).square().mean())
    return torch.stack(effects).cpu()


def _place(index: int, shape: torch.Size) -> str:
    where = torch.unravel_index(torch.tensor(index), shape)
    return ", ".join(str(int(i)) for i in where)


def _figure(effect: Tensor) -> Figure:
    share = effect / effect.sum().clamp(min=1e-300)
    if share.dim() >= 2 and min(share.shape[-2:]) > 1:
        image = share.reshape(-1, *share.shape[-2:]).sum(0)
        rows, columns = image.shape
        mark = HeatMap(image.flip(0).tolist(), (0.0, columns), (0.0, rows), label="share")
        return Figure("What it reads", x="column", y="row from below", marks=(mark,))
    flat = share.flatten()[:512]
    points = Points(
        list(range(len(flat))), flat.tolist(), label="share of the change of the output"
    )
    return Figure("What it reads", x="feature", y="share", marks=(points,))
