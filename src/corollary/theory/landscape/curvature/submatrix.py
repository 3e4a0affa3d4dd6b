r"""A principal submatrix of an operator: the rows and columns of some coordinates.

.. math:: A_{II} = E_I^\top A E_I,

with the unit vectors :math:`E_I` of the coordinates I, so a product costs one with A. It is
symmetric, and by Cauchy's interlacing its eigenvalues lie between the extreme ones of A. For whole
parameters ``Landscape(..., parameters=)`` is cheaper: it differentiates these alone.
"""

import torch
from jaxtyping import Int
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.eigen import as_operator
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.operator import Curvature


class Submatrix(Curvature):
    """Some coordinates of an operator; made by :func:`submatrix`."""

    def __init__(self, A: Curvature, index: Int[Tensor, " k"]) -> None:
        self.A, self.index = A, index.to(A.device)
        self.size, self.dtype, self.device = len(index), A.dtype, A.device
        self.path = f"{len(index)} of {A.size} coordinates; {A.path}"

    def _product(self, v: Tensor) -> Tensor:
        wide = torch.zeros(self.A.size, dtype=v.dtype, device=v.device)
        wide[self.index] = v
        return self.A.product(wide)[self.index]


@of_model
def submatrix(
    subject: Landscape | Curvature, index: Int[Tensor, " k"] | list[int] | range
) -> Submatrix:
    """The rows and columns with these numbers, in this order, as an operator.

    Args:
        subject: A landscape (its Hessian is meant), an operator, or model, loss and data.
        index: Different coordinates, from 0 on.

    Example:
        >>> from corollary.theory.landscape.curvature.operator import Explicit
        >>> A = Explicit(torch.tensor([[2.0, 1.0, 0.0], [1.0, 3.0, 5.0], [0.0, 5.0, 4.0]]))
        >>> submatrix(A, [2, 0]).dense().tolist()
        [[4.0, 0.0], [0.0, 2.0]]
    """
    A = as_operator(subject)
    at = index if isinstance(index, Tensor) else torch.tensor(list(index), dtype=torch.long)
    if len(at) == 0 or int(at.min()) < 0 or int(at.max()) >= A.size:
        raise InputError(f"index needs numbers from 0 to {A.size - 1}, got {at.tolist()[:10]}")
    if len(at.unique()) < len(at):
        raise InputError("the numbers in index must be different, but some occur twice")
    return Submatrix(A, at.long())
