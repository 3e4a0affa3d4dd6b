"""Advice that a machine can follow: the change is made in a copy, and the trial run repeated.

A finding names its remedy. It is confirmed if the changed run is clearly better than the user's, so
advice is given because it was seen to help.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor, nn

from corollary.core import Batch
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import trace_of
from corollary.exams.trial_run import Run, TrialRun
from corollary.theory.landscape.signal import matrix_weight
from corollary.theory.modules.trace import RECTIFIERS, SMOOTH

FEW = 16  # samples that show which operations there are
LARGER = 32  # samples of a batch, whose statistics are known to a quarter
MOST = 4  # remedies that are tried, each as much work as the trial run


def confirmed_by(trial: TrialRun, name: str) -> Run | None:
    """The run with a remedy, if the user's is bad beside it; each remedy is tried once."""
    tried: dict[str, Run | None] = trial.subject.memo.setdefault("remedies", {})
    if name not in tried:
        tried[name] = None
        if len(tried) <= MOST:
            run = REMEDIES[name](trial)
            tried[name] = run if trial.needs(run) else None
    return tried[name]


def fresh_start(trial: TrialRun) -> Run:
    """All matrices drawn with He's variance, recurrent ones orthogonal, biases at zero.

    Where nothing is rectified the variance is half of that (LeCun's), which keeps tanh in range.
    """
    with trial.subject.borrowed():
        ops = {call.op for call in trace_of(trial.subject, FEW).calls}
    gain = math.sqrt(2.0) if ops & {*RECTIFIERS, *SMOOTH} else 1.0
    return trial.with_change(partial(drawn_well, gain=gain))


def standardised_inputs(trial: TrialRun) -> Run:
    """Each float input without its mean and divided by its deviation, feature by feature."""
    return trial.with_change(_nothing, _changed(trial, standardised))


def divided_loss(trial: TrialRun) -> Run:
    """The loss divided by the number of samples of a batch."""
    subject = trial.subject

    def mean(raw: object, target: Tensor) -> Tensor:
        return subject.loss_of_raw(raw, target) / len(target)

    return trial.with_change(_nothing, loss=mean)


def larger_batches(trial: TrialRun) -> Run:
    """Batches of 32 and as many steps."""
    return trial.with_change(_nothing, batch_size=LARGER)


def standardised_targets(trial: TrialRun) -> Run:
    """Targets with mean 0 and deviation 1; errors are counted in deviations anyway."""
    batch = trial.subject.labelled()
    y = batch.target
    if not isinstance(y, Tensor) or "labels" in batch.named:
        raise NotApplicableError("the targets are not a tensor")
    return trial.with_change(_nothing, replace(batch, target=standardised(y.float())))


REMEDIES: dict[str, Callable[[TrialRun], Run]] = {
    "fresh start": fresh_start,
    "standardised inputs": standardised_inputs,
    "standardised targets": standardised_targets,
    "divided loss": divided_loss,
    "larger batches": larger_batches,
}


def drawn_well(model: nn.Module, *, gain: float) -> None:
    """Draw every matrix so that signals keep their size; one-dimensional parameters rest.

    Biases of layers with a matrix start at zero.
    """
    rng = torch.Generator().manual_seed(0)
    for module in model.modules():
        if isinstance(module, nn.RNNBase):
            for name, p in module.named_parameters(recurse=False):
                _draw_recurrent(name, p, module.hidden_size, rng)
            continue
        weight = matrix_weight(module)
        if isinstance(weight, nn.Parameter) and not weight.is_complex():
            fan = weight[0].numel()
            if "Conv1D" in type(module).__name__:  # of transformers: stored as (in, out)
                fan = len(weight)
            with torch.no_grad():
                drawn = torch.randn(weight.shape, generator=rng) * gain / math.sqrt(fan)
                weight.copy_(drawn.to(weight))
                bias = getattr(module, "bias", None)
                if isinstance(bias, nn.Parameter):
                    bias.zero_()


def standardised(x: Tensor) -> Tensor:
    """Each feature with mean 0 and deviation 1; constant ones at zero."""
    flat = x.reshape(len(x), -1)
    deviation = flat.std(0, unbiased=False)
    centred = flat - flat.mean(0)
    return torch.where(deviation > 0, centred / deviation.clamp(min=1e-30), 0.0).reshape(x.shape)


def _draw_recurrent(name: str, p: nn.Parameter, hidden: int, rng: torch.Generator) -> None:
    with torch.no_grad():
        if p.dim() < 2:
            p.zero_()
        elif name.startswith("weight_hh"):
            for block in p.split(hidden):
                q, _ = torch.linalg.qr(torch.randn(block.shape[::-1], generator=rng))
                block.copy_(q.T.to(block)[: len(block)])
        else:
            # As torch draws it: with a recurrent norm of one the inputs of all steps add up.
            p.copy_((torch.randn(p.shape, generator=rng) / math.sqrt(3 * hidden)).to(p))


def _changed(trial: TrialRun, change: Callable[[Tensor], Tensor]) -> Batch:
    batch = trial.subject.labelled()
    floats = [t.is_floating_point() and t.dim() > 1 for t in batch.tensors()]
    if not any(floats):
        raise NotApplicableError("no input has floating-point numbers")
    tensors = batch.tensors()
    changed = batch.with_inputs(
        *(change(t) if real else t for t, real in zip(tensors, floats, strict=True))
    )
    return replace(changed, target=batch.target)


def _nothing(_: nn.Module) -> None:
    return None


def try_remedy(trial: TrialRun, name: str) -> str:
    """What a remedy did, in a sentence; empty if it did not help or cannot be tried."""
    try:
        run = confirmed_by(trial, name)
    except (NotApplicableError, RuntimeError, ValueError):
        return ""
    if run is None:
        return ""
    if trial.run.risk is not None and run.risk is not None and trial.run.finite:
        before, after = trial.run.risk, run.risk
        return (
            f"After {trial.steps} steps of training {before.in_words(before.value)}; with this "
            f"change {after.in_words(after.value)}."
        )
    return (
        f"After {trial.steps} steps the loss is {trial.run.end:.3g}; with this change "
        f"{run.end:.3g}."
    )
