r"""Derivative kernels: filters that answer to edges of one direction.

.. math:: D_x=\begin{pmatrix}1\\s\\1\end{pmatrix}\begin{pmatrix}-1&0&1\end{pmatrix},\qquad
   D_y=D_x^\top,

with s = 1 (Prewitt) or s = 2 (Sobel). On an image that is constant along its rows the first
answers 0 everywhere.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.1, Figure 10.8.
:covers: learned-edge-filters
"""

import torch
from jaxtyping import Float
from torch import Tensor


def derivative_kernels(
    middle: float = 1.0, *, dtype: torch.dtype = torch.float64
) -> Float[Tensor, "2 3 3"]:
    """The kernels across and down; ``middle=2`` are Sobel's.

    Example:
        >>> derivative_kernels(2.0)[0].tolist()
        [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]]
    """
    across = torch.outer(
        torch.tensor([1.0, middle, 1.0], dtype=dtype), torch.tensor([-1.0, 0.0, 1.0], dtype=dtype)
    )
    return torch.stack([across, across.T])


def kernel_cosines(w: Float[Tensor, "k 3 3"], middle: float = 1.0) -> Float[Tensor, "k 2"]:
    """Cosines of filters with the two derivative kernels.

    Example:
        >>> kernel_cosines(3 * derivative_kernels()).round(decimals=9).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    D = derivative_kernels(middle, dtype=w.dtype).flatten(1)
    unit = torch.nn.functional.normalize
    return unit(w.flatten(1), dim=1) @ unit(D, dim=1).T
