r"""The gradient of one sample with respect to the parameters of one layer, in factors.

With :math:`g^o_{is} = \partial f_o(x_i)/\partial h_s`, h the output of the layer at place s, the
gradient of its weight is a sum over places,

.. math:: \frac{\partial f_o(x_i)}{\partial W} = \sum_s g^o_{is}\,a_{is}^\top ,

with :math:`a_{is}` what the layer sees there: its input, a patch, or the unit vector of a token.
The bias has the same with a = 1; norms multiply coordinate by coordinate.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from corollary.theory.kernels.empirical.patches import Convolution, patches


@dataclass(frozen=True)
class Outer:
    """Gradients that are sums over places s of :math:`g a^T`."""

    a: Float[Tensor, "n s a"]
    g: Float[Tensor, "c n s g"]
    bias: bool = False  # whether a bias (a = 1 at every place) goes with the weight

    def explicit(self) -> Float[Tensor, "c n p"]:
        """The gradients themselves, as torch lays out the weight: (g, a)."""
        return (self.g.mT @ self.a).flatten(2)


@dataclass(frozen=True)
class Tokens:
    """The same for an embedding, where a is the unit vector of a token."""

    ids: Tensor  # (n, s)
    g: Float[Tensor, "c n s g"]
    rows: int  # of the weight

    def explicit(self) -> Float[Tensor, "c n p"]:
        """The gradients themselves: rows of the weight that occur, zeros elsewhere."""
        c, n, _, wide = self.g.shape
        out = self.g.new_zeros(c, n, self.rows, wide)
        index = self.ids[None, :, :, None].expand(self.g.shape)
        return out.scatter_add_(2, index, self.g).flatten(2)

    def outer(self) -> Outer:
        """Unit vectors of those tokens that occur, so that the vocabulary does not count."""
        seen, ids = self.ids.unique(return_inverse=True)
        ones = functional.one_hot(ids, len(seen)).to(self.g.dtype)
        return Outer(ones, self.g)


@dataclass(frozen=True)
class Explicit:
    """Gradients written out, for layers with few parameters."""

    j: Float[Tensor, "c n p"]

    def explicit(self) -> Float[Tensor, "c n p"]:
        """The gradients themselves."""
        return self.j


Factors = Outer | Tokens | Explicit


@dataclass(frozen=True)
class Rule:
    """How the gradients of a layer's parameters come from its input and the output's gradient.

    ``weight(module, a, g)`` and ``bias(module, a, g)`` take a with samples along its first axis and
    g with outputs first and samples second.
    """

    weight: Callable[[Any, Tensor, Tensor], Factors]
    bias: Callable[[Any, Tensor, Tensor], Explicit]
    fused: bool = False  # the bias may ride on the weight's factors


def _linear(module: nn.Linear, a: Tensor, g: Tensor) -> Outer:
    n, c = len(a), len(g)
    return Outer(a.reshape(n, -1, a.shape[-1]), g.reshape(c, n, -1, g.shape[-1]))


def _last_axis(module: nn.Module, a: Tensor, g: Tensor) -> Explicit:
    c, n = g.shape[:2]
    return Explicit(g.reshape(c, n, -1, g.shape[-1]).sum(2))


def _convolution(module: Convolution, a: Tensor, g: Tensor) -> Outer | Explicit:
    c, n = g.shape[:2]
    seen = patches(a, module)  # (n, groups, a, t)
    if module.groups == 1:
        return Outer(seen[:, 0].mT, g.reshape(c, n, g.shape[2], -1).mT)
    by_group = g.reshape(c, n, module.groups, g.shape[2] // module.groups, -1)
    return Explicit((by_group @ seen.mT).flatten(2))


def _channels(module: nn.Module, a: Tensor, g: Tensor) -> Explicit:
    return Explicit(g.flatten(3).sum(3) if g.dim() > 3 else g)


def _embedding(module: nn.Embedding, a: Tensor, g: Tensor) -> Tokens:
    ids = a.reshape(len(a), -1)
    g = g.reshape(len(g), len(a), -1, g.shape[-1])
    if module.padding_idx is not None:
        g = g * (ids != module.padding_idx)[None, :, :, None]
    return Tokens(ids, g, module.num_embeddings)


def _plain(module: nn.Module, a: Tensor) -> Tensor:
    """The layer without scale and shift."""
    if isinstance(module, nn.GroupNorm):
        return functional.group_norm(a, module.num_groups, None, None, module.eps)
    if isinstance(module, nn.LayerNorm):
        return functional.layer_norm(a, module.normalized_shape, None, None, module.eps)
    if isinstance(module, nn.RMSNorm):
        return functional.rms_norm(a, module.normalized_shape, None, module.eps)
    assert isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d | nn.BatchNorm3d)
    mean, var = module.running_mean, module.running_var
    return functional.batch_norm(a, mean, var, None, None, False, 0.0, module.eps)


def _scaled_channels(module: nn.Module, a: Tensor, g: Tensor) -> Explicit:
    return _channels(module, a, g * _plain(module, a))


def _scaled_last(module: nn.LayerNorm | nn.RMSNorm, a: Tensor, g: Tensor) -> Explicit:
    return _shifted_last(module, a, g * _plain(module, a))


def _shifted_last(module: nn.LayerNorm | nn.RMSNorm, a: Tensor, g: Tensor) -> Explicit:
    c, n = g.shape[:2]
    size = torch.Size(module.normalized_shape).numel()
    return Explicit(g.reshape(c, n, -1, size).sum(2))


RULES: dict[type[nn.Module], Rule] = {
    nn.Linear: Rule(_linear, _last_axis, fused=True),
    nn.Conv1d: Rule(_convolution, _channels, fused=True),
    nn.Conv2d: Rule(_convolution, _channels, fused=True),
    nn.Conv3d: Rule(_convolution, _channels, fused=True),
    nn.Embedding: Rule(_embedding, _last_axis),
    nn.LayerNorm: Rule(_scaled_last, _shifted_last),
    nn.RMSNorm: Rule(_scaled_last, _shifted_last),
    nn.GroupNorm: Rule(_scaled_channels, _channels),
    nn.BatchNorm1d: Rule(_scaled_channels, _channels),
    nn.BatchNorm2d: Rule(_scaled_channels, _channels),
    nn.BatchNorm3d: Rule(_scaled_channels, _channels),
}


def rule_of(module: nn.Module) -> Rule | None:
    """The rule of a layer, or None where it does more than the layer it derives from.

    A subclass with a ``forward`` of its own, a reparametrised weight, or an embedding that rescales
    its rows has none: such parameters are differentiated one sample at a time.
    """
    for kind, rule in RULES.items():
        if isinstance(module, kind) and type(module).forward is kind.forward:
            plain = "weight" in module._parameters and set(module._parameters) <= {"weight", "bias"}
            odd = getattr(module, "max_norm", None) or getattr(module, "scale_grad_by_freq", False)
            return rule if plain and not odd else None
    return None
