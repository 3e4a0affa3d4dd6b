"""Kernels of torch that have second derivatives and forward derivatives.

The fused CPU kernels of scaled dot-product attention and of ``nn.LSTM`` are fast and lack them;
inside :func:`differentiable` torch uses the plain ones. The switch is made module by module: all
other layers keep their fast kernels (convolutions, which have all derivatives, are ten times as
fast with them).
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)


@contextmanager
def differentiable() -> Iterator[None]:
    """Attention by its formula, and ``nn.LSTM`` without its fused CPU kernel; may be nested.

    Example:
        >>> q = torch.randn(1, 1, 3, 2, dtype=torch.float64, requires_grad=True)
        >>> with differentiable():
        ...     f = torch.nn.functional.scaled_dot_product_attention(q, q, q).pow(2).sum()
        ...     (g,) = torch.autograd.grad(f, q, create_graph=True)
        ...     (h,) = torch.autograd.grad(g.sum(), q)
        >>> h.shape
        torch.Size([1, 1, 3, 2])
    """
    with sdpa_kernel(SDPBackend.MATH), ExitStack() as plain:

        def before(module: nn.Module, inputs: Any) -> None:
            if isinstance(module, nn.LSTM) and torch.backends.mkldnn.enabled:
                # The other flags keep their values: setting allow_tf32 warns without such a GPU.
                flags = torch.backends.mkldnn.flags(
                    enabled=False, deterministic=None, allow_tf32=None, fp32_precision=None
                )
                plain.enter_context(flags)

        def after(module: nn.Module, inputs: Any, output: Any) -> None:
            if isinstance(module, nn.LSTM):
                plain.close()

        first = register_module_forward_pre_hook(before)
        last = register_module_forward_hook(after, always_call=True)  # also after an error
        try:
            yield
        finally:
            first.remove()
            last.remove()
