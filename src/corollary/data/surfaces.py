r"""Heights over the square :math:`[-2, 2]^2`, for regression that one can look at.

The plane :math:`(x_1 + x_2)/4` is learned by a single linear layer. The hills are a sum of six
Gaussian bumps of width :math:`w = 0.4`, three up and three down like the fields of a chessboard,

.. math:: f(x) = \sum_{k=1}^{6} s_k\, e^{-\|x - c_k\|^2 / (2 w^2)},

with :math:`c_k \in \{-\tfrac43, 0, \tfrac43\} \times \{-\tfrac56, \tfrac56\}` and
:math:`s_k = \pm 1`; no linear model does better than about the constant.
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.seeding import as_generator

HALF = 2.0  # half the side of the square
WIDTH = 0.4  # of a bump
CENTRES = tuple((a, b) for b in (5 / 6, -5 / 6) for a in (-4 / 3, 0.0, 4 / 3))
SIGNS = (1.0, -1.0, 1.0, -1.0, 1.0, -1.0)


def tilted_plane(x: Float[Tensor, "n 2"]) -> Float[Tensor, " n"]:
    """The height of a plane that rises from -1 to 1 along the diagonal.

    Example:
        >>> tilted_plane(torch.tensor([[2.0, 2.0], [1.0, -1.0]])).tolist()
        [1.0, 0.0]
    """
    return x.sum(dim=1) / (2 * HALF)


def gaussian_hills(x: Float[Tensor, "n 2"]) -> Float[Tensor, " n"]:
    """The height of three Gaussian hills and three hollows.

    Example:
        >>> on_top, between = gaussian_hills(torch.tensor([[-4 / 3, 5 / 6], [0.3, 0.0]])).tolist()
        >>> round(on_top, 2), round(abs(between), 6)  # a hill; midway between hill and hollow
        (1.0, 0.0)
    """
    centres = torch.tensor(CENTRES, dtype=x.dtype, device=x.device)
    signs = torch.tensor(SIGNS, dtype=x.dtype, device=x.device)
    square = (x[:, None] - centres).square().sum(dim=2)  # (n, 6)
    return (-square / (2 * WIDTH**2)).exp() @ signs


def surveyed(
    height: Callable[[Tensor], Tensor],
    n: int,
    *,
    noise: float = 0.0,
    rng: int | Generator = 0,
    dtype: torch.dtype = torch.float64,
) -> tuple[Float[Tensor, "n 2"], Float[Tensor, " n"]]:
    """Heights measured at ``n`` places drawn uniformly from the square.

    Args:
        height: The surface, a batch of places to their heights.
        n: Number of places.
        noise: Standard deviation of the error of each height.
        rng: Source of randomness.
        dtype: Of places and heights.

    Example:
        >>> x, y = surveyed(tilted_plane, 5, rng=Generator().manual_seed(0))
        >>> bool((x.abs() <= 2).all()), bool(torch.equal(4 * y, x[:, 0] + x[:, 1]))
        (True, True)
    """
    rng = as_generator(rng)
    if n < 1 or not 0 <= noise < math.inf:
        raise InputError(f"a survey needs n >= 1 and a noise >= 0, got n={n}, noise={noise}")
    x = HALF * (2 * torch.rand(n, 2, generator=rng, device=rng.device, dtype=dtype) - 1)
    error = torch.randn(n, generator=rng, device=rng.device, dtype=dtype)
    return x, height(x) + noise * error
