"""Products of a matrix with its own transpose: half the work, and symmetric to the last bit."""

import torch
from jaxtyping import Float
from scipy.linalg.blas import dsyrk, ssyrk
from torch import Tensor

_RANK_UPDATES = {torch.float32: ssyrk, torch.float64: dsyrk}


def add_gram(total: Float[Tensor, "n n"], x: Float[Tensor, "n p"]) -> None:
    """Add x xᵀ on and above the diagonal of ``total``; what stands below it is not defined.

    Time: n² p multiplications and additions on a processor whose BLAS can be called, twice that
    elsewhere.

    Example:
        >>> total = torch.zeros(2, 2)
        >>> add_gram(total, torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
        >>> total.triu().tolist()
        [[5.0, 11.0], [0.0, 25.0]]
    """
    update = _RANK_UPDATES.get(x.dtype)
    if update is None or x.device.type != "cpu" or not total.is_contiguous():
        total.addmm_(x, x.T)
        return
    # Fortran reads both matrices transposed: its lower triangle is our upper one.
    columns = x.detach().contiguous().numpy().T
    update(1.0, columns, trans=1, lower=1, c=total.numpy().T, overwrite_c=1, beta=1.0)


def mirror(total: Float[Tensor, "*b n n"]) -> None:
    """Write below the diagonal what is above it."""
    above = total.triu(1)
    total.triu_().add_(above.mT)


def mirrored(total: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
    """A new matrix of the upper triangle and its mirror image; derivatives pass through.

    Example:
        >>> mirrored(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
        [[1.0, 2.0], [2.0, 4.0]]
    """
    return total.triu() + total.triu(1).mT
