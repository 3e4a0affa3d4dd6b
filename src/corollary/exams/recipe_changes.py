"""Changes to the data and to the recipe that can be tried: scales, learning rates, order, steps."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor
from torch.optim import Optimizer

from corollary.core import Batch
from corollary.core.recipe import ADAM
from corollary.errors import NotApplicableError
from corollary.exams.runs import Run
from corollary.exams.trial_run import TrialRun, unchanged

LARGER = 32  # samples of a batch, whose statistics are known to a quarter
LONGER = 4  # times the planned steps
CLIP = 1.0  # length of a gradient, as recurrent networks and transformers are trained with


def standardised_inputs(trial: TrialRun) -> Run:
    """Each feature of a float input minus its mean, divided by its standard deviation."""
    return trial.with_change(unchanged, _changed(trial, standardised))


def moved_channels(trial: TrialRun) -> Run:
    """Channels-last images that were read as channels-first, with their axes permuted."""
    batch = trial.subject.all_labelled()
    x, *rest = batch.tensors()
    if x.dim() != 4:
        raise NotApplicableError("the inputs are not images")
    n, c, h, w = x.shape
    moved = batch.with_inputs(x.reshape(n, h, w, c).permute(0, 3, 1, 2), *rest)
    return trial.with_change(unchanged, replace(moved, target=batch.target))


def standardised_targets(trial: TrialRun) -> Run:
    """Targets with mean 0 and standard deviation 1; errors are measured in these units anyway."""
    batch = trial.subject.all_labelled()
    y = batch.target
    if not isinstance(y, Tensor) or "labels" in batch.named:
        raise NotApplicableError("the targets are not a tensor")
    return trial.with_change(unchanged, replace(batch, target=standardised(y.float())))


def divided_loss(trial: TrialRun) -> Run:
    """The loss divided by the number of samples of a batch."""
    subject = trial.subject

    def mean(raw: object, target: Tensor) -> Tensor:
        return subject.loss_of_raw(raw, target) / len(target)

    return trial.with_change(unchanged, loss=mean)


def larger_batches(trial: TrialRun) -> Run:
    """Batches of 32, for the same number of steps."""
    return trial.with_change(unchanged, batch_size=LARGER)


def no_decay(trial: TrialRun) -> Run:
    """The same optimizer without weight decay."""
    return trial.with_change(unchanged, optimizer=_set(trial, weight_decay=0.0))


def constant_rate(trial: TrialRun) -> Run:
    """The same optimizer without its schedule, at the learning rate that it was given.

    A schedule changes the rate when it is created, so the optimizer holds the rate of the first
    step.
    """
    optimizer, _ = trial.subject.recipe.twin()
    for group in optimizer.param_groups:
        group["lr"] = float(group.get("max_lr", group.get("initial_lr", group["lr"])))
    return trial.with_change(unchanged, optimizer=optimizer)


def at_rate(trial: TrialRun, factor: float) -> Run:
    """Every learning rate times a factor, without a schedule."""
    optimizer, _ = trial.subject.recipe.twin()
    for group in optimizer.param_groups:
        group["lr"] = float(group["lr"]) * factor
    return trial.with_change(unchanged, optimizer=optimizer)


def no_momentum(trial: TrialRun) -> Run:
    """The same optimizer without momentum."""
    return trial.with_change(unchanged, optimizer=_set(trial, momentum=0.0, nesterov=False))


def plain_adam(trial: TrialRun) -> Run:
    """Adam with torch's own settings."""
    adam = torch.optim.Adam(trial.subject.parameters().values(), lr=ADAM)
    return trial.with_change(unchanged, optimizer=adam)


def all_parameters(trial: TrialRun) -> Run:
    """The missing parameters are added to the optimizer, with the settings of its first group."""
    optimizer, _ = trial.subject.recipe.twin()
    owned = {id(p) for group in optimizer.param_groups for p in group["params"]}
    missing = [p for p in trial.subject.parameters().values() if id(p) not in owned]
    optimizer.add_param_group({"params": missing})
    return trial.with_change(unchanged, optimizer=optimizer)


def squared_error(trial: TrialRun) -> Run:
    """The mean squared error in place of the user's loss."""
    pick = trial.subject.pick

    def loss(raw: object, target: Tensor) -> Tensor:
        output = pick(raw)
        return (output - target.reshape(output.shape).to(output)).square().mean()

    return trial.with_change(unchanged, loss=loss)


def clipped(trial: TrialRun) -> Run:
    """Gradients clipped to a norm of at most 1."""
    return trial.with_change(unchanged, clip=CLIP)


def shuffled_order(trial: TrialRun) -> Run:
    """Batches of random samples in place of the loader's order."""
    return trial.with_change(unchanged, shuffled=True)


def more_steps(trial: TrialRun) -> Run:
    """Four times the steps."""
    return trial.with_change(unchanged, steps=LONGER * trial.steps)


def _set(trial: TrialRun, **settings: float) -> Optimizer:
    """A twin of the user's optimizer with other settings."""
    optimizer, _ = trial.subject.recipe.twin()
    for group in optimizer.param_groups:
        group.update({key: value for key, value in settings.items() if key in group})
    return optimizer


def standardised(x: Tensor) -> Tensor:
    """Each feature with mean 0 and standard deviation 1; constant features become zero."""
    flat = x.reshape(len(x), -1)
    deviation = flat.std(0, unbiased=False)
    centred = flat - flat.mean(0)
    return torch.where(deviation > 0, centred / deviation.clamp(min=1e-30), 0.0).reshape(x.shape)


def _changed(trial: TrialRun, change: Callable[[Tensor], Tensor]) -> Batch:
    batch = trial.subject.all_labelled()
    floats = [t.is_floating_point() and t.dim() > 1 for t in batch.tensors()]
    if not any(floats):
        raise NotApplicableError("no input has floating-point numbers")
    tensors = batch.tensors()
    changed = batch.with_inputs(
        *(change(t) if real else t for t, real in zip(tensors, floats, strict=True))
    )
    return replace(changed, target=batch.target)
