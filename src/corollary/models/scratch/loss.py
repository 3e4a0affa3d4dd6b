r"""The logistic loss of one logit per point, forwards and backwards.

.. math:: L=\frac1N\sum_n\max(z_n,0)-z_ny_n+\ln(1+e^{-|z_n|}),\qquad
   \frac{\partial L}{\partial z}=\frac{\hat y-y}{N},\qquad \hat y=\sigma(z).

:source: Lucchi (2025), Foundations of Deep Learning, Sections 2.7 and 2.7.1.
:covers: binary-cross-entropy
:erratum: [loose] The listing clips the prediction before the logarithm: at z = -100, y = 1 its
    loss is 27.6 instead of 100, its gradient is that of the loss without clipping, and below
    z = -709 exp(-z) overflows with a warning. ``ClippedBCE`` is the listing, ``BCE`` the repair.
"""

import numpy as np
from scipy.special import expit

from corollary.errors import InputError
from corollary.models.scratch.arrays import checked_points


class BCE:
    """The mean logistic loss; right at logits of any size.

    Example:
        >>> loss, y_hat = BCE().forward(np.array([[-100.0]]), np.array([[1.0]]))
        >>> float(loss), BCE().backward(y_hat, np.array([[1.0]])).tolist()
        (100.0, [[-1.0]])
    """

    def forward(self, z: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
        """The loss and the predicted probabilities, for logits and labels of shape (N, 1)."""
        check_labels(z, y)
        losses = np.maximum(z, 0) - z * y + np.log1p(np.exp(-np.abs(z)))
        return float(losses.mean()), expit(z)

    def backward(self, y_hat: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The gradient in the logits; the division by N of the whole network happens here."""
        dz: np.ndarray = (y_hat - y) / len(y)
        return dz


class ClippedBCE:
    """The loss as printed, to be compared: clipped, so that it never passes 27.6 a point.

    Example:
        >>> loss, _ = ClippedBCE().forward(np.array([[-100.0]]), np.array([[1.0]]))
        >>> round(loss, 1)
        27.6
    """

    def forward(self, z: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
        """The loss and the clipped probabilities."""
        check_labels(z, y)
        y_hat = np.clip(1 / (1 + np.exp(-z)), 1e-12, 1 - 1e-12)
        return float(-(y * np.log(y_hat) + (1 - y) * np.log(1 - y_hat)).mean()), y_hat

    def backward(self, y_hat: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The gradient of the loss without clipping."""
        dz: np.ndarray = (y_hat - y) / len(y)
        return dz


def check_labels(z: np.ndarray, y: np.ndarray) -> None:
    """Raise unless logits and labels are both (N, 1) and labels lie in [0, 1]."""
    checked_points(z, 1, "the loss")
    if not isinstance(y, np.ndarray) or y.shape != z.shape:
        shape = getattr(y, "shape", type(y).__name__)
        raise InputError(f"labels must have the shape {z.shape} of the logits, got {shape}")
    outside = ~((y >= 0) & (y <= 1))
    if outside.any():
        raise InputError(f"expected labels in [0, 1], got {y[outside][0]:g}")
