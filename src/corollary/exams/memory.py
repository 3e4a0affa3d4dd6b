"""How far back the last output of a network looks, and recurrent layers that remember longer."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from corollary.core import Batch, Subject
from corollary.errors import CorollaryError, NotApplicableError
from corollary.exams.runs import Run
from corollary.exams.trial_run import TrialRun, unchanged

SAMPLES = 16
FAINT = 1e-3  # of the strongest dependence: what a step of training sees as nothing
LONG = 20  # steps; of shorter sequences the memory is no question


def reach_of(slopes: Tensor) -> int:
    """Steps back at which the last output still depends on its input.

    Example:
        >>> reach_of(torch.tensor([1e-5, 1e-4, 0.1, 1.0]))
        2
    """
    return int((slopes.flip(0) > FAINT * slopes.max()).nonzero().max()) + 1


def slopes_in_time(subject: Subject) -> Tensor | None:
    """Mean length of the derivative of the last output with respect to the input of each step."""
    batch = subject.data(SAMPLES)
    tensors = batch.tensors()
    x = tensors[0] if tensors else None
    if x is None or x.dim() not in (2, 3):
        return None
    with subject.borrowed() as model:
        if x.is_floating_point() and x.dim() == 3:
            read = x.detach().clone().requires_grad_(True)
            output = subject.output(batch.with_inputs(read, *tensors[1:]))
        else:
            output, vectors = _with_vectors(subject, model, batch)
            if vectors is None:
                return None
            read = vectors
        if output.dim() == 3 and output.shape[1] == x.shape[1]:
            output = output[:, -1]
        signs = torch.randint(2, output.shape, generator=subject.rng("memory")) * 2 - 1
        (slope,) = torch.autograd.grad((output * signs.to(output)).sum(), read, allow_unused=True)
    if slope is None or not bool(slope.any()):
        return None
    lengths: Tensor = slope.square().sum(2).sqrt()
    return lengths.mean(0)


def _with_vectors(subject: Subject, model: nn.Module, batch: Batch) -> tuple[Tensor, Tensor | None]:
    """The output, and the token vectors that the first embedding returns."""
    seen: list[Tensor] = []

    def hook(_module: nn.Module, _inputs: object, output: Tensor) -> Tensor:
        if not seen and output.dim() == 3:
            seen.append(output.detach().requires_grad_(True))
            return seen[0]
        return output

    for module in model.modules():
        if isinstance(module, nn.Embedding):
            module.register_forward_hook(hook)
    output = subject.output(batch)
    return output, seen[0] if seen else None


def plain_layers(subject: Subject) -> list[tuple[nn.Module, str, nn.RNN]]:
    """Recurrent layers without gates: the module that holds each, its name there, the layer."""
    return [
        (parent, name, child)
        for parent in subject.model.modules()
        for name, child in parent.named_children()
        if type(child) is nn.RNN
    ]


def forgets(trial: TrialRun) -> bool:
    """Whether layers without gates read sequences of twenty steps and more."""
    x = next(iter(trial.subject.data(1).tensors()), None)
    long = x is not None and x.dim() > 1 and x.shape[1] >= LONG
    return long and bool(plain_layers(trial.subject))


def gated(trial: TrialRun) -> Run:
    """A GRU in place of each plain recurrent layer, with gates that start open for the sequence.

    The bias of the update gate is the logarithm of the length, so a state is kept for about that
    many steps (Tallec and Ollivier 2018, "Can recurrent neural networks warp time?").
    """
    layers = plain_layers(trial.subject)
    if not layers:
        raise NotApplicableError("there is no plain recurrent layer")
    length = trial.subject.data(1).tensors()[0].shape[1]
    made = [_gru(layer, length) for *_, layer in layers]
    optimizer, _ = trial.subject.recipe.twin()
    optimizer.add_param_group({"params": [p for m in made for p in m.parameters()]})
    with _swapped(layers, made):
        return trial.with_change(unchanged, optimizer=optimizer)


@contextmanager
def _swapped(layers: list[tuple[nn.Module, str, nn.RNN]], made: list[nn.GRU]) -> Iterator[None]:
    try:
        for (parent, name, _), layer in zip(layers, made, strict=True):
            parent._modules[name] = layer
        yield
    finally:
        for parent, name, plain in layers:
            parent._modules[name] = plain


def _gru(layer: nn.RNN, length: int) -> nn.GRU:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        made = nn.GRU(
            layer.input_size,
            layer.hidden_size,
            layer.num_layers,
            bias=True,
            batch_first=layer.batch_first,
            dropout=layer.dropout,
            bidirectional=layer.bidirectional,
        ).to(next(layer.parameters()))
    h = layer.hidden_size
    with torch.no_grad():
        for name, p in made.named_parameters():
            if name.startswith("bias_hh"):
                p[h : 2 * h] = math.log(length)  # of the gate that keeps the state
    return made


def forgotten(trial: TrialRun) -> str:
    """How far the last output looks back, in a sentence."""
    try:
        slopes = slopes_in_time(trial.subject)
    except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
        slopes = None
    what = "The gradient through a recurrent layer without gates shrinks at every step"
    if slopes is None:
        return f"{what}."
    return (
        f"{what}. Before training, the last output depends only on the last {reach_of(slopes)} "
        f"of {len(slopes)} time steps. The dependence on earlier time steps is a thousand times "
        "smaller."
    )
