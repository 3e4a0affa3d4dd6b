"""Double precision where the device has it; some, such as MPS, do not."""

from functools import cache

import torch
from torch import Tensor


@cache
def has_float64(device: torch.device) -> bool:
    """Whether tensors of double precision can be on ``device``.

    Example:
        >>> has_float64(torch.device("cpu"))
        True
    """
    try:
        torch.empty(1, dtype=torch.float64, device=device)
    except (TypeError, RuntimeError):
        return False
    return True


def wide(x: Tensor) -> Tensor:
    """Real numbers in double precision: on their device if it has that, else on the CPU.

    Whole numbers stay as they are, and go along to the CPU.

    Example:
        >>> wide(torch.ones(2)).dtype, wide(torch.arange(2)).dtype
        (torch.float64, torch.int64)
    """
    here = x if has_float64(x.device) else x.cpu()
    return here.double() if x.is_floating_point() else here
