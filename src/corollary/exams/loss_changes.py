"""Changes to the loss and its input: sign, penalties on weights, scale of the outputs, a bias."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from corollary.core import Subject
from corollary.errors import CorollaryError, NotApplicableError
from corollary.exams.network_changes import last_in_training
from corollary.exams.rewiring import hooked, without_call
from corollary.exams.runs import Run
from corollary.exams.trial_run import TrialRun, unchanged
from corollary.theory.modules.trace import Call

SCALING = ("div", "mul")  # operations that may multiply all outputs by one number
PARTS = 4  # of a stacked output: views, anchor and others
FAR = 10.0  # times: a factor that a learning rate does not make up for


def climbs(trial: TrialRun) -> bool:
    """Whether the optimizer maximises the loss."""
    optimizer = trial.subject.recipe.optimizer
    return optimizer is not None and any(g.get("maximize") for g in optimizer.param_groups)


def minimised(trial: TrialRun) -> Run:
    """The same optimizer, minimising the loss."""
    optimizer, _ = trial.subject.recipe.twin()
    for group in optimizer.param_groups:
        group["maximize"] = False
    return trial.with_change(unchanged, optimizer=optimizer)


def has_penalty(trial: TrialRun) -> bool:
    """Whether the loss depends on the weights directly, and not only through the outputs."""
    subject = trial.subject
    batch = subject.labelled(16)
    try:
        with subject.borrowed(train=True), torch.enable_grad():
            value = subject.loss_of_raw(_cut_off(subject.call(batch)), batch.target)
    except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
        return False
    return value.requires_grad


def no_penalty(trial: TrialRun) -> Run:
    """The loss without the part that depends on the weights directly."""
    subject = trial.subject

    def loss(raw: object, target: Tensor) -> Tensor:
        alone = subject.loss_of_raw(_cut_off(raw), target)
        # The difference is zero and has the gradient of the outputs' part.
        return subject.loss_of_raw(raw, target) - alone + alone.detach()

    return trial.with_change(unchanged, loss=loss)


def _cut_off(value: Any) -> Any:
    """The same outputs, detached from their graph."""
    if isinstance(value, Tensor):
        return value.detach()
    if isinstance(value, dict):
        return type(value)({k: _cut_off(v) for k, v in value.items()})
    if isinstance(value, tuple | list):
        return type(value)(map(_cut_off, value))
    raise NotApplicableError("the outputs are not tensors, lists of tensors or dicts of tensors")


def output_factor(trial: TrialRun) -> float:
    """The number by which the last operation multiplies all outputs; 1 if it does not multiply."""
    call = _last(trial)
    if call is None or call.op not in SCALING or call.x is None or call.x.shape != call.y.shape:
        return 1.0
    x, y = call.x.detach().cpu().double(), call.y.detach().cpu().double()
    factor = float((x * y).sum() / x.square().sum()) if float(x.square().sum()) > 0 else 1.0
    same = bool(torch.isclose(y, factor * x, rtol=1e-4, atol=1e-12).all())
    return factor if same and math.isfinite(factor) and factor > 0 else 1.0


def shrinks_or_grows(trial: TrialRun) -> bool:
    """Whether the last operation makes all outputs much smaller or larger."""
    return abs(math.log(output_factor(trial))) > math.log(FAR)


def unscaled(trial: TrialRun) -> Run:
    """The last operation passes on its input unchanged."""
    trace, last = last_in_training(trial.subject)
    assert last is not None, "the last operation multiplies"
    return trial.with_change(unchanged, around=without_call(trial.subject.model, trace, last))


def _last(trial: TrialRun) -> Call | None:
    return last_in_training(trial.subject)[1]


@dataclass(frozen=True)
class Unbiased:
    """A linear layer without a bias that computes the output."""

    name: str
    layer: nn.Linear


def unbiased(trial: TrialRun) -> Unbiased | None:
    """The last layer, if it is linear, computes the output itself and has no bias."""
    call = _last(trial)
    if call is None or not isinstance(call.module, nn.Linear) or call.module.bias is not None:
        return None
    return Unbiased(call.path, call.module)


def with_bias(trial: TrialRun) -> Run:
    """The last layer gets a bias, which is also trained."""
    found = unbiased(trial)
    if found is None:
        raise NotApplicableError("the last layer has a bias")
    bias = nn.Parameter(found.layer.weight.new_zeros(found.layer.out_features))
    optimizer, _ = trial.subject.recipe.twin()
    optimizer.add_param_group({"params": [bias]})

    def add(_module: nn.Module, _inputs: object, output: Tensor) -> Tensor:
        return output + bias

    return trial.with_change(unchanged, around=hooked(found.layer, add), optimizer=optimizer)


def ignored_parts(subject: Subject, output: Tensor, target: Tensor) -> list[int]:
    """Parts of a stacked output, such as views, that never get a gradient, whatever the outputs."""
    if output.dim() < 3 or not 2 <= output.shape[1] <= PARTS or output.shape == target.shape:
        return []
    if output.shape[:-1] == target.shape or output[:, 0].shape == target.shape:
        return []  # each has a label of its own, or they are scores of classes
    rng = subject.rng("ignored parts")
    drawn = torch.randn(output.shape, generator=rng).to(output).requires_grad_()
    with torch.enable_grad():
        (slope,) = torch.autograd.grad(subject.loss_of(drawn, target), drawn, allow_unused=True)
    if slope is None or not bool(torch.isfinite(slope).all()):
        return []
    reached = (slope != 0).transpose(0, 1).flatten(1).any(1)
    return (~reached).nonzero()[:, 0].tolist()


def ignored_outputs(subject: Subject, output: Tensor, target: Tensor) -> list[int]:
    """Output columns that never get a gradient for any outputs, although their targets vary.

    This is only for outputs in which each column has its own target.
    """
    if output.dim() != 2 or output.shape != target.shape or not target.is_floating_point():
        return []
    rng = subject.rng("ignored outputs")
    reached = torch.zeros(output.shape[1], dtype=torch.bool)
    for _ in range(2):
        drawn = torch.randn(output.shape, generator=rng).to(output).requires_grad_()
        with torch.enable_grad():
            value = subject.loss_of(drawn, target)
            (slope,) = torch.autograd.grad(value, drawn, allow_unused=True)
        if slope is None or not bool(torch.isfinite(slope).all()):
            return []
        reached |= (slope != 0).any(0)
    return [c for c in (~reached).nonzero()[:, 0].tolist() if float(target[:, c].std()) > 0]
