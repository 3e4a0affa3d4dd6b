"""The entropy of attention weights, divided by the entropy of equal weights."""

import torch
from torch import Tensor

EXAMPLES = 4  # of a batch whose attention is looked at


def normalized_entropy(scores: Tensor) -> float | None:
    """The mean entropy of softmax rows, divided by that of equal weights where scores are finite.

    Example:
        >>> normalized_entropy(torch.zeros(1, 4)), normalized_entropy(torch.tensor([[1e4, 0.0]]))
        (1.0, 0.0)
    """
    p = scores.float().softmax(-1).nan_to_num()  # rows without any place are left out below
    most = torch.isfinite(scores).sum(-1).float().log()
    entropy = -(p * p.clamp(min=1e-30).log()).sum(-1)
    there = most > 0
    if not bool(there.any()):
        return None
    return round(float((entropy[there] / most[there]).mean()), 6)
