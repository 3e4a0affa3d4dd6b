"""Run with torch's default settings, whatever the caller has set."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def torch_defaults() -> Iterator[None]:
    """Within the block gradients are on, and numbers are float32 and on the CPU by default.

    A claim draws in float64 and differentiates, so a notebook that has switched gradients off, or
    has another default dtype, must not change its result.

    Example:
        >>> import torch
        >>> with torch.no_grad(), torch_defaults():
        ...     torch.is_grad_enabled()
        True
    """
    import torch

    dtype = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        with ExitStack() as stack:
            stack.enter_context(torch.inference_mode(False))
            stack.enter_context(torch.enable_grad())
            if torch.is_autocast_enabled("cpu"):
                stack.enter_context(torch.autocast("cpu", enabled=False))
            if torch.get_default_device().type != "cpu":
                stack.enter_context(torch.device("cpu"))
            yield
    finally:
        torch.set_default_dtype(dtype)
