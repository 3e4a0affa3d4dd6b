r"""Tanh networks rewritten as sigmoid networks, and back.

Since :math:`\tanh z=2\sigma(2z)-1`, a layer that is followed by tanh gets its weights and bias
doubled, and a layer that reads tanh units, :math:`Wh+b` with :math:`h=2s-1`, becomes
:math:`2Ws+(b-W\mathbf{1})`. With one hidden layer: :math:`W\to2W`, :math:`b\to2b`,
:math:`V\to2V`, output bias :math:`c\to c-V\mathbf{1}`. Each layer that reads hidden units needs a
bias to take up the shift.

:source: Perez Jensen (2025), Deep Learning, Section 2.4; Lucchi (2025), Foundations of Deep
    Learning, Section 2.4.3.
:covers: tanh-activation
"""

from typing import Literal

import torch
from torch import nn

from corollary.errors import InputError

# activation = gain * other(scale * z) + shift, for each activation in terms of the other
_REWRITE: dict[str, tuple[type[nn.Module], type[nn.Module], float, float, float]] = {
    "sigmoid": (nn.Tanh, nn.Sigmoid, 2.0, 2.0, -1.0),
    "tanh": (nn.Sigmoid, nn.Tanh, 0.5, 0.5, 0.5),
}


def convert_mlp(
    net: nn.Sequential, to: Literal["sigmoid", "tanh"], *, drop_shift: bool = False
) -> nn.Sequential:
    r"""A network with the other activation that computes the same function.

    Args:
        net: Linear layers with ``nn.Tanh`` (to become sigmoid) or ``nn.Sigmoid`` (to become tanh)
            between them, ending in a linear layer. It is left as it is.
        to: The activation wanted.
        drop_shift: Layers without a bias are refused; with this they are rewritten all the same,
            and the result is off by the shift that found no place.

    Example:
        >>> net = nn.Sequential(nn.Linear(1, 2), nn.Tanh(), nn.Linear(2, 1))
        >>> x = torch.linspace(-3, 3, 7)[:, None]
        >>> torch.allclose(convert_mlp(net, "sigmoid")(x), net(x), atol=1e-5)
        True
    """
    if to not in _REWRITE:
        raise InputError(f"expected to to be 'sigmoid' or 'tanh', got {to!r}")
    old, new, scale, gain, shift = _REWRITE[to]
    layers = _checked(net, old, drop_shift)
    out: list[nn.Module] = []
    for i, layer in enumerate(layers):
        if not isinstance(layer, nn.Linear):
            out.append(new())
            continue
        reads_hidden = i > 0
        before_activation = i + 1 < len(layers)
        out.append(
            _rewritten(
                layer,
                scale if before_activation else 1.0,
                gain if reads_hidden else 1.0,
                shift if reads_hidden else 0.0,
            )
        )
    return nn.Sequential(*out)


def _rewritten(layer: nn.Linear, scale: float, gain: float, shift: float) -> nn.Linear:
    """``scale * (W (gain s + shift 1) + b)`` as a linear layer in ``s``."""
    w, b = layer.weight.detach(), layer.bias
    fresh = nn.Linear(
        layer.in_features, layer.out_features, bias=b is not None, device=w.device, dtype=w.dtype
    )
    with torch.no_grad():
        fresh.weight.copy_(scale * gain * w)
        if b is not None:
            fresh.bias.copy_(scale * (b.detach() + shift * w.sum(dim=1)))
    return fresh


def _checked(net: nn.Sequential, old: type[nn.Module], drop_shift: bool) -> list[nn.Module]:
    layers = list(net)
    for i, layer in enumerate(layers):
        wanted = nn.Linear if i % 2 == 0 else old
        if not isinstance(layer, wanted):
            raise InputError(
                f"expected alternating Linear and {old.__name__} layers, got "
                f"{type(layer).__name__} as layer '{i}'"
            )
        if i % 2 == 0 and i > 0 and layer.bias is None and not drop_shift:
            raise InputError(
                f"layer '{i}' follows {old.__name__} units and needs a bias for the shift of "
                "the other activation, but it has none; build the layer with bias=True"
            )
    if len(layers) % 2 == 0:
        raise InputError(
            f"expected a network that ends in a Linear layer, got {len(layers)} layers, and "
            "the last layer is an activation"
        )
    return layers
