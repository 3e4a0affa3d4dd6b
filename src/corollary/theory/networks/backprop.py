r"""Backpropagation written out: every derivative of a feedforward network from one backward pass.

With :math:`z^l=W^la^{l-1}+b^l`, :math:`a^l=\varphi_l(z^l)` and a loss :math:`\ell(a^L)`,

.. math:: \delta^L=\frac{\partial\ell}{\partial a^L}\odot\varphi_L'(z^L),\qquad
   \delta^l=(W^{l+1\top}\delta^{l+1})\odot\varphi_l'(z^l),\qquad
   \frac{\partial\ell}{\partial W^l}=\delta^la^{l-1\top},\qquad
   \frac{\partial\ell}{\partial b^l}=\delta^l .

Points are rows here, so :math:`\delta^l` is a matrix with a row per point, and gradients are those
of the sum of the losses of all rows. Nothing uses autograd.

:source: Mathematical Foundations of Deep Learning (slides), Backpropagation; Lucchi (2025),
    Foundations of Deep Learning, Section 2.6; Rumelhart, Hinton and Williams (1986), "Learning
    representations by back-propagating errors".
:covers: backprop-correctness
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.networks.activations import Activation

LossGradient = Callable[[Tensor, Tensor], Tensor]  # (outputs, targets) -> gradient in outputs


class Layer(NamedTuple):
    """One layer of a network as numbers."""

    W: Float[Tensor, "m n"]  # weights
    b: Float[Tensor, " m"]  # biases
    phi: Activation


@dataclass(frozen=True)
class Gradients:
    """What the two passes computed; index 0 of ``a`` is the input, of the others layer 1."""

    a: tuple[Tensor, ...]  # activations, input first: L + 1 of shape (n, width)
    z: tuple[Tensor, ...]  # pre-activations: L of shape (n, width)
    delta: tuple[Tensor, ...]  # derivatives of the loss in z: L of shape (n, width)
    W: tuple[Tensor, ...]  # derivatives in the weights
    b: tuple[Tensor, ...]  # derivatives in the biases


def forward_pass(
    layers: Sequence[Layer], x: Float[Tensor, "n d"]
) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """Activations (the input first) and pre-activations of all layers.

    Example:
        >>> from corollary.theory.networks.activations import RELU
        >>> layer = Layer(torch.tensor([[2.0], [-1.0]]), torch.zeros(2), RELU)
        >>> a, z = forward_pass([layer], torch.tensor([[3.0]]))
        >>> a[-1].tolist(), z[-1].tolist()
        ([[6.0, 0.0]], [[6.0, -3.0]])
    """
    check_layers(layers, x.shape[1])
    a, z = [x], []
    for W, b, phi in layers:
        z.append(a[-1] @ W.T + b)
        a.append(phi(z[-1]))
    return tuple(a), tuple(z)


def backprop(
    layers: Sequence[Layer],
    x: Float[Tensor, "n d"],
    y: Float[Tensor, "n k"],
    loss_gradient: LossGradient = torch.sub,
) -> Gradients:
    r"""All gradients of :math:`\sum_i\ell(a^L_i,y_i)`.

    Args:
        layers: The network, first layer first.
        x: Points as rows.
        y: Targets, in whatever form the loss takes them.
        loss_gradient: Gradient of the loss in the outputs; the default :math:`a^L-y` is that of
            half the squared error.

    Costs two products with every weight matrix but the first, which needs one, against one
    product each in the forward pass.

    Example:
        >>> from corollary.theory.networks.activations import LINEAR
        >>> layer = Layer(torch.tensor([[2.0]]), torch.zeros(1), LINEAR)
        >>> g = backprop([layer], torch.tensor([[3.0]]), torch.tensor([[5.0]]))
        >>> g.W[0].item(), g.b[0].item()  # (f - y) x and f - y at f = 6
        (3.0, 1.0)
    """
    a, z = forward_pass(layers, x)
    back = loss_gradient(a[-1], y)  # derivative in the activations of the layer at hand
    delta: list[Tensor] = []
    for (W, _, phi), pre in zip(reversed(layers), reversed(z), strict=True):
        delta.append(back * phi.derivative(pre))
        if len(delta) < len(layers):
            back = delta[-1] @ W
    delta.reverse()
    W_gradients = tuple(d.T @ below for d, below in zip(delta, a, strict=False))
    return Gradients(a, z, tuple(delta), W_gradients, tuple(d.sum(0) for d in delta))


def check_layers(layers: Sequence[Layer], d: int) -> None:
    """Raise unless the widths fit from the input, of dimension ``d``, to the output."""
    if not layers:
        raise InputError("a network needs at least one layer, got none")
    width = d
    for number, (W, b, _) in enumerate(layers, start=1):
        if W.ndim != 2 or W.shape[1] != width or b.shape != W.shape[:1]:
            raise InputError(
                f"layer {number} has {width} inputs, but its weights have shape "
                f"{tuple(W.shape)} and its biases {tuple(b.shape)}"
            )
        width = W.shape[0]
