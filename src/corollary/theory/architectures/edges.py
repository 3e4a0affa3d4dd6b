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


def edge_share(w: Float[Tensor, "k 3 3"], middle: float = 1.0) -> float:
    """The share of the squared length of all filters that lies in the plane of the two kernels.

    The plane has two of nine dimensions: filters of random directions have 2/9 there on average.

    Example:
        >>> w = derivative_kernels()[:1] + torch.ones(1, 3, 3)  # squared lengths 6 and 9
        >>> round(edge_share(w), 9)
        0.4
    """
    squares = w.flatten(1).square().sum(dim=1)
    inside = kernel_cosines(w, middle).square().sum(dim=1) * squares
    return float(inside.sum() / squares.sum())
