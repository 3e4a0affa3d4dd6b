"""What several exams share: the tangent kernel, the signals per layer, and affordable sizes."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from corollary.core import Budget, Subject
from corollary.errors import InputError, NotApplicableError, TooMuchWorkError
from corollary.exams.modes import steady
from corollary.exams.work import seconds_per_sample
from corollary.theory.kernels.empirical import empirical_ntk
from corollary.theory.landscape.signal import Signal, measured_signal, random_projection
from corollary.theory.modules.trace import Trace, executed
from corollary.train.loss_landscape import need_real_parameters

OUTPUTS = 32  # of a tangent kernel
FEWEST = 8  # samples below which nothing is learned
FORWARD = 1 / 3  # of a pass forward and backward
SIGNAL = 2.0  # nominal seconds that one passage of signals may take


def affordable(
    subject: Subject,
    budget: Budget,
    passes: float,
    most: int,
    *,
    rows: int = 0,
    fewest: int = FEWEST,
) -> int:
    """How many samples can be passed forward and backward ``passes`` times in half the budget.

    Args:
        subject: The subject that is examined.
        budget: The budget of the exam.
        passes: Forward and backward passes per sample.
        most: The largest useful number of samples.
        rows: Additional points passed forward, whatever the number of samples.
        fewest: The smallest useful number of samples.

    Raises:
        TooMuchWorkError: if even the smallest useful number of samples takes far too long.
    """
    a_sample = seconds_per_sample(subject)
    fewest = min(fewest, subject.most or fewest)
    least = (passes * min(fewest, most) + rows * FORWARD) * a_sample
    if least > budget.most:
        raise TooMuchWorkError(least)
    left = 0.5 * budget.left - rows * FORWARD * a_sample
    return max(fewest, min(most, int(left / (passes * a_sample + 1e-9))))


def affordable_points(subject: Subject, budget: Budget, most: int, fewest: int) -> int:
    """How many points of a grid, or on lines, can be passed forward within the budget.

    Raises:
        TooMuchWorkError: if even the smallest useful number of points takes far too long.
    """
    a_point = FORWARD * seconds_per_sample(subject) + 1e-12
    if fewest * a_point > budget.most:
        raise TooMuchWorkError(fewest * a_point)
    return max(fewest, min(most, int(min(budget.most, 1e9) / a_point)))


def tangent_kernel(subject: Subject, model: nn.Module, inputs: Any) -> Tensor:
    """The trace of the tangent kernel of the output, in double precision.

    If there are many outputs (one word per position, for example), random combinations replace
    them: for random signs R, the mean of the kernel of R f over R is the trace of the kernel of f.
    """
    need_real_parameters(subject)
    try:
        return empirical_ntk(model, inputs, read=_few_outputs(subject)).cpu().double()
    except InputError as why:  # such as outputs that depend on the other samples of a batch
        raise NotApplicableError(f"the module has no tangent kernel: {why}") from None


def outputs_of(subject: Subject) -> int:
    """The number of outputs per sample that the tangent kernel differentiates, one by one."""
    with subject.borrowed(), torch.no_grad():
        return min(OUTPUTS, subject.output(subject.data(1)).numel())


def _few_outputs(subject: Subject) -> Callable[[Any], Tensor]:
    output = subject.output(subject.data(2))
    if not output.requires_grad:
        raise NotApplicableError("the output does not depend on any trainable parameter")
    if output.dim() == 0:
        raise NotApplicableError("the output is a single number for the whole batch")
    c = output[0].numel()
    if c <= OUTPUTS:
        return subject.pick
    signs = torch.randint(2, (c, OUTPUTS), generator=subject.rng("outputs")) * 2 - 1
    mix = signs.to(output.detach()) / OUTPUTS**0.5
    return lambda raw: subject.pick(raw).flatten(1) @ mix


def trace_of(subject: Subject, n: int) -> Trace:
    """The operations executed on at most ``n`` samples, with batch statistics as in training.

    To be called inside ``subject.borrowed()``.
    """
    batch = subject.data(some_samples(subject, n))
    with steady(subject.model), torch.no_grad():
        return executed(subject.model, lambda: subject.call(batch))


def some_samples(subject: Subject, n: int) -> int:
    """At most ``n`` samples, and no more than one pass of signals can handle."""
    return max(FEWEST, min(n, int(SIGNAL / (seconds_per_sample(subject) + 1e-9))))


def signal_of(subject: Subject, model: nn.Module, n: int) -> Signal:
    """Signals and gradients through the layers on at most ``n`` samples.

    The loss is differentiated if there is one, otherwise a random projection of the output. Batch
    norm uses the statistics of the batch, as in training.
    """
    batch = subject.data(some_samples(subject, n))

    def scalar() -> Tensor:
        raw = subject.call(batch)
        if batch.target is None and "labels" not in batch.named:
            return random_projection(subject.pick(raw), rng=subject.rng("projection"))
        return subject.loss_of_raw(raw, batch.target)

    with steady(model):
        return measured_signal(model, scalar)
