r"""Layers as :math:`z_t = W a_t`: what is kept of a call, inputs and gradients by position.

* A linear layer, a projection of attention, the ``Conv1D`` of Hugging Face's transformers (known
  by its name): :math:`a_t` is a token, or the input itself.
* A convolution: :math:`a_t` is the patch that output position t sees.
* An embedding: :math:`a_t` is the unit vector of a token, and W the transposed table.
* The scale and shift of a normalisation, :math:`z_t = w \odot \hat x_t + b`: as many numbers as
  outputs, so their block is kept whole. With :math:`a = 1` and
  :math:`g = \sum_t (g_t \odot \hat x_t, g_t)` it is the second moment of g, exactly.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from corollary.theory.landscape.curvature.kronecker import Form
from corollary.theory.landscape.curvature.moments import Inputs, Tokens

CONVOLUTIONS = (nn.Conv1d.forward, nn.Conv2d.forward)
NORMALISATIONS = (nn.LayerNorm.forward, nn.RMSNorm.forward)


class Site(ABC):
    """A layer, or one of the projections of attention, with the calls it gets."""

    def __init__(
        self, layer: nn.Module, name: str, outputs: int, form: Form = "beside", part: str = ""
    ) -> None:
        self.layer, self.name, self.outputs = layer, name, outputs
        self.form = form  # how weight and bias make a matrix
        self.part = part  # query, key or value, for the weights of attention

    @abstractmethod
    def kept(self, x: Tensor) -> Tensor:
        """What is kept of a call's input, a row for each example."""

    @abstractmethod
    def inputs(
        self, calls: Sequence[Tensor], weight: bool, bias: bool, dtype: torch.dtype
    ) -> Inputs:
        """What weight and bias multiply, by position, from what was kept of all calls."""

    @abstractmethod
    def slopes(self, call: Tensor, g: Tensor, weight: bool, bias: bool) -> Float[Tensor, "n t o"]:
        """Gradients with respect to a call's output, by position."""

    def joined(self, calls: Sequence[Tensor]) -> Float[Tensor, "n t o"]:
        """Gradients of all calls: each has positions of its own."""
        return side_by_side(calls)


class Linear(Site):
    """``x @ W.T + b``, or ``x @ W + b`` in the transposed form."""

    def kept(self, x: Tensor) -> Tensor:
        """Examples by positions."""
        return by_position(x)

    def inputs(
        self, calls: Sequence[Tensor], weight: bool, bias: bool, dtype: torch.dtype
    ) -> Inputs:
        """The inputs, a one for the bias, or both."""
        return with_ones(side_by_side(calls).to(dtype), weight, bias)

    def slopes(self, call: Tensor, g: Tensor, weight: bool, bias: bool) -> Float[Tensor, "n t o"]:
        """As they are."""
        return by_position(g)


class Convolution(Site):
    """``nn.Conv1d`` and ``nn.Conv2d`` without groups."""

    def kept(self, x: Tensor) -> Tensor:
        """Patches.

        Example:
            >>> site = Convolution(nn.Conv2d(1, 1, 2), "conv", 1)
            >>> site.kept(torch.arange(4.0).view(1, 1, 2, 2)).tolist()
            [[[0.0, 1.0, 2.0, 3.0]]]
        """
        layer = self.layer
        assert isinstance(layer, nn.Conv1d | nn.Conv2d)
        mode = "constant" if layer.padding_mode == "zeros" else layer.padding_mode
        x = F.pad(x, layer._reversed_padding_repeated_twice, mode=mode)
        sizes = [layer.kernel_size, layer.dilation, layer.stride]
        if isinstance(layer, nn.Conv1d):  # an image of one row
            x, sizes = x[:, :, None], [(1, *size) for size in sizes]
        return F.unfold(x, sizes[0], dilation=sizes[1], stride=sizes[2]).transpose(1, 2)

    def inputs(
        self, calls: Sequence[Tensor], weight: bool, bias: bool, dtype: torch.dtype
    ) -> Inputs:
        """The patches, a one for the bias, or both."""
        return with_ones(side_by_side(calls).to(dtype), weight, bias)

    def slopes(self, call: Tensor, g: Tensor, weight: bool, bias: bool) -> Float[Tensor, "n t o"]:
        """Pixels are positions."""
        return g.flatten(2).transpose(1, 2)


class Embedding(Site):
    """``nn.Embedding``; rows of the padding token get no gradient."""

    def kept(self, x: Tensor) -> Tensor:
        """Numbers of tokens."""
        assert isinstance(self.layer, nn.Embedding)
        padding = self.layer.padding_idx
        x = x.reshape(len(x), -1)
        return x if padding is None else x.masked_fill(x == padding, -1)

    def inputs(
        self, calls: Sequence[Tensor], weight: bool, bias: bool, dtype: torch.dtype
    ) -> Inputs:
        """Unit vectors."""
        assert isinstance(self.layer, nn.Embedding)
        return Tokens(side_by_side(calls), self.layer.num_embeddings, dtype)

    def slopes(self, call: Tensor, g: Tensor, weight: bool, bias: bool) -> Float[Tensor, "n t o"]:
        """As they are; one token an example has no axis of positions."""
        return g.reshape(*call.shape, g.shape[-1])


class Normalisation(Site):
    """The scale and shift of ``nn.LayerNorm``, or the scale of ``nn.RMSNorm``."""

    def kept(self, x: Tensor) -> Tensor:
        """What the scale multiplies."""
        layer = self.layer
        assert isinstance(layer, nn.LayerNorm | nn.RMSNorm)
        shape = list(layer.normalized_shape)
        if isinstance(layer, nn.LayerNorm):
            normed = F.layer_norm(x, shape, eps=layer.eps)
        else:
            normed = F.rms_norm(x, shape, eps=layer.eps)
        return normed.reshape(len(x), -1, self.outputs)

    def inputs(
        self, calls: Sequence[Tensor], weight: bool, bias: bool, dtype: torch.dtype
    ) -> Inputs:
        """A one."""
        return torch.ones(len(calls[0]), 1, 1, dtype=dtype, device=calls[0].device)

    def slopes(self, call: Tensor, g: Tensor, weight: bool, bias: bool) -> Float[Tensor, "n t o"]:
        """The example's own gradient, of all positions together."""
        g = g.reshape(call.shape)
        return torch.cat([(g * call).sum(1)] * weight + [g.sum(1)] * bias, dim=1)[:, None]

    def joined(self, calls: Sequence[Tensor]) -> Float[Tensor, "n t o"]:
        """Gradients of all calls add up."""
        return torch.stack(list(calls)).sum(0)


def site_of(layer: nn.Module, name: str) -> Site | None:
    """The site of a layer with a weight and perhaps a bias, or None if there is no rule for it."""
    forward = type(layer).forward
    if isinstance(layer, nn.Linear) and forward is nn.Linear.forward:
        return Linear(layer, name, layer.out_features)
    if isinstance(layer, nn.Conv1d | nn.Conv2d) and forward in CONVOLUTIONS:
        return Convolution(layer, name, layer.out_channels) if layer.groups == 1 else None
    if isinstance(layer, nn.Embedding) and forward is nn.Embedding.forward:
        plain = layer.max_norm is None and not layer.scale_grad_by_freq
        return Embedding(layer, name, layer.embedding_dim, "transposed") if plain else None
    if isinstance(layer, nn.LayerNorm | nn.RMSNorm) and forward in NORMALISATIONS:
        return Normalisation(layer, name, layer.weight.numel(), "below")
    outputs = getattr(layer, "nf", None)
    if type(layer).__name__ == "Conv1D" and isinstance(outputs, int):
        return Linear(layer, name, outputs, "transposed")
    return None


def by_position(x: Tensor) -> Float[Tensor, "n t d"]:
    """Examples by positions by features; one position if there is no axis for it."""
    x = torch.atleast_2d(x)
    return x.reshape(len(x), -1, x.shape[-1])


def with_ones(a: Float[Tensor, "n t i"], weight: bool, bias: bool) -> Float[Tensor, "n t j"]:
    """What weight and bias multiply."""
    return torch.cat([a] * weight + [torch.ones_like(a[..., :1])] * bias, dim=2)


def side_by_side(calls: Sequence[Tensor]) -> Tensor:
    """The positions of all calls; no copy where there is one."""
    return calls[0] if len(calls) == 1 else torch.cat(list(calls), dim=1)
