"""The projections inside of ``nn.MultiheadAttention``, which calls no layer for them.

It hands all of its weights to ``F.multi_head_attention_forward``. Here that call is met on its way:
queries, keys and values are projected by linear maps of their own, which can be noted; then the
function runs with identities in place of its weights, and what it gives is projected at the end.
A product with the identity is exact, so the module's output is the same up to the order of sums.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from corollary.theory.landscape.curvature.sites import Site

PARTS = ("query", "key", "value")
Note = Callable[[Site, Tensor, Tensor], Tensor]  # site, input, output; the output to go on with


class Projections(TorchFunctionMode):
    """Inside of this mode the projections are noted, for sites by weight and part."""

    def __init__(self, sites: Mapping[tuple[int, str], Site], note: Note) -> None:
        super().__init__()
        self.sites, self.note = sites, note

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Calls of attention are taken apart, others pass."""
        if func is not F.multi_head_attention_forward:
            return func(*args, **(kwargs or {}))
        given = inspect.signature(func).bind(*args, **(kwargs or {}))
        given.apply_defaults()
        return self._attention(func, given.arguments)

    def _attention(self, func: Callable[..., Any], given: dict[str, Any]) -> Any:
        apart = given["use_separate_proj_weight"]
        packed, bias = given["in_proj_weight"], given["in_proj_bias"]
        weights = [given[f"{p[0]}_proj_weight"] for p in PARTS] if apart else packed.chunk(3)
        owners = weights if apart else [packed] * 3
        biases = [None] * 3 if bias is None else bias.chunk(3)
        for part, owner, w, b in zip(PARTS, owners, weights, biases, strict=True):
            given[part] = self._projected(given[part], w, b, owner, part)
        last, last_bias = given["out_proj_weight"], given["out_proj_bias"]
        eye = torch.eye(len(last), dtype=last.dtype, device=last.device)
        given |= dict.fromkeys((f"{p[0]}_proj_weight" for p in PARTS), eye)
        given |= {"use_separate_proj_weight": True, "in_proj_weight": None, "in_proj_bias": None}
        given |= {"out_proj_weight": eye, "out_proj_bias": None}
        out, shares = func(**given)
        return self._projected(out, last, last_bias, last, ""), shares

    def _projected(
        self, x: Tensor, w: Tensor, b: Tensor | None, owner: Tensor, part: str
    ) -> Tensor:
        """A linear map of (positions, examples, features); one example has no axis of its own."""
        rows = x[None] if x.dim() == 2 else x.transpose(0, 1)
        z = F.linear(rows, w, b)
        site = self.sites.get((id(owner), part))
        z = z if site is None else self.note(site, rows, z)
        return z[0] if x.dim() == 2 else z.transpose(0, 1)
