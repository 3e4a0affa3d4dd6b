r"""T-net: a small network that predicts a linear map for a whole cloud.

.. math:: X\mapsto XA(X),\qquad A(X)=I+\text{(network of }X\text{, zero at the start)},

with the penalty :math:`\|I-AA^\top\|_F^2=\sum_i(1-s_i^2)^2` over the singular values of
:math:`A`, which is zero iff A is orthogonal.

:source: Perez Jensen (2025), Deep Learning, Section 7.3; Qi, Su, Mo and Guibas (2017), "PointNet:
    deep learning on point sets for 3D classification and segmentation".
:erratum: [loose] The notes say that T-nets apply rigid transformations to the cloud, which is
    permutation invariant. The predicted matrix is an unconstrained linear map (after a step of
    noise on its weights the penalty is well above 0), only pulled towards an orthogonal one by the
    penalty, and only in the 64-dimensional case. Invariant to the order is the matrix; the
    transformed cloud is equivariant.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.mlp import MLP


def orthogonality_penalty(A: Float[Tensor, "*b k k"]) -> Float[Tensor, "*b"]:
    r"""The squared Frobenius norm of :math:`I-AA^\top` for each matrix.

    Example:
        >>> orthogonality_penalty(torch.tensor([[0.0, 2.0], [-1.0, 0.0]])).item()  # (1 - 4)²
        9.0
    """
    eye = torch.eye(A.shape[-1], dtype=A.dtype, device=A.device)
    return ((eye - A @ A.mT) ** 2).sum(dim=(-2, -1))


class TNet(nn.Module):
    """A shared perceptron, a maximum over points, a perceptron to ``k * k`` numbers, plus I.

    Args:
        k: Dimension of the points; the matrix is k by k.
        local: Widths of the perceptron of each point, after k.
        after: Widths of the perceptron of the pooled vector, before ``k * k``.
        rng: Draws the weights; those of the last layer are zero.
        dtype: Of the weights.

    Example:
        >>> net = TNet(3, local=(8, 16), after=(8,), rng=torch.Generator().manual_seed(0))
        >>> net.matrix(torch.randn(2, 10, 3).double())[1]
        tensor([[1., 0., 0.],
                [0., 1., 0.],
                [0., 0., 1.]], dtype=torch.float64, grad_fn=<SelectBackward0>)

    :covers: pointnet-t-net
    """

    def __init__(
        self,
        k: int,
        *,
        local: Sequence[int] = (64, 128, 1024),
        after: Sequence[int] = (512, 256),
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        if k < 1:
            raise InputError(f"points need at least one dimension, got k={k}")
        self.k = k
        self.local = MLP([k, *local], last="relu", rng=rng, dtype=dtype)
        self.after = MLP([local[-1], *after, k * k], rng=rng, dtype=dtype)
        self.after.as_layers()[-1].W.zero_()

    def matrix(self, x: Float[Tensor, "*b M k"]) -> Float[Tensor, "*b k k"]:
        """The matrix for each cloud; it does not see the order of the points."""
        if x.shape[-1] != self.k:
            raise InputError(f"expected points of dimension {self.k}, got {tuple(x.shape)}")
        flat: Tensor = self.after(self.local(x).amax(dim=-2))
        eye = torch.eye(self.k, dtype=flat.dtype, device=flat.device)
        return eye + flat.reshape(*flat.shape[:-1], self.k, self.k)

    def forward(self, x: Float[Tensor, "*b M k"]) -> Float[Tensor, "*b M k"]:
        """Every point of a cloud times the matrix of the cloud."""
        return x @ self.matrix(x)

    def penalty(self, x: Float[Tensor, "*b M k"]) -> Float[Tensor, ""]:
        """Mean orthogonality penalty over the clouds, to be added to the loss."""
        return orthogonality_penalty(self.matrix(x)).mean()
