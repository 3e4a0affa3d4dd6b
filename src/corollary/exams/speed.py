"""How fast a module is, so that an exam takes no more samples than its time allows."""

import time

import torch

from corollary.core import Subject

KEY = "seconds per sample"  # in the subject's memo


def seconds_per_sample(subject: Subject) -> float:
    """Seconds for one sample forward and backward, measured once."""
    if KEY not in subject.memo:
        batch = subject.data(16)
        seconds: list[float] = []
        with subject.borrowed():
            while not seconds or (len(seconds) < 2 and seconds[0] < 1.0):  # the first may warm up
                start = time.monotonic()
                output = subject.output(batch)
                if output.requires_grad:
                    torch.autograd.backward(output.abs().sum())
                seconds.append(time.monotonic() - start)
        subject.memo[KEY] = min(seconds) / batch.size
    found: float = subject.memo[KEY]
    return found
