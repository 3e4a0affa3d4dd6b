r"""Small kernels with a meaning: smoothing, derivatives, sharpening.

The binomial kernel :math:`(\tfrac12,\tfrac12)^{*k}` has the entries :math:`2^{-k}\binom kj`. It
sums to 1 and has variance :math:`k/4`; centred at :math:`k/2` it tends to a Gaussian. Of order 4 it
is :math:`(1,4,6,4,1)/16` with variance 1.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.1.1 and Figure 10.8.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError, UnknownNameError


def binomial(order: int, *, dtype: torch.dtype = torch.float64) -> Float[Tensor, " m"]:
    """The box (1/2, 1/2) convolved with itself, ``order`` factors; ``order + 1`` entries.

    Example:
        >>> (16 * binomial(4)).tolist()
        [1.0, 4.0, 6.0, 4.0, 1.0]

    :covers: gaussian-binomial-kernel
    :test: tests/theory/architectures/test_stencils.py
    """
    if not 0 <= order <= 1000:
        raise InputError(f"the order must lie between 0 and 1000, got {order}")
    ways = [math.comb(order, j) / 2**order for j in range(order + 1)]
    return torch.tensor(ways, dtype=dtype)


def binomial2d(order: int, *, dtype: torch.dtype = torch.float64) -> Float[Tensor, "m m"]:
    """The same in both directions of an image: an outer product, so two passes of 1-D suffice.

    Example:
        >>> (16 * binomial2d(2)).tolist()
        [[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]
    """
    h = binomial(order, dtype=dtype)
    return torch.outer(h, h)


def moments(h: Float[Tensor, " m"]) -> tuple[float, float, float]:
    """Sum, mean and variance of the places 0, ..., m - 1 with the weights h.

    Example:
        >>> moments(binomial(4))
        (1.0, 2.0, 1.0)
    """
    total = h.sum()
    if float(total) == 0:
        raise InputError("a kernel that sums to zero has no mean position")
    place = torch.arange(len(h)).to(h)
    mean = (h @ place) / total
    return float(total), float(mean), float(h @ (place - mean) ** 2 / total)


_SMOOTH, _SLOPE = [1.0, 2.0, 1.0], [-1.0, 0.0, 1.0]
_GALLERY: dict[str, list[list[float]]] = {
    "identity": [[0, 0, 0], [0, 1, 0], [0, 0, 0]],
    "box": [[1 / 9] * 3] * 3,
    "vertical edges": [[a * b / 8 for b in _SLOPE] for a in _SMOOTH],
    "horizontal edges": [[a * b / 8 for b in _SMOOTH] for a in _SLOPE],
    "laplacian": [[0, 1, 0], [1, -4, 1], [0, 1, 0]],
    "sharpen": [[0, -1, 0], [-1, 5, -1], [0, -1, 0]],
}
STENCILS = tuple(_GALLERY)  # names for :func:`stencil`


def stencil(name: str, *, dtype: torch.dtype = torch.float64) -> Float[Tensor, "3 3"]:
    """A 3 by 3 kernel of the gallery ``STENCILS``, written for correlation as frameworks do it.

    The two edge kernels are those of Sobel over eight: a ramp of slope 1 across the edge gives 1.

    Example:
        >>> (8 * stencil("vertical edges")).tolist()
        [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]]
    """
    if name not in _GALLERY:
        raise UnknownNameError(
            f"there is no stencil '{name}'; the stencils are {', '.join(STENCILS)}"
        )
    return torch.tensor(_GALLERY[name], dtype=dtype)
