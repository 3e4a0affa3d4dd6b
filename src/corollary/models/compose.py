r"""A network as a nested composition of layers.

.. math:: \hat\phi(x;\theta)=f^{(L)}(\dots f^{(2)}(f^{(1)}(x,\theta_1),\theta_2)\dots,\theta_L)

Training it is :func:`corollary.train.fit` with a loss and an optimizer.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.1; Mathematical Foundations of Deep
    Learning (slides), Introduction; Lucchi (2024), Foundations of Deep Learning (slides), Lecture
    1.
"""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from corollary.errors import InputError, InputTypeError


class Compose(nn.Module):
    """Layers one after the other, with the representation after each of them.

    Layers that say how many numbers they read and give (``in_features``, ``out_features``, as
    torch's do) must fit; two that do not are refused when the network is made, not when it trains.

    Example:
        >>> net = Compose([nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2)])
        >>> net.widths
        [3, 5, 5, 2]
        >>> import torch
        >>> [tuple(h.shape) for h in net.representations(torch.zeros(4, 3))]
        [(4, 3), (4, 5), (4, 5), (4, 2)]

    :covers: nested-composition-network
    """

    def __init__(self, layers: Sequence[Any]) -> None:
        super().__init__()
        if not layers:
            raise InputError("a network needs at least one layer, got none")
        for position, layer in enumerate(layers):
            if not isinstance(layer, nn.Module):
                what = type(layer).__name__
                raise InputTypeError(f"layer {position} must be an nn.Module, got {what}")
        self.layers = nn.ModuleList(layers)
        self.widths = _widths(layers)  # declared widths, the input first; None where none is

    def forward(self, x: Tensor) -> Tensor:
        """The value of the outermost function."""
        for layer in self.layers:
            x = layer(x)
        return x

    def representations(self, x: Tensor) -> list[Tensor]:
        """The input and what each layer makes of it, the output last."""
        out = [x]
        for layer in self.layers:
            out.append(layer(out[-1]))
        return out


def _widths(layers: Sequence[nn.Module]) -> list[int | None]:
    widths: list[int | None] = [getattr(layers[0], "in_features", None)]
    for position, layer in enumerate(layers):
        reads = getattr(layer, "in_features", None)
        if reads is not None and widths[-1] is not None and reads != widths[-1]:
            raise InputError(
                f"layer {position} ({type(layer).__name__}) expects {reads} inputs, but the "
                f"layer before it has {widths[-1]} outputs"
            )
        same = _unchanged(layer, widths[-1])
        widths.append(getattr(layer, "out_features", None) if reads is not None else same)
    return widths


def _unchanged(layer: nn.Module, width: int | None) -> int | None:
    """Torch's activations keep the width; of any other layer nothing is known."""
    return width if type(layer).__module__ == "torch.nn.modules.activation" else None
