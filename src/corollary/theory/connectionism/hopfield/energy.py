r"""Hopfield's energy.

.. math:: H(X) = -\tfrac12 \sum_{ij} w_{ij} X_i X_j + \sum_i b_i X_i, \qquad X \in \{-1, +1\}^n

with the field :math:`h_i(X) = \sum_j w_{ij} X_j - b_i` that neuron :math:`i` feels. If
:math:`W` is symmetric with a zero diagonal, changing one neuron by :math:`\Delta X_i` changes the
energy by :math:`\Delta H = -\Delta X_i\, h_i(X)`.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Hopfield (1982), "Neural networks and
    physical systems with emergent collective computational abilities".
:covers: hopfield-energy
"""

from jaxtyping import Float
from torch import Tensor


def field(
    W: Float[Tensor, "n n"], b: Float[Tensor, " n"], X: Float[Tensor, "*batch n"]
) -> Float[Tensor, "*batch n"]:
    r"""The field :math:`h = WX - b` of every state in the batch, :math:`O(n^2)` a state.

    Example:
        >>> import torch
        >>> W, b = torch.tensor([[0.0, 1.0], [1.0, 0.0]]), torch.tensor([0.5, 0.0])
        >>> field(W, b, torch.tensor([1.0, -1.0])).tolist()
        [-1.5, 1.0]
    """
    return X @ W.mT - b


def energy(
    W: Float[Tensor, "n n"], b: Float[Tensor, " n"], X: Float[Tensor, "*batch n"]
) -> Float[Tensor, "*batch"]:
    r"""The energy :math:`-\frac12 X^\top W X + b^\top X`, :math:`O(n^2)` a state.

    Example:
        >>> import torch
        >>> W, b = torch.tensor([[0.0, 1.0], [1.0, 0.0]]), torch.zeros(2)
        >>> energy(W, b, torch.tensor([[1.0, 1.0], [1.0, -1.0]])).tolist()
        [-1.0, 1.0]
    """
    return -0.5 * (X * (X @ W.mT)).sum(-1) + X @ b


def flip_change(
    W: Float[Tensor, "n n"], b: Float[Tensor, " n"], X: Float[Tensor, "*batch n"]
) -> Float[Tensor, "*batch n"]:
    r"""What flipping each neuron alone would add to the energy, :math:`2 X_i h_i`.

    Example:
        >>> import torch
        >>> W, b = torch.tensor([[0.0, 1.0], [1.0, 0.0]]), torch.zeros(2)
        >>> flip_change(W, b, torch.tensor([1.0, -1.0])).tolist()
        [-2.0, -2.0]
    """
    return 2 * X * field(W, b, X)
