r"""A small ReLU student that imitates a ReLU teacher: the expected loss in closed form.

For standard normal inputs, units :math:`w_i` of the student and :math:`v_j` of the teacher,

.. math:: L(W)=\tfrac12\,\mathbb E\Bigl(\sum_i(w_i^\top x)_+-\sum_j(v_j^\top x)_+\Bigr)^2,\qquad
    \mathbb E(u^\top x)_+(v^\top x)_+=\frac{\|u\|\|v\|}{2\pi}(\sin\theta+(\pi-\theta)\cos\theta),

:math:`\theta` the angle between u and v. With orthonormal teachers and as many student units, six
or more, there are local minima that are not global.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6, introduction; Safran and Shamir
    (2018), "Spurious local minima are common in two-layer ReLU neural networks"; Cho and Saul
    (2009), "Kernel methods for deep learning".
"""

import math

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn


def relu_correlations(
    U: Float[Tensor, "*s k n"], V: Float[Tensor, "*t m n"]
) -> Float[Tensor, "*r k m"]:
    r"""The means :math:`\mathbb E(u_i^\top x)_+(v_j^\top x)_+`, for batches of units.

    Example:
        >>> e = torch.eye(2, dtype=torch.float64)
        >>> relu_correlations(e, e).round(decimals=4).tolist()  # 1/2 and 1/(2π)
        [[0.5, 0.1592], [0.1592, 0.5]]
    """
    u, v = U.norm(dim=-1)[..., :, None], V.norm(dim=-1)[..., None, :]
    lengths: Tensor = u * v
    cosine: Tensor = (U @ V.mT / lengths.clamp_min(1e-300)).clamp(-1 + 1e-14, 1 - 1e-14)
    theta = torch.arccos(cosine)  # kept off 0, where its derivative is infinite
    return lengths * ((1 - cosine.square()).sqrt() + (math.pi - theta) * cosine) / (2 * math.pi)


def student_teacher_loss(
    W: Float[Tensor, "*s k n"], V: Float[Tensor, "m n"]
) -> Float[Tensor, "*s"]:
    """The expected loss of each student of a batch.

    Example:
        >>> e = torch.eye(2, dtype=torch.float64)
        >>> round(student_teacher_loss(0 * e, e).item(), 4)  # (2 · 1/2 + 2/(2π))/2
        0.6592
    """
    own = relu_correlations(W, W).sum(dim=(-2, -1))
    cross = relu_correlations(W, V).sum(dim=(-2, -1))
    return 0.5 * (own - 2 * cross + relu_correlations(V, V).sum())


class Students(nn.Module):
    """Many students of one teacher, trained at once; ``forward`` gives the loss of each.

    Args:
        starts: Students.
        k: Units of each.
        teacher: Units of the teacher, as rows.
        rng: Draws the units, normal with mean squared length 1.

    Example:
        >>> e = torch.eye(3, dtype=torch.float64)
        >>> Students(4, 3, e, rng=torch.Generator().manual_seed(0))().shape
        torch.Size([4])
    """

    teacher: Float[Tensor, "m n"]

    def __init__(
        self, starts: int, k: int, teacher: Float[Tensor, "m n"], *, rng: Generator
    ) -> None:
        super().__init__()
        n = teacher.shape[1]
        draw = torch.randn(starts, k, n, generator=rng, device=rng.device, dtype=teacher.dtype)
        self.W = nn.Parameter(draw / n**0.5)
        self.register_buffer("teacher", teacher)

    def forward(self, x: Tensor | None = None) -> Float[Tensor, " starts"]:
        """The losses; the argument is there for training loops and is not used."""
        return student_teacher_loss(self.W, self.teacher)
