"""Kernels of torch that have second derivatives and forward derivatives.

The fused CPU kernels of scaled dot-product attention and of ``nn.LSTM`` are fast and lack them;
inside :func:`differentiable` torch uses the plain ones. Convolutions keep their fast kernels, which
have all derivatives and are ten times as fast.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from torch import _VF
from torch.nn.attention import SDPBackend, sdpa_kernel


@contextmanager
def differentiable() -> Iterator[None]:
    """Attention by its formula, and ``nn.LSTM`` without its fused CPU kernel.

    Example:
        >>> q = torch.randn(1, 1, 3, 2, dtype=torch.float64, requires_grad=True)
        >>> with differentiable():
        ...     f = torch.nn.functional.scaled_dot_product_attention(q, q, q).pow(2).sum()
        ...     (g,) = torch.autograd.grad(f, q, create_graph=True)
        ...     (h,) = torch.autograd.grad(g.sum(), q)
        >>> h.shape
        torch.Size([1, 1, 3, 2])
    """
    with sdpa_kernel(SDPBackend.MATH), _plain_lstm():
        yield


@contextmanager
def _plain_lstm() -> Iterator[None]:
    """``nn.LSTM`` reaches its kernel by this name; nested use is fine."""
    kernel, own = _VF.lstm, vars(_VF).get("lstm")

    def plain(*arguments: Any) -> Any:
        with _plain_kernels():
            return kernel(*arguments)

    _VF.lstm = plain
    try:
        yield
    finally:
        if own is None:
            del _VF.lstm
        else:
            _VF.lstm = own


def _plain_kernels() -> AbstractContextManager[None]:
    # The other flags keep their values: setting allow_tf32 warns on machines without such a GPU.
    return torch.backends.mkldnn.flags(
        enabled=False, deterministic=None, allow_tf32=None, fp32_precision=None
    )
