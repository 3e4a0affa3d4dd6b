"""Dropout noise as a pure function of (seed, step), with the global generators left alone.

Layers such as ``nn.Dropout`` draw from torch's global generators and take no other. So the global
generators are set to a key for the length of one step and given back afterwards: the run is
reproducible and resumable, and the rest of the user's program does not notice it.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from torch import Generator

from corollary.core.randomness import derived_seed


def global_generators(devices: Iterable[torch.device]) -> list[Generator]:
    """Torch's own generators of the CPU and of the CUDA devices among ``devices``."""
    found = [torch.default_generator]
    for index in sorted({d.index or 0 for d in devices if d.type == "cuda"}):
        found.append(torch.cuda.default_generators[index])
    return found


@contextmanager
def keyed(generators: Iterable[Generator], seed: int, *names: str | int) -> Iterator[None]:
    """Within the block the generators start from (seed, names); afterwards they are as before.

    Example:
        >>> before = torch.get_rng_state()
        >>> with keyed(global_generators([]), 0, "noise", 5):
        ...     a = torch.rand(3)
        >>> with keyed(global_generators([]), 0, "noise", 5):
        ...     b = torch.rand(3)
        >>> bool((a == b).all()), bool((torch.get_rng_state() == before).all())
        (True, True)
    """
    key = derived_seed(seed, *names)
    kept = [(g, g.get_state()) for g in generators]
    try:
        for g, _ in kept:
            g.manual_seed(key)
        yield
    finally:
        for g, state in kept:
            g.set_state(state)
