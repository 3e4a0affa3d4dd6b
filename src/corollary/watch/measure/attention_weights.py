"""All attention calls of one pass, in any module.

``scaled_dot_product_attention`` gives queries and keys; a softmax over the last axis of a tensor
(batch, heads, queries, keys) or of square matrices is attention by hand, as in eager Hugging Face
models. The mode is entered for one sampled pass and costs a Python call per operation of that pass;
it does not change what the functions return.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from corollary.watch.measure.entropy import EXAMPLES, normalized_entropy

SOFTMAX = (F.softmax, torch.softmax, Tensor.softmax)
MASKED = -1e4  # scores from here down are masks, as the smallest number of half precision


class AttentionCalls(TorchFunctionMode):
    """Records the normalized entropy of each attention call of a pass.

    Args:
        told: Called with a name and the entropy.
    """

    def __init__(self, told: Callable[[str, float], None]) -> None:
        super().__init__()
        self.told, self.count, self.on = told, 0, False

    def start(self) -> None:
        """Look at the calls from now on."""
        if not self.on:
            mode: Any = self
            mode.__enter__()
            self.on = True

    def stop(self) -> None:
        """Leave the mode; calling this twice is harmless."""
        if self.on:
            self.on = False
            mode: Any = self
            mode.__exit__(None, None, None)

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        if func is F.scaled_dot_product_attention or func in SOFTMAX:
            with suppress(RuntimeError, TypeError, ValueError), torch.no_grad():
                self._see(func, args, kwargs or {})
        return out

    def _see(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        dense = func is F.scaled_dot_product_attention
        scores = _of_dot_product(*args, **kwargs) if dense else _of_softmax(*args, **kwargs)
        found = None if scores is None else normalized_entropy(scores)
        if found is not None:
            self.count += 1
            self.told(f"attention {self.count}", found)


def _of_dot_product(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    **_: Any,
) -> Tensor | None:
    if query.shape[:-2] != key.shape[:-2] or query.dim() < 3:
        return None  # grouped queries
    q, k = query[:EXAMPLES].float(), key[:EXAMPLES].float()
    scores = q @ k.mT * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if is_causal:
        ones = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
        scores = scores.masked_fill(ones.triu(1), -math.inf)
    if attn_mask is not None:
        mask = attn_mask[:EXAMPLES] if attn_mask.dim() == query.dim() else attn_mask
        hidden = ~mask if mask.dtype == torch.bool else mask < MASKED
        scores = scores if mask.dtype == torch.bool else scores + mask.float()
        scores = scores.masked_fill(hidden, -math.inf)
    return scores


def _of_softmax(input: Tensor, dim: int | None = None, *args: Any, **kwargs: Any) -> Tensor | None:
    shape = input.shape
    square = len(shape) == 3 and shape[-1] == shape[-2]
    if dim not in (-1, len(shape) - 1) or not (len(shape) == 4 or square) or shape[-1] < 2:
        return None
    scores = input[:EXAMPLES].float()
    return scores.masked_fill(scores < MASKED, -math.inf)
