r"""The loss of a student: a teacher's softened outputs, and labels where there are any.

.. math:: \alpha T^2\Bigl(-\sum_y\operatorname{softmax}(F/T)_y\ln\operatorname{softmax}(G/T)_y\Bigr)
   +(1-\alpha)\bigl(-\ln\operatorname{softmax}(G)_y\bigr)

:source: Perez Jensen (2025), Deep Learning, Section 8.9; Hinton, Vinyals and Dean (2015),
    "Distilling the knowledge in a neural network".
"""

from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_positive
from corollary.theory.tricks.distillation import distillation
from corollary.train.losses.logarithmic import cross_entropy
from corollary.train.losses.targets import Reduction, check_outputs, reduced


class DistillationLoss(nn.Module):
    """The tempered cross-entropy times T², mixed with the cross-entropy of labels.

    With ``alpha=1`` it can be handed to :func:`corollary.train.fit` with the teacher's logits as
    targets; :func:`corollary.train.distill` computes these on the way.

    Args:
        T: Temperature; above 1 it softens an overconfident teacher.
        alpha: Weight of the teacher; 1 - alpha is that of the labels.
        reduction: Over rows.

    Example:
        >>> import torch
        >>> G, F = torch.zeros(1, 2), torch.zeros(1, 2)
        >>> round(DistillationLoss(T=3.0)(G, F).item() / 9, 6)  # ln 2
        0.693147

    :covers: knowledge-distillation
    :test: tests/train/test_distillation.py
    :erratum: [typo] Both formulas of the notes lack the minus sign of a cross-entropy; see
        :mod:`corollary.theory.tricks.distillation`.
    """

    def __init__(
        self, T: float = 2.0, alpha: float = 1.0, *, reduction: Reduction = "mean"
    ) -> None:
        super().__init__()
        check_positive("T", T)
        if not 0 <= alpha <= 1:
            raise InputError(f"alpha must lie in [0, 1], got {alpha}")
        self.T, self.alpha, self.reduction = T, alpha, reduction

    def forward(self, G: Tensor, F: Tensor, y: Tensor | None = None) -> Tensor:
        """The loss of the student's logits ``G`` given the teacher's ``F`` and labels ``y``."""
        check_outputs(G)
        if F.shape != G.shape:
            raise InputError(
                "teacher and student must have the same number of classes, but their logits "
                f"have shapes {tuple(F.shape)} and {tuple(G.shape)}"
            )
        soft = reduced(self.T**2 * distillation(G, F.to(G), self.T), self.reduction)
        if self.alpha == 1:
            return soft
        if y is None:
            raise InputError(f"expected labels because alpha = {self.alpha:g}, got none")
        return self.alpha * soft + (1 - self.alpha) * cross_entropy(G, y, reduction=self.reduction)
