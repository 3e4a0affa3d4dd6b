r"""Exclusive or: four points that no hyperplane separates.

.. math:: S = \{((0,0),+1),\; ((1,1),+1),\; ((0,1),-1),\; ((1,0),-1)\}

Adding the two demands of each class gives :math:`w_1 + w_2 + 2b > 0` and :math:`< 0` at once.

:source: Perez Jensen (2025), Deep Learning, Section 1.2; Minsky and Papert (1969), Perceptrons.
:covers: xor-not-separable
"""

import torch
from jaxtyping import Float
from torch import Tensor


def xor(*, dtype: torch.dtype = torch.float64) -> tuple[Float[Tensor, "4 2"], Float[Tensor, " 4"]]:
    """The four corners of the unit square, +1 where the two bits are equal.

    Example:
        >>> x, y = xor()
        >>> [(*point, label) for point, label in zip(x.tolist(), y.tolist())]
        [(0.0, 0.0, 1.0), (1.0, 1.0, 1.0), (0.0, 1.0, -1.0), (1.0, 0.0, -1.0)]
    """
    x = torch.tensor([[0, 0], [1, 1], [0, 1], [1, 0]], dtype=dtype)
    return x, torch.tensor([1, 1, -1, -1], dtype=dtype)
