r"""A threshold unit for each true line of a truth table: the worst case of one hidden layer.

For a vertex :math:`v \in \{0,1\}^d` the unit

.. math:: \mathbb 1\Big\{ \sum_{i: v_i=1} x_i - \sum_{i: v_i=0} x_i \ge \|v\|_1 - \tfrac12 \Big\}

is 1 at v and 0 at every other vertex, so the sum over the true vertices is any Boolean function,
with up to :math:`2^d` units. Parity takes :math:`2^{d-1}` of them, while d units that look at
:math:`\sum_i x_i` alone do it, too.

:source: Mathematical Foundations of Deep Learning (slides), Barron's Theorem; Minsky and Papert
    (1969), Perceptrons.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.models.threshold import Heaviside


class ThresholdNetwork(nn.Module):
    """``d -> m -> 1``, threshold units and a linear output.

    Example:
        >>> both = ThresholdNetwork(torch.ones(1, 2), torch.tensor([-1.5]), torch.ones(1))
        >>> both(torch.tensor([[1.0, 1.0], [1.0, 0.0]])).tolist()
        [1.0, 0.0]
    """

    def __init__(
        self, w: Float[Tensor, "m d"], b: Float[Tensor, " m"], a: Float[Tensor, " m"]
    ) -> None:
        super().__init__()
        self.w, self.b, self.a = nn.Parameter(w), nn.Parameter(b), nn.Parameter(a)
        self.phi = Heaviside()

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
        """The value at each point."""
        hidden: Tensor = self.phi(x @ self.w.T + self.b)
        return hidden @ self.a

    @property
    def units(self) -> int:
        """Number of hidden units."""
        return len(self.a)


def lookup_network(table: Bool[Tensor, " lines"]) -> ThresholdNetwork:
    r"""The network of a truth table with :math:`2^d` lines; line i is the number i in binary.

    The first input is the highest bit, as in :func:`vertices`.

    Example:
        >>> xor = lookup_network(torch.tensor([False, True, True, False]))
        >>> xor.units, xor(vertices(2)).tolist()
        (2, [0.0, 1.0, 1.0, 0.0])

    :covers: worst-case-width-lookup
    """
    d = len(table).bit_length() - 1
    if len(table) < 2 or len(table) != 2**d:
        raise InputError(f"expected a truth table with 2, 4, 8, ... lines, got {len(table)}")
    v = vertices(d)[table]
    return ThresholdNetwork(2 * v - 1, 0.5 - v.sum(dim=1), v.new_ones(len(v)))


def parity_network(d: int) -> ThresholdNetwork:
    r"""The sum of the inputs modulo 2, by d units :math:`\mathbb 1\{\sum_i x_i \ge j - 1/2\}`.

    Their outer weights are +1, -1, +1, ...

    Example:
        >>> parity_network(2)(vertices(2)).tolist()
        [0.0, 1.0, 1.0, 0.0]
    """
    if d < 1:
        raise InputError(f"d must be at least 1, got {d}")
    j = torch.arange(1, d + 1, dtype=torch.float64)
    return ThresholdNetwork(torch.ones(d, d, dtype=torch.float64), 0.5 - j, 2 * (j % 2) - 1)


def vertices(d: int) -> Float[Tensor, "lines d"]:
    """The corners of the unit cube, counted in binary.

    Example:
        >>> vertices(2).tolist()
        [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    """
    if not 1 <= d <= 20:
        raise InputError(f"d from 1 to 20 is supported, got d={d}")
    i = torch.arange(2**d)[:, None]
    return ((i >> torch.arange(d - 1, -1, -1)) & 1).double()
