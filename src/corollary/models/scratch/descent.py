r"""Gradient descent with weight decay, in its two forms.

.. math:: W\leftarrow W-\eta\,(dW+\lambda W)\quad\text{(coupled)},\qquad
   W\leftarrow(1-\lambda')W-\eta\,dW\quad\text{(decoupled)}.

The coupled step descends :math:`\ell(W)+\frac\lambda2\|W\|^2`; the decoupled one, which is the form
of the notes' listing, has the fixed points of :math:`\ell(W)+\frac{\lambda'}{2\eta}\|W\|^2`. They
coincide for :math:`\lambda'=\eta\lambda`. On :math:`\frac12(w-1)^2` with step and decay 0.1 the
coupled form tends to 1/1.1 and the decoupled one to 1/2. Biases are not decayed.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.7.4; Loshchilov and Hutter (2019),
    "Decoupled weight decay regularization".
"""

from typing import Any

import numpy as np

from corollary.errors import InputError


class GD:
    """One step for all linear layers of a network.

    Example:
        >>> GD(lr=0.5, weight_decay=0.2).moved(np.array([2.0]), np.array([1.0])).tolist()
        [1.3]
        >>> GD(lr=0.5, weight_decay=0.2, decoupled=True).moved(np.array([2.0]), np.array([1.0]))
        array([1.1])

    :covers: scratch-gd-weight-decay
    """

    def __init__(
        self, lr: float = 1e-3, weight_decay: float = 0.0, *, decoupled: bool = False
    ) -> None:
        if not lr > 0 or not weight_decay >= 0:
            raise InputError(
                f"gradient descent needs lr > 0 and weight_decay >= 0, got lr={lr:g}, "
                f"weight_decay={weight_decay:g}"
            )
        self.lr, self.weight_decay, self.decoupled = lr, weight_decay, decoupled

    def moved(self, W: np.ndarray, dW: np.ndarray) -> np.ndarray:
        """The weights after a step."""
        decay = self.weight_decay if self.decoupled else self.lr * self.weight_decay
        return W - self.lr * dW - decay * W

    def step(self, model: Any) -> None:
        """Move each linear layer of a scratch network whose backward pass has been made."""
        for layer in model.linear:
            layer.W = self.moved(layer.W, layer.dW)
            layer.b = layer.b - self.lr * layer.db  # biases are not decayed
