"""The work of a pass, counted and not timed, so that every machine uses the same samples.

A nominal machine does ``FLOPS`` multiplications and additions per second, writes ``WRITES``
numbers, and starts ``CALLS`` operations. These are the speeds of one core of 2024 in torch. Another
machine is faster or slower, but the amount of work is the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from corollary.core import Subject
from corollary.theory.robustness.certificates.clock import going_by

FLOPS, WRITES, CALLS = 6e10, 1e9, 2e5
COUNTED = 4e4  # operations that are started in a second while they are counted
KEY = "work per sample"  # in the subject's memo
FEW, SAMPLES = 2, 16
LARGE = 0.02  # nominal seconds a sample: what an operation starts with is then little of it


class Meter(TorchDispatchMode):
    """Counts the work of the operations inside it, in seconds of the nominal machine.

    Example:
        >>> with Meter() as meter:
        ...     _ = torch.ones(100, 100) @ torch.ones(100, 100)
        >>> 1e-5 < meter.seconds < 1e-3
        True
    """

    def __init__(self, calls: float = CALLS) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seconds, self.calls = 0.0, calls

    def __torch_dispatch__(  # the signature is torch's
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Run an operation and add its work."""
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        self.seconds += 1 / self.calls
        count = flop_registry.get(func.overloadpacket)
        if count is not None:
            self.seconds += float(count(*args, **kwargs, out_val=out)) / FLOPS
        self.seconds += _numbers(out) / WRITES
        return out


@contextmanager
def clock_of_work() -> Iterator[None]:
    """Proofs inside the block are limited by work, so that every machine proves the same."""
    with Meter(COUNTED) as meter, going_by(lambda: meter.seconds):
        yield


def seconds_per_sample(subject: Subject) -> float:
    """Nominal seconds for one sample forward and backward, measured in a small batch."""
    if KEY not in subject.memo:
        a_sample = _metered(subject, FEW)
        subject.memo[KEY] = a_sample if a_sample > LARGE else _metered(subject, SAMPLES)
    found: float = subject.memo[KEY]
    return found


def _metered(subject: Subject, n: int) -> float:
    """The work of one sample, from a pass of ``n`` samples."""
    batch = subject.data(n)
    with subject.borrowed(), Meter() as meter:
        output = subject.output(batch)
        parameters = list(subject.parameters().values())
        if output.requires_grad and parameters:
            torch.autograd.grad(output.abs().sum(), parameters, allow_unused=True)
    seconds: float = meter.seconds / batch.size
    return seconds


def _numbers(out: Any) -> int:
    if isinstance(out, Tensor):
        return out.numel()
    return sum(map(_numbers, out)) if isinstance(out, list | tuple) else 0
