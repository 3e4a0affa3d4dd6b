r"""One hidden layer of sigmoid units in NumPy, points as columns.

.. math:: \mathit{hid}=\sigma(\theta X),\quad \mathit{out}=\beta\,\mathit{hid},\quad
   \delta=\mathit{out}-y,\quad g_\beta=\delta\,\mathit{hid}^\top,\quad
   g_\theta=\bigl((\beta^\top\delta)\odot(\mathit{hid}-\mathit{hid}^2)\bigr)X^\top .

:source: Lucchi (2024), Foundations of Deep Learning (slides), Lecture 1, Code: Forward Pass and
    Code: Gradient Pass.
:covers: mlp3-listing
:erratum: [code bug] The slide's code is a sketch that does not run: the dictionaries f and g are
    never made (NameError), numpy is not imported, and the shape comment mxn*nxm=mxs should read
    mxn*nxs=mxs. The formulas of the gradients are right, and are the ones used here.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from corollary.errors import InputError
from corollary.models.scratch.arrays import Random, checked_points, checked_random


class Forward(NamedTuple):
    """What the forward pass found."""

    hid: np.ndarray  # (m, s)
    out: np.ndarray  # (1, s)


class Gradient(NamedTuple):
    """Derivatives of half the squared error, summed over the s samples."""

    bet: np.ndarray  # (1, m)
    tet: np.ndarray  # (m, n)


class MLP3:
    r"""``n -> m -> 1``; ``theta`` uniform in :math:`\pm1/n`, ``beta`` in :math:`\pm1/m`.

    Example:
        >>> net = MLP3(2, 3, rng=np.random.default_rng(0))
        >>> X, y = np.ones((2, 5)), np.zeros((1, 5))
        >>> f = net.forward(X)
        >>> f.hid.shape, f.out.shape, net.gradient(f, X, y).tet.shape
        ((3, 5), (1, 5), (3, 2))
    """

    def __init__(self, n: int, m: int, *, rng: Random) -> None:
        if n < 1 or m < 1:
            raise InputError(f"the network needs n >= 1 inputs and m >= 1 units, got n={n}, m={m}")
        draw = checked_random(rng).uniform
        self.theta = draw(-1 / n, 1 / n, (m, n))  # m x n
        self.beta = draw(-1 / m, 1 / m, (1, m))  # 1 x m

    def forward(self, X: np.ndarray) -> Forward:
        """Hidden values and outputs of the columns of ``X``."""
        X = checked_points(X.T, self.theta.shape[1], "MLP3 (transposed)").T
        hid = expit(self.theta @ X)  # m x n * n x s = m x s
        return Forward(hid, self.beta @ hid)  # 1 x m * m x s = 1 x s

    def gradient(self, f: Forward, X: np.ndarray, y: np.ndarray) -> Gradient:
        """Both gradients from what the forward pass found."""
        if y.shape != f.out.shape:
            raise InputError(f"targets must have shape {f.out.shape}, got {y.shape}")
        delta = f.out - y  # 1 x s
        sensitivity = f.hid - f.hid * f.hid  # m x s
        back = np.outer(self.beta, delta) * sensitivity  # m x 1 * 1 x s = m x s
        return Gradient(bet=delta @ f.hid.T, tet=back @ X.T)  # 1 x m and m x n
