"""The network: layers in order on the way forwards, in reverse on the way back.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.7.3.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from corollary.errors import InputError
from corollary.models.scratch.arrays import Random
from corollary.models.scratch.layers import LinearLayer, ReLU


class MLP:
    """Linear layers of the given widths with an activation between them, none after the last.

    The last sigmoid lives in the loss, where it cancels against the logarithm.

    Example:
        >>> net = MLP([3, 10, 5, 1], rng=np.random.default_rng(0))
        >>> len(net.linear), net.parameter_count(), net.forward(np.zeros((4, 3))).shape
        (3, 101, (4, 1))

    :covers: scratch-mlp
    :erratum: [typo] The docstring of the notes' class says that [d_in, 10, 5, d_out] has 3 hidden
        layers; it has 2, and 3 linear layers.
    """

    def __init__(
        self,
        layer_dims: Sequence[int],
        act: Callable[[], Any] = ReLU,
        *,
        rng: Random,
        divide_again: bool = False,
    ) -> None:
        if len(layer_dims) < 2:
            raise InputError(
                f"layer_dims needs an input and an output width, got {list(layer_dims)}"
            )
        self.layers: list[Any] = []
        for d_in, d_out in zip(layer_dims, layer_dims[1:], strict=False):
            if self.layers:
                self.layers.append(act())
            self.layers.append(LinearLayer(d_in, d_out, rng=rng, divide_again=divide_again))

    @property
    def linear(self) -> list[LinearLayer]:
        """The layers with parameters."""
        return [layer for layer in self.layers if isinstance(layer, LinearLayer)]

    def parameter_count(self) -> int:
        """Weights and biases."""
        return sum(layer.W.size + layer.b.size for layer in self.linear)

    def forward(self, X: np.ndarray) -> np.ndarray:
        """The logits."""
        for layer in self.layers:
            X = layer.forward(X)
        return X

    def backward(self, dlogits: np.ndarray) -> np.ndarray:
        """Leave in every layer its gradients; returns the gradient in the input."""
        for layer in reversed(self.layers):
            dlogits = layer.backward(dlogits)
        return dlogits
