"""A trial: the network is trained briefly on half of the samples; the other half is held back.

A network that has learned the samples already starts the trial from new weights, so that the
held-back half is new to it; any other network starts with its present weights.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from corollary.core import Batch, Budget, Subject
from corollary.core.default_losses import Loss
from corollary.core.randomness import derived_seed
from corollary.errors import NotApplicableError, TooMuchWorkError
from corollary.exams.linear_reference import linear_fit_generalises
from corollary.exams.risks import Risk, risk_of
from corollary.exams.work import seconds_per_sample
from corollary.train import fit
from corollary.train.loss_landscape import need_real_parameters

STEPS, FEWEST = 150, 20  # of a trial, and those below which nothing can be said
ROWS = 32  # of a step
RATE = 3e-3  # Adam's: in all steps together each weight can move by about a half
SAMPLES, LEAST = 512, 64  # that are split into halves
LARGER = 2048  # that are looked at before it is said that nothing can be learned
# Of the risk by chance: who is below has learned these samples; who is above with 95 % confidence
# does no better than a constant, but for a fifth.
LEARNED, NO_BETTER = 0.6, 0.8


@dataclass(frozen=True)
class Trial:
    """The two halves and the steps; the same for all trials of a subject."""

    subject: Subject
    train: Batch
    rest: Batch
    steps: int
    fresh: bool  # whether weights are drawn anew before

    def run(self, order: Tensor | None = None) -> list[float]:
        """Train the module in place, with the labels in another order if one is given.

        To be called inside ``subject.borrowed()``; the module is left in evaluation mode. Returns
        the losses.
        """
        subject, data = self.subject, self.train if order is None else relabelled(self.train, order)
        if self.fresh:
            drawn_anew(subject.model, subject.seed)

        def call(model: nn.Module, loss: Loss, rows: Tensor) -> Tensor:
            batch = data.slice(rows)
            return loss(model(*batch.inputs, **batch.named), batch.target)

        history = fit(
            subject.model,
            (torch.arange(data.size),),
            subject.loss_of_raw,
            partial(torch.optim.Adam, lr=RATE),
            steps=self.steps,
            batch_size=min(ROWS, data.size),
            rng=subject.seed,
            on_nan="stop",
            call=call,
            sharding="none",
        )
        subject.model.eval()
        return history.losses


@dataclass(frozen=True)
class Outcome:
    """The outcome of a trial with the true labels."""

    trial: Trial
    losses: list[float]
    train: Risk
    rest: Risk


def no_better(risk: Risk) -> bool:
    """Whether unseen samples are answered no better than by a constant, with 95 % confidence.

    With a rare class or few samples the interval is wide, and the answer is no.
    """
    return risk.reading().low > NO_BETTER * risk.chance


def lost(found: Outcome) -> bool:
    """Whether neither the network nor a linear fit beats a constant answer on held-back samples.

    If a least-squares fit to half of the samples beats a constant answer on the others, inputs and
    labels belong together, and the network only has too few samples.
    """
    if not no_better(found.rest):
        return False
    return not linear_fit_generalises(found.trial.subject.all_labelled().first(LARGER))


def trial_of(subject: Subject, budget: Budget) -> Outcome:
    """Run the trial; exams share it.

    Raises:
        NotApplicableError: if the module cannot be trained on half of the samples within the
        budget.
    """
    if "trial" not in subject.memo:
        trial = _prepared(subject, budget)
        with subject.borrowed():
            losses = trial.run()
            found = Outcome(
                trial, losses, risk_of(subject, trial.train), risk_of(subject, trial.rest)
            )
        subject.memo["trial"] = found
    done: Outcome = subject.memo["trial"]
    return done


def relabelled(batch: Batch, order: Tensor) -> Batch:
    """The same inputs with the targets in another order."""
    named = batch.named
    if "labels" in named:
        named = named | {"labels": named["labels"][order]}
    return replace(batch, named=named, target=batch.target[order])


def drawn_anew(model: nn.Module, seed: int) -> list[str]:
    """Redraw all weights by ``reset_parameters``; returns the names of those that no layer redraws.

    Example:
        >>> drawn_anew(nn.Sequential(nn.Linear(2, 2), nn.LayerNorm(2)), 0)
        []
    """
    before = {k: p.detach().clone() for k, p in model.named_parameters()}
    # Not the seed itself: a module that was built with it would be drawn as it is.
    torch.manual_seed(derived_seed(seed, "drawn anew"))
    for module in model.modules():
        reset: Any = getattr(module, "reset_parameters", None)
        if callable(reset):
            reset()
    return [
        name
        for name, p in model.named_parameters()
        if torch.equal(p.detach(), before[name]) and bool((p != p.flatten()[0]).any())
    ]


def _prepared(subject: Subject, budget: Budget) -> Trial:
    need_real_parameters(subject)
    batch = subject.all_labelled().first(min(SAMPLES, max(LEAST, subject.most or SAMPLES)))
    if batch.size < LEAST:
        raise NotApplicableError(
            f"this exam holds back half of the samples, and {batch.size} samples are too few "
            f"to split; pass at least {LEAST}"
        )
    half = batch.size // 2 if batch.size < 2 * ROWS else batch.size // 2 // ROWS * ROWS
    steps = _affordable(subject, budget, min(ROWS, half))
    with subject.borrowed():
        now = risk_of(subject, batch)
    fresh = now.value < LEARNED * now.chance
    if fresh:
        with subject.borrowed():
            kept = drawn_anew(subject.model, subject.seed)
        if kept:
            raise NotApplicableError(
                "the network has learned these samples already, and its weights cannot be "
                f"reinitialised ('{kept[0]}' has no reset_parameters); pass samples that the "
                "network has not seen"
            )
    order = torch.randperm(batch.size, generator=subject.rng("trial"))
    return Trial(subject, batch.slice(order[:half]), batch.slice(order[half:]), steps, fresh)


def _affordable(subject: Subject, budget: Budget, rows: int) -> int:
    """Steps that fit into the larger part of the budget."""
    a_sample = seconds_per_sample(subject) + 1e-12
    steps = min(STEPS, int(0.6 * budget.left / (rows * a_sample)))
    if steps < FEWEST:
        least = FEWEST * rows * a_sample
        if least > budget.most:
            raise TooMuchWorkError(least)
    return max(steps, FEWEST)
