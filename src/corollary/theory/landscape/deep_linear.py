r"""Deep linear networks: product, loss, gradients of the layers, and the form of critical points.

Layers are listed from the input on, :math:`W_1,\dots,W_L`; data are columns. With
:math:`W=W_L\cdots W_1` and :math:`E=WX-Y`,

.. math:: L=\tfrac12\|WX-Y\|_F^2,\qquad
    \nabla_{W_k}L=(W_L\cdots W_{k+1})^\top\,E\,(W_{k-1}\cdots W_1X)^\top .

:source: Lucchi (2025), Foundations of Deep Learning, Sections 6.1.3, 6.2 and 6.3, (6.25) and
    (6.34)-(6.36); Kawaguchi (2016), "Deep learning without poor local minima", Lemma 4.1.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.landscape.two_layer_linear import critical_map
from corollary.theory.prerequisites.gradients import Function

Layers = Sequence[Float[Tensor, "_ _"]]


def product(Ws: Layers) -> Float[Tensor, "k d"]:
    r"""The end-to-end matrix :math:`W_L\cdots W_1`.

    Example:
        >>> product([torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0]])]).tolist()
        [[3.0, 6.0]]
    """
    check_layers(Ws)
    W = Ws[0]
    for layer in Ws[1:]:
        W = layer @ W
    return W


def deep_linear_loss(
    Ws: Layers, X: Float[Tensor, "d n"], Y: Float[Tensor, "k n"]
) -> Float[Tensor, ""]:
    r"""Half the squared error :math:`\frac12\|W_L\cdots W_1X-Y\|_F^2`.

    Example:
        >>> one = torch.ones(1, 1)
        >>> deep_linear_loss([one, 2 * one, 3 * one], one, 5 * one).item()
        0.5
    """
    return 0.5 * (product(Ws) @ X - Y).square().sum()


def backpropagated(
    Ws: Layers, X: Float[Tensor, "d n"], delta: Float[Tensor, "k n"]
) -> list[Float[Tensor, "_ _"]]:
    r"""Gradients of all layers from the derivative ``delta`` in the outputs.

    .. math:: \delta^L=\delta,\quad\delta^{l}=(W^{l+1})^\top\delta^{l+1},\qquad
        \nabla_{W^l}=\delta^l(a^{l-1})^\top,\quad a^0=X,\ a^l=W^la^{l-1}

    One forward and one backward sweep. For a single example every gradient has rank at most one.

    Example:
        >>> one = torch.ones(1, 1)
        >>> [g.item() for g in backpropagated([2 * one, 3 * one], one, one)]
        [3.0, 2.0]
    """
    check_layers(Ws)
    activity = [X]
    for W in Ws[:-1]:
        activity.append(W @ activity[-1])
    gradients = []
    for W, a in zip(reversed(Ws), reversed(activity), strict=True):
        gradients.append(delta @ a.T)
        delta = W.T @ delta
    return gradients[::-1]


def layer_gradients(
    Ws: Layers, X: Float[Tensor, "d n"], Y: Float[Tensor, "k n"]
) -> list[Float[Tensor, "_ _"]]:
    r"""Gradients of the squared error in all layers.

    Example:
        >>> one = torch.ones(1, 1)
        >>> [g.item() for g in layer_gradients([2 * one, 3 * one], one, 5 * one)]  # (6 - 5) · 3, 2
        [3.0, 2.0]

    :covers: deep-linear-network
    :erratum: [typo] (6.36) puts a transpose on the backward factor too, a row times a row; it is
        (W^{k+1:L} delta)(W^{k-1:1} x)^T, as its right side shows. The last line of step 3 has x z^T
        where x x^T is meant.
    """
    return backpropagated(Ws, X, product(Ws) @ X - Y)


def critical_residual(
    Ws: Layers, X: Float[Tensor, "d n"], Y: Float[Tensor, "k n"]
) -> Float[Tensor, ""]:
    r"""How far the product is from the form it has at critical points.

    .. math:: \bigl\|W-C(C^\top C)^-C^\top YX^\top(XX^\top)^{-1}\bigr\|_F,\qquad C=W_L\cdots W_2

    with a generalised inverse, that is, the projector on the columns of C. Zero iff
    :math:`\nabla_{W_1}L=0` (for two layers or more).

    Example:
        >>> zero = torch.zeros(1, 1)
        >>> critical_residual([zero, zero], torch.ones(1, 1), torch.ones(1, 1)).item()
        0.0

    :covers: kawaguchi-critical-form
    :erratum: [possible OCR artefact] (6.25) has (C^T C)^-1, where Kawaguchi's lemma has a
        generalised inverse, written with a superscript minus. With a true inverse critical points
        with C of deficient rank, such as zero weights, would be missed.
    """
    if len(Ws) < 2:
        raise InputError("this form needs at least two layers, got one")
    residual: Tensor = torch.linalg.vector_norm(product(Ws) - critical_map(product(Ws[1:]), X, Y))
    return residual


def flat_loss(widths: Sequence[int], X: Tensor, Y: Tensor) -> Function:
    """The loss as a function of all weights in one vector, layer by layer from the input on.

    Example:
        >>> loss = flat_loss((1, 1, 1), torch.ones(1, 1), torch.ones(1, 1))
        >>> loss(torch.tensor([2.0, 3.0])).item()
        12.5
    """

    def loss(w: Tensor) -> Tensor:
        return deep_linear_loss(unflattened(w, widths), X, Y)

    return loss


def unflattened(w: Float[Tensor, " q"], widths: Sequence[int]) -> list[Tensor]:
    """Layers of shape ``(widths[l], widths[l - 1])`` out of one vector.

    Example:
        >>> [W.shape for W in unflattened(torch.zeros(10), (2, 2, 3))]
        [torch.Size([2, 2]), torch.Size([3, 2])]
    """
    sizes = [a * b for a, b in zip(widths, widths[1:], strict=False)]
    if sum(sizes) != len(w):
        raise InputError(f"widths {tuple(widths)} need {sum(sizes)} weights, got {len(w)}")
    parts = w.split(sizes)
    return [part.reshape(widths[i + 1], widths[i]) for i, part in enumerate(parts)]


def check_layers(Ws: Layers) -> None:
    """Refuse layers that do not multiply."""
    if not Ws:
        raise InputError("expected at least one layer, got none")
    for i, (first, second) in enumerate(zip(Ws, Ws[1:], strict=False), start=1):
        if second.shape[1] != first.shape[0]:
            raise InputError(
                f"layer {i + 1} expects {second.shape[1]} inputs, but layer {i} has "
                f"{first.shape[0]} outputs"
            )
