"""Gradients of every sample and output written out, for parameters that no rule covers."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.theory.kernels.empirical.samples import Inputs, Read, count, evaluate, rows
from corollary.theory.modules.differentiable import differentiable


def jacobian_rows(
    model: nn.Module,
    x: Inputs,
    read: Read | None,
    outputs: Sequence[int],
    parameters: Sequence[nn.Parameter],
) -> dict[nn.Parameter, Float[Tensor, "c n p"]]:
    """The gradients with respect to some parameters; a forward pass for every sample.

    Time: n forward and c n backward passes. Memory: c n p numbers.
    """
    found = [
        _of_one_sample(model, rows(x, slice(i, i + 1)), read, outputs, parameters)
        for i in range(count(x))
    ]
    return {p: torch.stack([row[k] for row in found], 1) for k, p in enumerate(parameters)}


def _of_one_sample(
    model: nn.Module,
    x: Inputs,
    read: Read | None,
    outputs: Sequence[int],
    parameters: Sequence[nn.Parameter],
) -> list[Tensor]:
    with differentiable(), torch.enable_grad():
        f = evaluate(model, x, read)[0]
        grads = [
            torch.autograd.grad(f[o], parameters, retain_graph=True, materialize_grads=True)
            for o in outputs
        ]
    return [torch.stack([g[k].flatten() for g in grads]) for k in range(len(parameters))]
