"""What several exams look at: the tangent kernel, the passage of signals, and what time allows."""

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
    """How many samples can be passed forward and backward so many times in half the budget.

    Args:
        subject: What is examined.
        budget: What is left.
        passes: Of each sample, forward and backward.
        most: Samples that are enough.
        rows: Points passed forward beside that, whatever the number of samples.
        fewest: Samples that say something.

    Raises:
        TooMuchWorkError: if the fewest samples that say something take far too long.
    """
    a_sample = seconds_per_sample(subject)
    fewest = min(fewest, subject.most or fewest)
    least = (passes * min(fewest, most) + rows * FORWARD) * a_sample
    if least > budget.most:
        raise TooMuchWorkError(least)
    left = 0.5 * budget.left - rows * FORWARD * a_sample
    return max(fewest, min(most, int(left / (passes * a_sample + 1e-9))))


def affordable_points(subject: Subject, budget: Budget, most: int, fewest: int) -> int:
    """How many points, of a grid or on lines, can be passed forward.

    Raises:
        TooMuchWorkError: if the fewest that show something take far too long.
    """
    a_point = FORWARD * seconds_per_sample(subject) + 1e-12
    if fewest * a_point > budget.most:
        raise TooMuchWorkError(fewest * a_point)
    return max(fewest, min(most, int(min(budget.most, 1e9) / a_point)))


def tangent_kernel(subject: Subject, model: nn.Module, inputs: Any) -> Tensor:
    """The trace of the tangent kernel of the output, in double precision.

    Of many outputs (a word a position, say) some random combinations stand for all: with signs R
    the mean of the kernel of R f over R is the trace of that of f.
    """
    need_real_parameters(subject)
    try:
        return empirical_ntk(model, inputs, read=_few_outputs(subject)).double()
    except InputError as why:  # such as outputs that depend on the other samples of a batch
        raise NotApplicableError(f"the module has no tangent kernel: {why}") from None


def outputs_of(subject: Subject) -> int:
    """Outputs of a sample that a tangent kernel differentiates, each in a pass of its own."""
    with subject.borrowed(), torch.no_grad():
        return min(OUTPUTS, subject.output(subject.data(1)).numel())


def _few_outputs(subject: Subject) -> Callable[[Any], Tensor]:
    output = subject.output(subject.data(2))
    if not output.requires_grad:
        raise NotApplicableError("the output depends on no trainable parameter")
    if output.dim() == 0:
        raise NotApplicableError("the output is one number for all samples")
    c = output[0].numel()
    if c <= OUTPUTS:
        return subject.pick
    signs = torch.randint(2, (c, OUTPUTS), generator=subject.rng("outputs")) * 2 - 1
    mix = signs.to(output.detach()) / OUTPUTS**0.5
    return lambda raw: subject.pick(raw).flatten(1) @ mix


def trace_of(subject: Subject, n: int) -> Trace:
    """What is executed on at most ``n`` samples, with the statistics of the batch as in training.

    To be called inside ``subject.borrowed()``.
    """
    batch = subject.data(some_samples(subject, n))
    with steady(subject.model), torch.no_grad():
        return executed(subject.model, lambda: subject.call(batch))


def some_samples(subject: Subject, n: int) -> int:
    """At most ``n``, and no more than one pass of signals can take."""
    return max(FEWEST, min(n, int(SIGNAL / (seconds_per_sample(subject) + 1e-9))))


def signal_of(subject: Subject, model: nn.Module, n: int) -> Signal:
    """The passage of signals and gradients on at most ``n`` samples.

    The loss is differentiated where there is one, else a random projection of the output. Batch
    norm takes the statistics of the batch, as in training.
    """
    batch = subject.data(some_samples(subject, n))

    def scalar() -> Tensor:
        raw = subject.call(batch)
        if batch.target is None and "labels" not in batch.named:
            return random_projection(subject.pick(raw), rng=subject.rng("projection"))
        return subject.loss_of_raw(raw, batch.target)

    with steady(model):
        return measured_signal(model, scalar)
