r"""The layers: an affine map and ReLU, with their backward passes.

With rows as points, :math:`Z=XW+b`. If :math:`dZ` is the gradient of the loss in :math:`Z`,

.. math:: dW=X^\top dZ,\qquad db=\sum_n dZ_n,\qquad dX=dZ\,W^\top .

:source: Lucchi (2025), Foundations of Deep Learning, Sections 2.7.1 and 2.7.2; Glorot and Bengio
    (2010), "Understanding the difficulty of training deep feedforward neural networks".
"""

import numpy as np

from corollary.errors import InputError
from corollary.models.scratch.arrays import Random, checked_points, checked_random


class LinearLayer:
    r"""``X -> X W + b``, with weights normal of variance ``2 / (d_in + d_out)`` and no bias yet.

    That is Glorot's normal initialisation: it keeps the size of activations on the way forwards
    and of gradients on the way back about equal.

    Args:
        d_in: Numbers read a point.
        d_out: Numbers given a point.
        rng: Source of the weights.
        divide_again: The fault of the printed listing, to be seen side by side: the gradients of
            the parameters are divided by N although the loss has already done so.

    Example:
        >>> layer = LinearLayer(2, 1, rng=np.random.default_rng(0))
        >>> layer.W[:] = [[1.0], [3.0]]
        >>> layer.forward(np.array([[2.0, 5.0]])).tolist()
        [[17.0]]
        >>> layer.backward(np.array([[1.0]])).tolist(), layer.dW.tolist()
        ([[1.0, 3.0]], [[2.0], [5.0]])

    :covers: scratch-linear-layer
    :erratum: [code bug] LinearLayer.backward of the notes divides dW and db by N although
        BCE.backward has already done so, and hands dX on undivided: in every layer the gradients
        of the parameters are exactly N times too small, 2000 times for the notes' data. The claim
        double_division shows it; ``divide_again=True`` is the listing as printed.
    """

    def __init__(self, d_in: int, d_out: int, *, rng: Random, divide_again: bool = False) -> None:
        if d_in < 1 or d_out < 1:
            raise InputError(f"a layer needs d_in, d_out >= 1, got d_in={d_in}, d_out={d_out}")
        self.W = checked_random(rng).standard_normal((d_in, d_out)) / np.sqrt((d_in + d_out) / 2)
        self.b = np.zeros(d_out)
        self.divide_again = divide_again

    def forward(self, X: np.ndarray) -> np.ndarray:
        """The values, remembering the input for the way back."""
        self.X = checked_points(X, self.W.shape[0], "LinearLayer")  # (N, d_in)
        Z: np.ndarray = self.X @ self.W + self.b  # (N, d_out)
        return Z

    def backward(self, dZ: np.ndarray) -> np.ndarray:
        """Keep ``dW`` and ``db``, return ``dX``."""
        N = self.X.shape[0] if self.divide_again else 1
        self.dW = self.X.T @ dZ / N  # (d_in, d_out)
        self.db = dZ.sum(axis=0) / N  # (d_out,)
        dX: np.ndarray = dZ @ self.W.T  # (N, d_in)
        return dX


class ReLU:
    """``Z -> max(0, Z)``; on the way back the gradient passes where Z was positive.

    Example:
        >>> relu = ReLU()
        >>> relu.forward(np.array([[-1.0, 0.0, 2.0]])).tolist()
        [[0.0, 0.0, 2.0]]
        >>> relu.backward(np.ones((1, 3))).tolist()
        [[0.0, 0.0, 1.0]]

    :covers: relu-activation
    """

    def forward(self, Z: np.ndarray) -> np.ndarray:
        """The positive parts, remembering where they are."""
        self.Z = Z
        A: np.ndarray = np.maximum(0, Z)
        return A

    def backward(self, dA: np.ndarray) -> np.ndarray:
        """``dZ = dA * 1[Z > 0]``, so the slope at 0 is taken as 0."""
        return dA * (self.Z > 0)
