r"""Attention scores divided by d: what grows with the heads when they are divided by its root.

At the start queries and keys are independent, and :math:`q^\top k/\sqrt d` is of order one; once
they are trained they are not, and it grows like :math:`\sqrt d`. Scores divided by d do not.

:source: Yang, Hu, Babuschkin et al. (2022), "Tensor programs V", Definition 4.1.
"""

import math
from typing import Any

from torch import nn


def score_factors(model: nn.Module, base: nn.Module) -> dict[str, float]:
    r"""The factor :math:`\sqrt{d_0/d}` of the scores of every attention whose heads have grown.

    Attention is ``nn.MultiheadAttention``, or a module with a ``head_dim`` and the factor
    ``scaling`` of its scores, as those of transformers.

    Example:
        >>> score_factors(nn.MultiheadAttention(16, 2), nn.MultiheadAttention(4, 2))
        {'': 0.5}
    """
    found = {}
    for name, module in model.named_modules():
        d = getattr(module, "head_dim", None)
        scaled = isinstance(getattr(module, "scaling", None), float)
        if isinstance(d, int) and (scaled or isinstance(module, nn.MultiheadAttention)):
            d0 = base.get_submodule(name).head_dim
            if isinstance(d0, int) and d != d0:
                found[name] = math.sqrt(d0 / d)
    return found


def multiply_scores(attention: nn.Module, factor: float) -> None:
    """Multiply the scores of attention, by its own factor or by its queries."""
    if isinstance(attention, nn.MultiheadAttention):
        attention.register_forward_pre_hook(_with_query_times(factor), with_kwargs=True)
    else:
        scaled: Any = attention  # torch types attributes of modules as tensors
        scaled.scaling = float(scaled.scaling) * factor


def _with_query_times(factor: float) -> Any:
    def hook(_: nn.Module, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
        if inputs:
            return (inputs[0] * factor, *inputs[1:]), named
        return inputs, named | {"query": named["query"] * factor}

    return hook
