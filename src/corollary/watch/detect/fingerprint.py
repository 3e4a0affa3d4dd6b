"""One number per batch, by which a repeated batch is recognised."""

import torch

from corollary.watch.state import Pass

POINTS = 256  # values of a batch that make its fingerprint
WEIGHTS = torch.rand(POINTS, generator=torch.Generator().manual_seed(0))


def fingerprint(found_pass: Pass) -> int | None:
    """One number for the end of the first input; None if this would wait for a device.

    A random projection: sums would be equal for batches of one-hot rows.
    """
    first = found_pass.first()
    if first is None or first.device.type != "cpu" or first.numel() == 0:
        return None
    flat = first.detach().reshape(-1)[-POINTS:].float()
    weights = WEIGHTS if len(flat) == POINTS else WEIGHTS[: len(flat)]
    return hash((first.shape, float(flat @ weights)))
