r"""How a layer mixes positions: fixed weights or weights that depend on the data.

A convolution gives :math:`y_i=\sum_jW_{ij}x_j` with the same Toeplitz matrix for every X; attention
gives :math:`y_i=\sum_jA(X)_{ij}v_j` with rows that sum to 1 and change with X. The first is linear
in X, the second is not, unless A is frozen.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.1, Attention vs. CNN.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputTypeError


def mixing_matrix(module: nn.Module, X: Float[Tensor, "T d"]) -> Float[Tensor, "*h S T"]:
    """The matrix with which a layer mixes the positions of the sequence X, one per row.

    For attention these are its weights at X, a matrix a head if it has heads. For a convolution
    along positions (``nn.Conv1d`` with d channels) it is the matrix of each pair of channels, with
    shape (out channels, in channels, S, T), the same for all X; pairs of different groups have
    zeros. Positions of a convolution run along the rows of X, so ``module(X.T).T`` is what it does.

    Example:
        >>> layer = nn.Conv1d(1, 1, 3, padding=1, bias=False)
        >>> _ = layer.weight.data.copy_(torch.tensor([[[1.0, 2.0, 3.0]]]))
        >>> mixing_matrix(layer, torch.zeros(3, 1)).squeeze().tolist()
        [[2.0, 3.0, 0.0], [1.0, 2.0, 3.0], [0.0, 1.0, 2.0]]

    :covers: attention-data-dependent-weights
    """
    if isinstance(module, nn.Conv1d):
        return _convolution(module, X)
    weights = getattr(module, "weights", None)
    if not callable(weights):
        raise InputTypeError(
            "mixing_matrix needs nn.Conv1d or a layer with a method weights(X), such as the "
            f"attention layers of corollary, got {type(module).__name__}"
        )
    A: Tensor = weights(X)
    return A.detach()


def _convolution(layer: nn.Conv1d, X: Tensor) -> Tensor:
    """Responses to one impulse per position and channel, without the bias."""
    T, d = X.shape
    impulses = torch.eye(T * d, dtype=X.dtype, device=X.device).view(T * d, d, T)
    with torch.no_grad():
        silence = layer(torch.zeros_like(impulses[:1]))
        out: Tensor = layer(impulses) - silence  # (channel and position of the impulse, out, S)
    return out.view(d, T, *out.shape[1:]).permute(2, 0, 3, 1)
